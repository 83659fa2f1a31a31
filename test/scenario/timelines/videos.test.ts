/**
 * Timelines of videos, as a client polls through them, and what the rest of the API makes of scripted states.
 */
import { describe, expect, it } from 'vitest'
import { get, post } from '../../_setup.ts'
import { scripted, submitted, unfolding, videos } from './_scripted.ts'

const start = 1_767_225_600
const day = 86_400
const rejected = async (pending: Promise<Response>): Promise<[number, string]> => {
  const response = await pending
  return [response.status, ((await response.json()) as any).error?.message ?? '']
}

describe('a timeline of a video', () => {
  it('shows every field of the video at its time, and derives the rest from the status', async () => {
    const timeline = [
      { at: '0s', status: 'pending' },
      { at: '2s', status: 'in_progress', progress: { from: 0, to: 60, over: '6s' } },
      {
        at: '8s',
        status: 'failed',
        error: { code: 'moderation_blocked', message: 'the prompt was rejected' },
      },
      {
        at: '9s',
        status: 'completed',
        error: null,
        progress: 99,
        completed_at: '2026-01-01T00:00:30Z',
        expires_at: start + 40,
        created_at: start - 1,
        model: 'video-2',
        seconds: '12',
        size: '1280x720',
        remixed_from_video_id: 'video_0',
        id: 'video_other',
      },
      {
        at: '10s',
        reset: [
          'progress',
          'completed_at',
          'expires_at',
          'created_at',
          'model',
          'seconds',
          'size',
          'remixed_from_video_id',
          'id',
        ],
      },
    ]
    const { first, at } = await unfolding(videos, { timeline })
    const { id } = first
    const base = {
      id,
      object: 'video',
      created_at: start,
      model: 'video-1',
      seconds: '4',
      size: '720x1280',
      error: null,
    }
    const unset = { completed_at: null, expires_at: null, remixed_from_video_id: null }
    expect(first).toEqual({ ...base, status: 'pending', progress: 0 })
    expect(await at(5000)).toEqual({ ...base, ...unset, status: 'in_progress', progress: 30 })
    expect(await at(8000)).toEqual({
      ...base,
      ...unset,
      status: 'failed',
      progress: 60,
      error: {
        code: 'moderation_blocked',
        message: 'the prompt was rejected',
        type: 'video_generation_user_error',
      },
    })
    expect(await at(9000)).toEqual({
      ...base,
      id: 'video_other',
      created_at: start - 1,
      model: 'video-2',
      seconds: '12',
      size: '1280x720',
      status: 'completed',
      progress: 99,
      completed_at: start + 30,
      expires_at: start + 40,
      remixed_from_video_id: 'video_0',
    })
    expect(await at(10_000)).toEqual({
      ...base,
      status: 'completed',
      progress: 100,
      completed_at: start + 9,
      expires_at: start + 9 + day,
      remixed_from_video_id: null,
    })
  })

  it('of a failure without a message has the default message', async () => {
    expect((await unfolding(videos, { timeline: [{ at: 0, status: 'failed' }] })).first).toMatchObject({
      progress: 0,
      error: {
        code: 'video_generation_failed',
        message: 'The video could not be generated.',
        type: 'server_error',
      },
    })
  })

  it('of a remix starts at the remix', async () => {
    const sim = scripted('videos.remix', {
      timeline: [
        { at: 0, status: 'in_progress', progress: 5 },
        { at: '3s', status: 'failed', error: { code: 'x', message: 'y' } },
      ],
    })
    const source = (await submitted(sim, videos)).first
    sim.clock.advance('60s')
    const remix = (await (
      await post(sim, `/v1/videos/${source.id}/remix`, { prompt: 'at night' })
    ).json()) as any
    expect(remix).toMatchObject({ status: 'in_progress', progress: 5, remixed_from_video_id: source.id })
    sim.clock.advance('3s')
    expect(await (await videos.poll(sim, remix)).json()).toMatchObject({
      status: 'failed',
      error: { code: 'x' },
    })
  })
})

describe('a timeline that breaks the contract', () => {
  it('is shown as written', async () => {
    const timeline = [
      { at: 0, status: 'pending', progress: { from: 0, to: 140, over: '10s' } },
      {
        at: '10s',
        status: 'exploded',
        error: 'boom',
        completed_at: 'yesterday',
        expires_at: -1,
        seconds: 4,
        size: '1x1',
        object: 'film',
        model: null,
      },
    ]
    const { first, at } = await unfolding(videos, { timeline, offContract: true })
    expect(first).toMatchObject({ status: 'pending', progress: 0 })
    expect((await at(9000)).progress).toBe(126)
    expect(await at(10_000)).toMatchObject({
      status: 'exploded',
      progress: 140,
      error: 'boom',
      completed_at: 'yesterday',
      expires_at: -1,
      seconds: 4,
      size: '1x1',
      object: 'film',
      model: null,
    })
  })

  it('also applies to lists, and does not break follow-up requests', async () => {
    const { sim, first } = await unfolding(videos, {
      timeline: [
        {
          at: 0,
          status: 'completed',
          progress: -3,
          size: '1x1',
          seconds: 'x',
          model: 5,
          expires_at: 'never',
        },
        { at: '1s', status: 'failed', error: 'boom' },
      ],
      offContract: true,
    })
    expect(((await (await get(sim, '/v1/videos')).json()) as any).data).toMatchObject([
      { progress: -3, size: '1x1', seconds: 'x', model: 5 },
    ])
    expect((await get(sim, `/v1/videos/${first.id}/content`)).status).toBe(200)
    expect(
      (await (await post(sim, `/v1/videos/${first.id}/remix`, { prompt: 'x' })).json()) as any,
    ).toMatchObject({ model: 'video-1', size: '720x1280', seconds: '4' })
    sim.clock.advance('1s')
    expect(await rejected(get(sim, `/v1/videos/${first.id}/content`))).toEqual([
      400,
      `The video \`${first.id}\` has no content because it failed.`,
    ])
  })

  it.each([
    ['progress 140', { progress: 140 }, /progress/],
    ['a ramp beyond the maximum', { progress: { from: 0, to: 140, over: '1s' } }, /progress/],
    ['a status of another kind of job', { status: 'succeeded' }, /status/],
    ['an unknown size', { size: '1x1' }, /size/],
    ['a time without a zone', { expires_at: '2026-01-01T00:00:00' }, /expires_at/],
  ])('without `offContract` is rejected at load: %s', (_, entry, expected) => {
    expect(() => scripted('videos.create', { timeline: [{ at: 0, ...entry }] })).toThrow(expected)
  })
})

describe('a video with a scripted state', () => {
  const made = async (timeline: object[]) => {
    const sim = scripted('videos.create', { timeline })
    return { sim, id: (await submitted(sim, videos)).first.id as string }
  }

  it('has no content once it is notFound', async () => {
    const { sim, id } = await made([
      { at: 0, status: 'completed' },
      { at: '1s', notFound: true },
    ])
    expect((await get(sim, `/v1/videos/${id}/content`)).status).toBe(200)
    sim.clock.advance('1s')
    expect(await rejected(get(sim, `/v1/videos/${id}/content`))).toEqual([
      404,
      expect.stringContaining('removed it at 2026-01-01T00:00:01.000Z'),
    ])
    expect(((await (await get(sim, '/v1/videos')).json()) as any).data).toEqual([])
  })

  it('has no content after its `expires_at`, and never expires if that is null', async () => {
    const { sim, id } = await made([
      { at: 0, status: 'completed', expires_at: start + 5 },
      { at: '1h', expires_at: null },
    ])
    sim.clock.advance(4999)
    expect((await get(sim, `/v1/videos/${id}/content`)).status).toBe(200)
    sim.clock.advance(1)
    expect(await rejected(get(sim, `/v1/videos/${id}/content`))).toEqual([
      404,
      expect.stringContaining('expired at 2026-01-01T00:00:05.000Z'),
    ])
    sim.clock.advance('300d')
    expect((await get(sim, `/v1/videos/${id}/content`)).status).toBe(200)
  })

  it('has no content after it has gone back', async () => {
    const { sim, id } = await made([
      { at: 0, status: 'completed' },
      { at: '1s', status: 'in_progress', progress: 40 },
    ])
    sim.clock.advance('1s')
    expect(await rejected(get(sim, `/v1/videos/${id}/content`))).toEqual([
      400,
      expect.stringContaining('its status is in_progress (progress: 40)'),
    ])
    expect(await rejected(post(sim, `/v1/videos/${id}/remix`, { prompt: 'x' }))).toEqual([
      400,
      expect.stringContaining('Only a completed video can be remixed'),
    ])
  })

  it('has its stated size and length, also in its thumbnail and its remixes', async () => {
    const { sim, id } = await made([{ at: 0, status: 'completed', size: '1792x1024', seconds: '12' }])
    const sprites = new Uint8Array(
      await (await get(sim, `/v1/videos/${id}/content?variant=thumbnail`)).arrayBuffer(),
    )
    const { default: sharp } = await import('sharp')
    expect(await sharp(sprites).metadata()).toMatchObject({ width: 1792, height: 1024 })
    expect((await (await post(sim, `/v1/videos/${id}/remix`, { prompt: 'x' })).json()) as any).toMatchObject({
      size: '1792x1024',
      seconds: '12',
    })
  })
})
