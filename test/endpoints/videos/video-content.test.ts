import { describe, expect, it } from 'vitest'
import { answered, invalid } from '../_openai-family.ts'
import { readVideoFacts } from '../_video-file.ts'
import { anotherKeys, missing, unsuitable, videosSession } from './_videos.ts'

describe('videos.content answers', () => {
  it.each([
    ['720x1280', '4', [720, 1280, 4]],
    ['1280x720', '8', [1280, 720, 8]],
    ['1024x1792', '12', [1024, 1792, 12]],
    ['1792x1024', '4', [1792, 1024, 4]],
  ])('a film of %s that lasts %s s, as the video was ordered', async (size, seconds, facts) => {
    const { completedId, content } = videosSession()
    expect(
      readVideoFacts((await content(await completedId({ prompt: 'a fox', size, seconds }))).body),
    ).toEqual(facts)
  })

  it('whatever the client says that it accepts', async () => {
    const { completedId, content } = videosSession()
    expect(
      (await content(await completedId(), '', { headers: { accept: 'application/binary' } })).status,
    ).toBe(200)
  })

  it('the film when the variant says so', async () => {
    const { completedId, content } = videosSession()
    expect((await content(await completedId(), '?variant=video')).headers.get('content-type')).toBe(
      'video/mp4',
    )
  })
})

describe('videos.content unfolds', () => {
  it('until the very time of its expiry', async () => {
    const { sim, completedId, content } = videosSession()
    const id = await completedId()
    sim.clock.advance('23h59m59s999ms')
    expect((await content(id)).status).toBe(200)
    sim.clock.advance('1ms')
    expect(await content(id)).toEqual(
      missing(
        `The content of the video \`${id}\` expired at 2026-01-02T00:01:00.000Z, and the current ` +
          'time is 2026-01-02T00:01:00.000Z: download within 1d of completion.',
      ),
    )
  })

  it('in auto, for a client that only tries until the file is there', async () => {
    const { newId, content } = videosSession({ clock: 'auto' })
    const id = await newId()
    const statuses: number[] = []
    for (let i = 0; i < 7; i++) statuses.push((await content(id)).status)
    expect(statuses).toEqual([400, 400, 400, 400, 400, 200, 200])
  })
})

describe('videos.content rejects', () => {
  it('an uncompleted video, with its status and progress, and a status that no client retries', async () => {
    const { sim, newId, content } = videosSession()
    const id = await newId()
    const rejected = (state: string) =>
      unsuitable(
        `The video \`${id}\` has no content yet: its status is ${state}. Poll GET /v1/videos/${id} ` +
          `until the ` +
          'status is completed.',
      )
    expect(await content(id)).toEqual(rejected('pending (progress: 0)'))
    sim.clock.advance('30s')
    expect(await content(id)).toEqual(rejected('in_progress (progress: 50)'))
  })

  it('a failed video, with its failure', async () => {
    const { completedId, content } = videosSession()
    const id = await completedId({ prompt: 'a [sim:fail-at-40]' })
    expect(await content(id)).toEqual(
      unsuitable(
        `The video \`${id}\` has no content because it failed: video_generation_failed, The video could ` +
          `not be ` +
          'generated.',
      ),
    )
  })

  it('a variant that nobody has', async () => {
    const { completedId, content } = videosSession()
    expect(await content(await completedId(), '?variant=gif')).toEqual(
      answered(400, invalid('variant', 'expected "video", got "gif"')),
    )
  })

  it("an unknown video, another key's, and one that has vanished", async () => {
    const { completedId, content } = videosSession()
    const id = await completedId(undefined, { key: 'sk-alice' })
    expect(await content('video_nope')).toMatchObject({
      status: 404,
      body: { error: { type: 'not_found_error', param: 'video_id' } },
    })
    expect(await content(id, '', { key: 'sk-bob' })).toEqual(anotherKeys(id))
    const vanished = await completedId({ prompt: '[sim:not-found-at-50]' })
    expect(await content(vanished)).toMatchObject({
      status: 404,
      body: { error: { message: expect.stringContaining('no longer exists') } },
    })
  })
})
