/** `GET /__sim/media`: what was made, for those who look at a session without a part in it. */
import { describe, expect, it } from 'vitest'
import { createSimulator, type Simulator } from '../../src/index.ts'
import { bodyOf, jsonCall } from '../_setup.ts'
import { png } from '../endpoints/images/_images.ts'

const media = (sim: Simulator, path: string, session = '') =>
  sim.fetch(`${session}/__sim/media?path=${encodeURIComponent(path)}`)
const journal = async (sim: Simulator): Promise<unknown> =>
  (await bodyOf(sim.fetch('/__sim/journal')))['entries']
const video = async (sim: Simulator): Promise<string> =>
  String((await bodyOf(sim.fetch('/v1/videos', jsonCall({ model: 'sora-2', prompt: 'a fox' }))))['id'])

/** A session with a complete video and an image; always the same. */
async function withMedia(): Promise<{ readonly sim: Simulator; readonly paths: readonly string[] }> {
  const sim = createSimulator({ clock: 'manual' })
  const id = await video(sim)
  sim.clock.advance('10m')
  const { data } = (await bodyOf(
    sim.fetch('/v1/images/generations', jsonCall({ model: 'dall-e-3', prompt: 'a boat' })),
  )) as unknown as { readonly data: readonly { readonly url: string }[] }
  const content = `/v1/videos/${id}/content`
  return { sim, paths: [content, `${content}?variant=thumbnail`, new URL(data[0]?.url ?? '').pathname] }
}

describe('GET /__sim/media', () => {
  it('sends the bytes that a client gets, and leaves the journal as it was', async () => {
    const { sim, paths } = await withMedia()
    const before = await journal(sim)
    for (const path of paths) {
      const response = await media(sim, path)
      expect(response.status, path).toBe(200)
      const seen = new Uint8Array(await response.arrayBuffer())
      expect(await journal(sim)).toEqual(before)
      const other = await withMedia()
      const client = await other.sim.fetch(path, { headers: { authorization: 'Bearer sk-test' } })
      expect(response.headers.get('content-type')).toBe(client.headers.get('content-type'))
      expect(seen).toEqual(new Uint8Array(await client.arrayBuffer()))
    }
  })

  it('sends the images that a response contains as base64, even those that the journal cuts off', async () => {
    const sim = createSimulator()
    const body = { model: 'gpt-image-1', prompt: 'a boat', n: 2 }
    const { data } = (await bodyOf(sim.fetch('/v1/images/generations', jsonCall(body)))) as unknown as {
      readonly data: readonly { readonly b64_json: string }[]
    }
    await (
      await sim.fetch('/v1/images/generations', jsonCall({ ...body, n: 1, stream: true, partial_images: 2 }))
    ).text()
    const image = (request: number, index: number) =>
      sim.fetch(`/__sim/media?request=${request}&index=${index}`)
    for (const index of [0, 1]) {
      const bytes = await (await image(0, index)).arrayBuffer()
      expect(Buffer.from(bytes).toString('base64')).toBe(data[index]?.b64_json)
    }
    expect((await image(1, 0)).headers.get('content-type')).toBe('image/png')
    expect([(await image(0, 2)).status, (await image(1, 1)).status, (await image(9, 0)).status]).toEqual([
      404, 404, 404,
    ])
  })

  it('keeps images that were made from uploaded files, which hold nothing of the files', async () => {
    const sim = createSimulator()
    const form = new FormData()
    form.set('model', 'gpt-image-1')
    form.set('prompt', 'a boat')
    form.set('image', new Blob([png()], { type: 'image/png' }), 'source.png')
    const headers = { authorization: 'Bearer sk-test' }
    const edit = await sim.fetch('/v1/images/edits', { method: 'POST', headers, body: form })
    const { data } = (await edit.json()) as { data: { b64_json: string }[] }
    const kept = await sim.fetch('/__sim/media?request=0')
    expect([edit.status, kept.status]).toEqual([200, 200])
    expect(Buffer.from(await kept.arrayBuffer()).toString('base64')).toBe(data[0]?.b64_json)
  })

  it('does not move a video that is not complete, not even with the clock mode auto', async () => {
    const sim = createSimulator()
    const id = await video(sim)
    const jobs = async () => bodyOf(sim.fetch('/__sim/jobs'))
    const before = await jobs()
    for (let count = 0; count < 5; count++) {
      const response = await media(sim, `/v1/videos/${id}/content`)
      expect(response.status).toBe(409)
      expect((await bodyOf(response))['detail']).toBe(
        `path: the video ${id} has no content: its status is "pending".`,
      )
    }
    expect(await jobs()).toEqual(before)
  })

  it('rejects other paths and unknown sessions', async () => {
    const sim = createSimulator()
    for (const path of ['/v1/models', '/v1/videos/x', '/__sim/health', '', '//', '/v1/chat/completions'])
      expect((await media(sim, path)).status, path).toBe(404)
    expect((await media(sim, '/v1/videos/x/content')).status).toBe(404)
    expect((await media(sim, '/v1/videos/x/content?variant=film')).status).toBe(400)
    expect((await media(sim, '/media/images/x/0.png')).status).toBe(404)
    expect((await media(sim, '/media/images/x/0.png', '/s/none')).status).toBe(404)
    expect((await sim.fetch('/__sim/media')).status).toBe(400)
  })
})
