/** Timelines of long-running operations, as a client polls through them. */
import { describe, expect, it } from 'vitest'
import { operations, scripted, submitted, unfolding } from './_scripted.ts'

const rpc = {
  CANCELLED: 1,
  UNKNOWN: 2,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  OUT_OF_RANGE: 11,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  DATA_LOSS: 15,
  UNAUTHENTICATED: 16,
}

describe('a timeline of an operation', () => {
  it('shows every field of the operation at its time, and derives the rest from the state', async () => {
    const video = {
      uri: 'https://example.com/1.mp4',
      videoBytes: 'AAEC',
      mimeType: 'video/mp4',
      createTime: '2026-01-01T00:00:09Z',
    }
    const timeline = [
      { at: '0s', status: 'PENDING' },
      {
        at: '2s',
        status: 'RUNNING',
        progressPercent: { from: 0, to: 80, over: '8s' },
        metadata: { updateTime: '2026-01-01T00:00:03Z', '@type': 'type.googleapis.com/other' },
      },
      { at: '10s', error: { code: 'INVALID_ARGUMENT', message: 'no' }, reset: ['metadata'] },
      { at: '11s', status: 'SUCCEEDED', progressPercent: 100, response: { generatedVideos: [video, {}] } },
      { at: '12s', reset: ['response'], filtered: ['too red'] },
    ]
    const sim = scripted('videoOperations.submit', { timeline })
    const {
      first: { name },
      at,
    } = await submitted(sim, operations)
    const type = 'type.googleapis.com/google.cloud.aiplatform.v1.PredictLongRunningMetadata'
    const meta = { '@type': type, createTime: '2026-01-01T00:00:00.000Z' }
    expect(await at(0)).toEqual({
      name,
      done: false,
      metadata: { ...meta, state: 'PENDING', updateTime: '2026-01-01T00:00:00.000Z', progressPercent: 0 },
    })
    expect(await at(6000)).toEqual({
      name,
      done: false,
      metadata: {
        ...meta,
        '@type': 'type.googleapis.com/other',
        state: 'RUNNING',
        updateTime: '2026-01-01T00:00:03Z',
        progressPercent: 40,
      },
    })
    expect(await at(10_000)).toEqual({
      name,
      done: true,
      metadata: { ...meta, state: 'FAILED', updateTime: '2026-01-01T00:00:10.000Z', progressPercent: 80 },
      error: { code: 3, message: 'no', details: [] },
    })
    const own = expect.stringMatching(/\/v1beta\/files\/[0-9a-f]+1:download\?alt=media$/)
    const succeeded = await at(11_000)
    expect(succeeded).toMatchObject({
      done: true,
      metadata: { state: 'SUCCEEDED', progressPercent: 100 },
      response: {
        generatedVideos: [
          video,
          {
            uri: own,
            videoBytes: expect.stringMatching(/^[A-Za-z0-9+/]{100,}=*$/),
            mimeType: 'video/mp4',
            createTime: '2026-01-01T00:00:11.000Z',
          },
        ],
        generateVideoResponse: {
          generatedSamples: [
            { video: { uri: video.uri, encodedVideo: 'AAEC', encoding: 'video/mp4' } },
            { video: { uri: own } },
          ],
        },
        videos: [{ gcsUri: video.uri, bytesBase64Encoded: 'AAEC', mimeType: 'video/mp4' }, { gcsUri: own }],
      },
    })
    expect(succeeded).not.toHaveProperty('error')
    expect((await sim.fetch(succeeded.response.generatedVideos[1].uri)).status).toBe(200)
    expect((await at(12_000)).response).toEqual({
      generatedVideos: [],
      generateVideoResponse: {
        generatedSamples: [],
        raiMediaFilteredCount: 1,
        raiMediaFilteredReasons: ['too red'],
      },
      videos: [],
    })
  })

  it.each(Object.entries(rpc))(
    'fails with %s as the number %i, in short form and in an entry',
    async (code, number) => {
      const details = [{ reason: 'x' }]
      const error = { code: number, message: 'The video could not be generated.' }
      const short = await unfolding(operations, { job: { failAt: 0, code } })
      expect((await short.at(60_000)).error).toMatchObject(error)
      const timeline = [{ at: 0, status: 'FAILED', error: { code, details } }]
      const { at } = await unfolding(operations, { timeline })
      expect((await at(0)).error).toEqual({ ...error, details })
    },
  )

  it.each([
    [
      'done without a result',
      { done: true, status: 'RUNNING' },
      { done: true, response: { generatedVideos: [] } },
    ],
    ['not done although it succeeded', { done: false, status: 'SUCCEEDED' }, { done: false }],
    ['not done although it failed', { done: false, status: 'FAILED' }, { done: false }],
  ])('can be %s, and has either an error or a response', async (_, entry, expected) => {
    const { at } = await unfolding(operations, { timeline: [{ at: 0, ...entry }] })
    const seen = await at(0)
    expect(seen).toMatchObject(expected)
    expect([seen.error === undefined, seen.response === undefined]).toContain(true)
    if (!expected.done) expect(seen).not.toHaveProperty('response')
  })

  it('also applies to clients that submit by publisher', async () => {
    const sim = scripted('videoOperations.submitForPublisher', {
      timeline: [{ at: 0, status: 'FAILED', error: { code: 9, message: 'x' } }],
    })
    const byPublisher = {
      ...operations,
      submit: (s: typeof sim) =>
        s.fetch('http://gateway.test/v1beta/publishers/google/models/veo-3.0:predictLongRunning', {
          method: 'POST',
          headers: {
            'x-goog-api-key': 'sk-test',
            authorization: 'Bearer sk-test',
            'content-type': 'application/json',
          },
          body: JSON.stringify({ instances: [{ prompt: 'a fox' }] }),
        }),
    }
    const { at } = await submitted(sim, byPublisher as typeof operations)
    expect(await at(0)).toMatchObject({ done: true, error: { code: 9 } })
  })
})

describe('a timeline that breaks the contract', () => {
  it('is shown as written', async () => {
    const timeline = [
      {
        at: 0,
        status: 'RUNNING',
        progressPercent: { from: 0, to: 140, over: '10s' },
        done: 'no',
        metadata: { extra: 1 },
      },
      {
        at: '10s',
        status: 'LOST',
        error: 'boom',
        response: { generatedVideos: 'none' },
        done: true,
        name: 'elsewhere',
      },
      { at: '11s', metadata: null, error: null, response: { generatedVideos: [{ uri: 5 }] } },
    ]
    const { at } = await unfolding(operations, { timeline, offContract: true })
    expect(await at(9000)).toMatchObject({
      done: 'no',
      metadata: { state: 'RUNNING', progressPercent: 126, extra: 1 },
    })
    expect(await at(10_000)).toMatchObject({
      name: 'elsewhere',
      done: true,
      error: 'boom',
      response: { generatedVideos: 'none' },
      metadata: { state: 'LOST', progressPercent: 140 },
    })
    expect(await at(11_000)).toMatchObject({
      metadata: null,
      error: null,
      response: {
        generatedVideos: [
          { uri: 5, mimeType: 'video/mp4', videoBytes: expect.stringMatching(/^[A-Za-z0-9+/]{100,}=*$/) },
        ],
      },
    })
  })

  it.each([
    ['an unknown code', { error: { code: 'BROKEN' } }, /error/],
    ['a state of another kind of job', { status: 'completed' }, /status/],
    ['an invalid URL', { response: { generatedVideos: [{ uri: 'x' }] } }, /uri/],
  ])('without `offContract` is rejected at load: %s', (_, entry, expected) => {
    expect(() => scripted('videoOperations.submit', { timeline: [{ at: 0, ...entry }] })).toThrow(expected)
  })
})
