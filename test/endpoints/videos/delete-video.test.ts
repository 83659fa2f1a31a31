import { describe, expect, it } from 'vitest'
import { unsuitable, videosSession } from './_videos.ts'

describe('videos.delete answers', () => {
  it('that the video is deleted, and from then on nobody knows it', async () => {
    const { completedId, remove, retrieve, content, list } = videosSession()
    const id = await completedId()
    const { status, body } = await remove(id)
    expect(status).toBe(200)
    expect(body).toEqual({ id, object: 'video.deleted', deleted: true })
    expect((await retrieve(id)).status).toBe(404)
    expect((await content(id)).status).toBe(404)
    expect((await remove(id)).status).toBe(404)
    expect((await list()).body.data).toEqual([])
  })

  it('for a failed video too', async () => {
    const { completedId, remove } = videosSession()
    expect((await remove(await completedId({ prompt: '[sim:fail-at-40]' }))).status).toBe(200)
  })

  it('and leaves a remix of it alone', async () => {
    const { completedId, remix, remove, retrieve } = videosSession()
    const source = await completedId()
    const { id } = (await remix(source)).body
    await remove(source)
    expect((await retrieve(id)).body.remixed_from_video_id).toBe(source)
  })
})

describe('videos.delete rejects', () => {
  it('a video that is not finished', async () => {
    const { newId, remove, retrieve } = videosSession()
    const id = await newId()
    const words = `Only a completed or failed video can be deleted: \`${id}\` is pending (progress: 0).`
    expect(await remove(id)).toEqual(unsuitable(words))
    expect((await retrieve(id)).status).toBe(200)
  })

  it("another key's video", async () => {
    const { completedId, remove, retrieve } = videosSession()
    const id = await completedId(undefined, { key: 'sk-alice' })
    expect((await remove(id, { key: 'sk-bob' })).status).toBe(404)
    expect((await retrieve(id, { key: 'sk-alice' })).status).toBe(200)
  })
})
