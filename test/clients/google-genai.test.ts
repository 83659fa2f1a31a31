/** @google/genai 2 in Gemini-API mode, unmodified: submits, polls and downloads a video over HTTP (it takes no `fetch`). */
import { ApiError, GoogleGenAI } from '@google/genai'
import { expect, it, onTestFinished } from 'vitest'
import { listen } from '../../src/transports/node.ts'
import { simulator } from '../_setup.ts'

async function connect(apiKey = 'k'): Promise<GoogleGenAI> {
  const listening = await listen(simulator({ clock: 'auto' }))
  onTestFinished(() => listening.close())
  return new GoogleGenAI({ apiKey, httpOptions: { baseUrl: listening.url } })
}

it('generateVideos to completion, without any clock code, and the bytes of the video', async () => {
  const client = await connect()
  let operation = await client.models.generateVideos({ model: 'veo-3.0-generate-001', source: { prompt: 'a fox in the snow' }, config: { numberOfVideos: 2, durationSeconds: 4, aspectRatio: '16:9' } })
  expect(operation.name).toMatch(/^projects\/.*\/models\/veo-3\.0-generate-001\/operations\//)
  let polls = 0
  while (operation.done !== true && polls++ < 10) operation = await client.operations.getVideosOperation({ operation })
  const videos = operation.response?.generatedVideos ?? []
  expect(videos.length).toBe(2)
  expect(videos[0]?.video?.mimeType).toBe('video/mp4')
  expect(Buffer.from(videos[0]?.video?.videoBytes ?? '', 'base64').toString('latin1', 4, 8)).toBe('ftyp')
  const response = await fetch(videos[0]?.video?.uri ?? '')
  expect(response.status).toBe(200)
  expect(Buffer.from(await response.arrayBuffer()).toString('base64')).toBe(videos[0]?.video?.videoBytes)
})

it('a failure arrives in the operation', async () => {
  const client = await connect()
  let operation = await client.models.generateVideos({ model: 'veo-3.0-generate-001', source: { prompt: '[sim:fail-at-50] a fox' } })
  let polls = 0
  while (operation.done !== true && polls++ < 10) operation = await client.operations.getVideosOperation({ operation })
  expect(operation.error).toMatchObject({ code: 13, message: 'The video could not be generated.' })
})

it('refusals are ApiErrors with the status and our message', async () => {
  const client = await connect('my-invalid-key')
  const refused = client.models.generateVideos({ model: 'veo-3.0-generate-001', source: { prompt: 'x' } })
  await expect(refused).rejects.toThrow(ApiError)
  await expect(refused).rejects.toMatchObject({ status: 401, message: expect.stringContaining('the key contains the reserved word') as string })
})
