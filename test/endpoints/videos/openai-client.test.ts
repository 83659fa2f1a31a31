import OpenAI, { toFile } from 'openai'
import { describe, expect, it } from 'vitest'
import { simulator } from '../../_setup.ts'
import { picture, start } from './_videos.ts'

function clientOf(sim: ReturnType<typeof simulator>): OpenAI {
  return new OpenAI({ apiKey: 'sk-test', baseURL: 'http://gateway.test/v1', fetch: sim.fetch as typeof fetch, maxRetries: 0 })
}

describe('the openai package', () => {
  it('creates a video from a file, polls it, downloads it, remixes it, lists both and deletes one', async () => {
    const client = clientOf(simulator({ clock: 'auto' }))
    const created = await client.videos.create({ model: 'sora-2', prompt: 'a fox in the snow', seconds: '8', size: '1280x720', input_reference: await toFile(picture(), 'fox.png', { type: 'image/png' }) })
    expect(created).toMatchObject({ object: 'video', status: 'pending', progress: 0, seconds: '8', size: '1280x720', model: 'sora-2', created_at: start })

    const seen: string[] = []
    let video = await client.videos.retrieve(created.id)
    for (; video.status !== 'completed'; video = await client.videos.retrieve(created.id)) seen.push(`${video.status} ${video.progress}`)
    expect(seen).toEqual(['pending 0', 'in_progress 10', 'in_progress 25', 'in_progress 50', 'in_progress 75'])
    expect(video).toMatchObject({ progress: 100, completed_at: start + 60, error: null, remixed_from_video_id: null })

    const film = await client.videos.downloadContent(created.id)
    expect(film.headers.get('content-type')).toBe('video/mp4')
    const bytes = new Uint8Array(await film.arrayBuffer())
    expect(new TextDecoder('latin1').decode(bytes.subarray(4, 8))).toBe('ftyp')
    const thumbnail = await client.videos.downloadContent(created.id, { variant: 'thumbnail' })
    expect(thumbnail.headers.get('content-type')).toBe('image/png')

    const remix = await client.videos.remix(created.id, { prompt: 'the same at night' })
    expect(remix).toMatchObject({ status: 'pending', remixed_from_video_id: created.id, seconds: '8', size: '1280x720', model: 'sora-2' })

    const listed: string[] = []
    for await (const item of client.videos.list({ limit: 1, order: 'asc' })) listed.push(item.id)
    expect(listed).toEqual([created.id, remix.id])

    expect(await client.videos.delete(created.id)).toEqual({ id: created.id, object: 'video.deleted', deleted: true })
    await expect(client.videos.retrieve(created.id)).rejects.toMatchObject({ name: 'Error', status: 404, type: 'not_found_error', param: 'video_id' })
  })

  it('sends an image_url reference as parts of a form', async () => {
    const client = clientOf(simulator())
    expect(await client.videos.create({ prompt: 'a fox', input_reference: { image_url: 'https://pictures.test/fox.png' } })).toMatchObject({ status: 'pending' })
  })

  it('throws its own error classes, with the message that says what to change', async () => {
    const client = clientOf(simulator())
    const { id } = await client.videos.create({ prompt: 'a fox' })
    const early = client.videos.downloadContent(id)
    await expect(early).rejects.toBeInstanceOf(OpenAI.BadRequestError)
    await expect(early).rejects.toThrow('its status is pending, its progress 0')
    await expect(client.videos.create({ prompt: '' })).rejects.toThrow('`prompt`: expected at least 1 character(s), got an empty string')
    await expect(client.videos.retrieve('video_nope')).rejects.toBeInstanceOf(OpenAI.NotFoundError)
  })
})
