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
