/** @google/genai 2 in Gemini-API mode, unmodified: submits, polls and downloads videos. */

import { mkdtempSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ApiError, type GenerateVideosOperation, GoogleGenAI, type HttpOptions } from '@google/genai'
import { setupServer } from 'msw/node'
import { describe, expect, it, onTestFinished } from 'vitest'
import { handlers } from '../../src/msw.ts'
import { listen } from '../../src/node.ts'
import { type Integration, integrations, simulator } from '../_setup.ts'

type Sim = ReturnType<typeof simulator>

const expressIntegration = integrations.find(({ name }) => name === 'Express') as Integration

/** How the client is led to a simulator: what its options say beside the key. */
const ways: readonly {
  readonly name: string
  lead(sim: Sim): Promise<{ readonly httpOptions?: HttpOptions }>
}[] = [
  {
    name: 'its `fetch`',
    lead: async (sim) => ({ httpOptions: { baseUrl: 'http://gateway.test', fetch: sim.fetch } }),
  },
  {
    name: 'its `fetch`, at an https address',
    lead: async (sim) => ({ httpOptions: { baseUrl: 'https://gateway.test', fetch: sim.fetch } }),
  },
  {
    name: 'HTTP',
    async lead(sim) {
      const listening = await listen(sim)
      onTestFinished(() => listening.close())
      return { httpOptions: { baseUrl: listening.url } }
    },
  },
  {
    name: 'HTTP, in a session of the address',
    async lead(sim) {
      const listening = await listen(sim)
      onTestFinished(() => listening.close())
      return { httpOptions: { baseUrl: `${listening.url}/s/other` } }
    },
  },
  {
    name: 'Express, below a path',
    lead: async (sim) => ({ httpOptions: { baseUrl: (await expressIntegration.open(sim)).url } }),
  },
  {
    name: 'msw, at its own address',
    async lead(sim) {
      const server = setupServer(...handlers(sim, { origins: ['https://generativelanguage.googleapis.com'] }))
      server.listen({ onUnhandledRequest: 'error' })
      onTestFinished(() => server.close())
      return {}
    },
  },
]

async function finished(
  client: GoogleGenAI,
  prompt: string,
  numberOfVideos = 1,
): Promise<GenerateVideosOperation> {
  let operation = await client.models.generateVideos({
    model: 'veo-3.0-generate-001',
    source: { prompt },
    config: { numberOfVideos, durationSeconds: 4, aspectRatio: '16:9' },
  })
  let polls = 0
  while (operation.done !== true && polls++ < 10)
    operation = await client.operations.getVideosOperation({ operation })
  return operation
}

describe.each(ways)('through $name', ({ lead }) => {
  const connect = async (apiKey = 'k'): Promise<GoogleGenAI> =>
    new GoogleGenAI({ apiKey, ...(await lead(simulator({ clock: 'auto' }))) })

  it('generateVideos to completion, without any clock code, and files.download of each video', async () => {
    const client = await connect()
    const operation = await finished(client, 'a fox in the snow', 2)
    expect(operation.name).toMatch(/^projects\/.*\/models\/veo-3\.0-generate-001\/operations\//)
    const videos = operation.response?.generatedVideos ?? []
    expect(videos.map(({ video }) => video?.mimeType)).toEqual(['video/mp4', 'video/mp4'])
    expect(videos[0]?.video?.videoBytes).not.toBe(videos[1]?.video?.videoBytes)

    const folder = mkdtempSync(join(tmpdir(), 'gateway-sim-genai-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const saved = async (file: Parameters<typeof client.files.download>[0]['file']): Promise<string> => {
      const downloadPath = join(folder, 'film.mp4')
      await client.files.download({ file, downloadPath })
      return await readFile(downloadPath, 'base64')
    }
    for (const generated of videos) {
      const { video = {} } = generated
      expect(Buffer.from(video.videoBytes ?? '', 'base64').toString('latin1', 4, 8)).toBe('ftyp')
      // All that its documentation hands over: the generated video, the video in it, its address, and its
      // name.
      for (const file of [
        generated,
        video,
        video.uri ?? '',
        /files\/[a-z0-9]+/.exec(video.uri ?? '')?.[0] ?? '',
      ])
        expect((await saved(file)) === video.videoBytes, JSON.stringify(file).slice(0, 80)).toBe(true)
    }
  })

  it('a failure arrives in the operation', async () => {
    expect((await finished(await connect(), '[sim:fail-at-50] a fox')).error).toMatchObject({
      code: 13,
      message: 'The video could not be generated.',
    })
  })

  it('rejections are ApiErrors with the status and our message', async () => {
    const rejected = finished(await connect('my-invalid-key'), 'x')
    await expect(rejected).rejects.toThrow(ApiError)
    await expect(rejected).rejects.toMatchObject({
      status: 401,
      message: expect.stringContaining('the key contains the reserved word') as string,
    })
  })
})
