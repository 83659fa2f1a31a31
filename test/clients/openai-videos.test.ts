/** The openai package, videos: submitted, polled, downloaded, remixed, listed, failed. */

import { encode } from 'fast-png'
import type OpenAI from 'openai'
import { toFile } from 'openai'
import { describe, expect, it } from 'vitest'
import type { Simulator } from '../../src/index.ts'
import { type Integration, simulator } from '../_setup.ts'
import { clientIntegrations, mswIntegration } from './_integrations.ts'
import { openaiVia } from './_openai.ts'

const start = 1_767_225_600
const image = (): Promise<File> =>
  toFile(encode({ width: 2, height: 2, channels: 3, data: new Uint8Array(12) }), 'fox.png', {
    type: 'image/png',
  }) as Promise<File>

/** A client, and what it takes to look at it from outside. */
async function opened(integration: Integration, sim: Simulator) {
  const client = await openaiVia(integration, sim)
  const look = (path: string, headers: Record<string, string> = {}): Promise<Response> => {
    const init = { headers: { authorization: 'Bearer sk-test', ...headers } }
    return integration.name === 'fetch'
      ? sim.fetch(client.baseURL + path, init)
      : fetch(client.baseURL + path, init)
  }
  return { client, look }
}

/** Polls as everybody's first loop does; the simulator has to bring it to an end. */
async function pollToEnd(client: OpenAI, id: string): Promise<{ seen: string[]; video: OpenAI.Video }> {
  const seen: string[] = []
  for (;;) {
    const video = await client.videos.retrieve(id)
    seen.push(`${video.status} ${video.progress}`)
    if (video.status === 'completed' || video.status === 'failed') return { seen, video }
  }
}

for (const integration of [...clientIntegrations, mswIntegration]) {
  describe(`openai videos, through ${integration.name}`, () => {
    it('creates one from a file and polls it to its end, without a word about clocks', async () => {
      const { client } = await opened(integration, simulator({ clock: 'auto' }))
      const created = await client.videos.create({
        model: 'sora-2',
        prompt: 'a fox in the snow',
        seconds: '8',
        size: '1280x720',
        input_reference: await image(),
      })
      expect(created).toEqual({
        id: expect.stringMatching(/^video_[0-9a-f]{32}$/),
        object: 'video',
        created_at: start,
        model: 'sora-2',
        status: 'pending',
        progress: 0,
        seconds: '8',
        size: '1280x720',
        error: null,
      })
      const { seen, video } = await pollToEnd(client, created.id)
      expect(seen).toEqual([
        'pending 0',
        'in_progress 10',
        'in_progress 25',
        'in_progress 50',
        'in_progress 75',
        'completed 100',
      ])
      expect(video).toEqual({
        ...created,
        status: 'completed',
        progress: 100,
        completed_at: start + 60,
        expires_at: start + 60 + 24 * 3600,
        remixed_from_video_id: null,
      })
    })

    it('downloads the film', async () => {
      const { client, look } = await opened(integration, simulator({ clock: 'auto' }))
      const { id } = await client.videos.create({ model: 'sora-2', prompt: 'a fox' })
      await pollToEnd(client, id)
      const film = await client.videos.downloadContent(id)
      const bytes = Buffer.from(await film.arrayBuffer())
      expect(film.headers.get('content-type')).toBe('video/mp4')
      expect(film.headers.get('content-length')).toBe(String(bytes.length))
      expect(bytes.subarray(4, 8).toString()).toBe('ftyp')

      const part = await look(`/videos/${id}/content`, { range: 'bytes=4-7' })
      expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([
        206,
        `bytes 4-7/${bytes.length}`,
        'ftyp',
      ])
      expect(
        (await look(`/videos/${id}/content`, { 'if-none-match': film.headers.get('etag') ?? '' })).status,
      ).toBe(304)
    })
  })
}

for (const integration of clientIntegrations) {
  describe(`openai videos, the rest of their life, through ${integration.name}`, () => {
    it('creates one from the address of an image, which the package writes as a part of a form', async () => {
      const { client } = await opened(integration, simulator({ clock: 'auto' }))
      expect(
        await client.videos.create({
          prompt: 'a fox',
          input_reference: { image_url: 'https://images.test/fox.png' },
        }),
      ).toMatchObject({ object: 'video', status: 'pending', progress: 0 })
    })

    it('lists by pages, turned by the package itself, in both orders', async () => {
      const { client } = await opened(integration, simulator({ clock: 'auto' }))
      const ids: string[] = []
      for (const name of ['one', 'two', 'three', 'four', 'five'])
        ids.push((await client.videos.create({ prompt: name })).id)
      const first = await client.videos.list({ limit: 2, order: 'asc' })
      expect([first.data.map(({ id }) => id), first.hasNextPage()]).toEqual([ids.slice(0, 2), true])
      const listed: string[] = []
      for await (const { id } of client.videos.list({ limit: 2, order: 'asc' })) listed.push(id)
      expect(listed).toEqual(ids)
      const newest: string[] = []
      for await (const { id } of client.videos.list({ limit: 2 })) newest.push(id)
      expect(newest).toEqual(ids.toReversed())
    })
  })
}
