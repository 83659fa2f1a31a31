/** videoOperations.retrieve: GET /v1beta/projects/…/operations/{operation_id}. */
import { describe, expect, it } from 'vitest'
import { get, simulator } from '../../_setup.ts'
import { body, poll, rejectionOf, submit } from './_operations.ts'

describe('videoOperations.retrieve rejects', () => {
  it.each([
    ['project_id', /projects\/[^/]+/, 'projects/other'],
    ['location', /locations\/[^/]+/, 'locations/other'],
    ['publisher', /publishers\/[^/]+/, 'publishers/other'],
    ['model', /models\/[^/]+/, 'models/other'],
  ])('a path with another %s', async (_, part, other) => {
    const sim = simulator()
    const name = await submit(sim)
    expect(await rejectionOf(await get(sim, `/v1beta/${name.replace(part, other)}`))).toMatchObject({
      status: 404,
      error: {
        param: 'operation_id',
        message: expect.stringContaining(`got ${name.replace(part, other)}`) as string,
      },
    })
  })
})

describe('videoOperations.retrieve answers', () => {
  it('the whole operation: while it runs, when it has failed, when it is done', async () => {
    const sim = simulator()
    const [name, failing] = [await submit(sim), await submit(sim, body('[sim:fail-at-40] a fox'))]
    const metadata = {
      '@type': 'type.googleapis.com/google.cloud.aiplatform.v1.PredictLongRunningMetadata',
      createTime: '2026-01-01T00:00:00.000Z',
    }
    expect(await poll(sim, name)).toEqual({
      name,
      done: false,
      metadata: { ...metadata, state: 'PENDING', updateTime: '2026-01-01T00:00:00.000Z', progressPercent: 0 },
    })
    sim.clock.advance('1h')
    expect(await poll(sim, failing)).toEqual({
      name: failing,
      done: true,
      metadata: { ...metadata, state: 'FAILED', updateTime: '2026-01-01T00:00:24.000Z', progressPercent: 40 },
      error: { code: 13, message: 'The video could not be generated.', details: [] },
    })
    const uri = `http://gateway.test/v1beta/files/${name.slice(-36).replaceAll('-', '')}0:download?alt=media`
    const bytes = expect.stringMatching(/^[A-Za-z0-9+/]+=*$/) as string
    expect(await poll(sim, name)).toEqual({
      name,
      done: true,
      metadata: {
        ...metadata,
        state: 'SUCCEEDED',
        updateTime: '2026-01-01T00:01:00.000Z',
        progressPercent: 100,
      },
      response: {
        generatedVideos: [
          { uri, videoBytes: bytes, mimeType: 'video/mp4', createTime: '2026-01-01T00:01:00.000Z' },
        ],
        generateVideoResponse: {
          generatedSamples: [{ video: { uri, encodedVideo: bytes, encoding: 'video/mp4' } }],
        },
      },
    })
  })
})

describe('videoOperations.retrieve unfolds', () => {
  it('sends the same videos in both dialects, with bytes and an address that needs no key', async () => {
    const sim = simulator()
    const name = await submit(sim, body('a fox', { sampleCount: 2, durationSeconds: 4, aspectRatio: '9:16' }))
    sim.clock.advance('1h')
    const { response, error } = await poll(sim, name)
    expect(error).toBeUndefined()
    const videos = response?.generatedVideos ?? []
    expect(videos.map(({ mimeType, createTime }) => [mimeType, createTime])).toEqual([
      ['video/mp4', '2026-01-01T00:01:00.000Z'],
      ['video/mp4', '2026-01-01T00:01:00.000Z'],
    ])
    const expected = videos.map(({ uri, videoBytes }) => [uri, videoBytes])
    const samples = response?.generateVideoResponse.generatedSamples
    expect(samples?.map(({ video }) => [video.uri, video.encodedVideo])).toEqual(expected)
    const bytes = videos.map(({ videoBytes }) => Buffer.from(videoBytes, 'base64'))
    expect(bytes[0]?.equals(bytes[1] as Buffer)).toBe(false)
    const read = await sim.fetch(`${videos[1]?.uri}&key=whatever`)
    expect([read.status, read.headers.get('content-type')]).toEqual([200, 'video/mp4'])
    expect(Buffer.from(await read.arrayBuffer()).equals(bytes[1] as Buffer)).toBe(true)
  })
})
