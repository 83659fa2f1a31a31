import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { start } from '../_openai-family.ts'
import { anotherKeys, pendingVideo, unsuitable, videosSession } from './_videos.ts'

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

describe('videos.remix answers', () => {
  it("a new pending video with the source's model, seconds and size, and names the source", async () => {
    const { completedId, remix } = videosSession()
    const source = await completedId({ model: 'video-1', prompt: 'a fox', seconds: '8', size: '1280x720' })
    const { status, body } = await remix(source, { prompt: 'now at night' })
    expect(status).toBe(200)
    const like = { seconds: '8', size: '1280x720', created_at: start + 60, remixed_from_video_id: source }
    expect(body).toEqual(pendingVideo(like))
    expect(body.id).not.toBe(source)
  })

  it('with the model that it names', async () => {
    const { completedId, remix } = videosSession()
    expect((await remix(await completedId(), { model: 'video-2', prompt: 'at night' })).body.model).toBe(
      'video-2',
    )
  })

  it('a video that can itself be polled, downloaded and remixed', async () => {
    const { sim, completedId, remix, retrieve, content } = videosSession()
    const source = await completedId()
    const first = (await remix(source)).body.id
    sim.clock.advance('60s')
    expect((await retrieve(first)).body).toMatchObject({
      status: 'completed',
      completed_at: start + 120,
      remixed_from_video_id: source,
    })
    const [a, b] = [await content(source), await content(first)]
    expect(b.status).toBe(200)
    expect(sha256(b.body)).not.toBe(sha256(a.body))
    expect((await remix(first)).body.remixed_from_video_id).toBe(first)
  })
})

describe('videos.remix rejects', () => {
  const onlyCompleted = (id: string, status: string, progress: number) =>
    unsuitable(`Only a completed video can be remixed: \`${id}\` is ${status} (progress: ${progress}).`)

  it('a source that is not completed', async () => {
    const { sim, newId, remix } = videosSession()
    const id = await newId()
    sim.clock.advance('15s')
    expect(await remix(id)).toEqual(onlyCompleted(id, 'in_progress', 25))
  })

  it('a source that failed', async () => {
    const { completedId, remix } = videosSession()
    const id = await completedId({ prompt: '[sim:fail-at-40]' })
    expect(await remix(id)).toEqual(onlyCompleted(id, 'failed', 40))
  })

  it('a source of another key, and one that nobody made', async () => {
    const { completedId, remix } = videosSession()
    const id = await completedId(undefined, { key: 'sk-alice' })
    expect(await remix(id, undefined, { key: 'sk-bob' })).toEqual(anotherKeys(id))
    expect((await remix('video_nope')).status).toBe(404)
  })
})
