/**
 * Stories of scenarios/ about what lives over time, as the SDKs poll it: failures, expiry, operations that
 * end with an error.
 */
import { GenerateVideosOperation, GoogleGenAI } from '@google/genai'
import OpenAI from 'openai'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Simulator } from '../../src/index.ts'
import { listen } from '../../src/node.ts'
import { clientIntegrations, refusalOf } from './_integrations.ts'
import { openaiVia } from './_openai.ts'
import { playing } from './_scenarios.ts'

/** Polls as everybody's first loop does: until there is an end, whichever. */
async function pollToEnd(client: OpenAI, id: string): Promise<{ seen: string[]; video: OpenAI.Video }> {
  const seen: string[] = []
  for (;;) {
    const video = await client.videos.retrieve(id)
    seen.push(`${video.status} ${video.progress}`)
    if (video.status === 'completed' || video.status === 'failed') return { seen, video }
  }
}

describe.each(clientIntegrations)('openai, through $name', (integration) => {
  it('video-fails-at-60-percent: the loop ends with the failure, and only the second video fails', async () => {
    const client = await openaiVia(integration, playing('video-fails-at-60-percent'))
    const first = await client.videos.create({ prompt: 'a calm sea' })
    const second = await client.videos.create({ prompt: 'a wild sea' })
    const { seen, video } = await pollToEnd(client, second.id)
    expect(seen[0]).toBe('pending 0')
    expect(seen.at(-1)).toBe('failed 60')
    expect(seen.slice(1, -1).length).toBeGreaterThan(0)
    expect(seen.slice(1, -1).every((state) => state.startsWith('in_progress '))).toBe(true)
    expect(video.error).toMatchObject({ code: 'server_error', message: 'The video could not be rendered.' })
    expect(await refusalOf(client.videos.downloadContent(second.id))).toMatchObject({
      status: 400,
      message: expect.stringContaining('failed'),
    })
    expect((await pollToEnd(client, first.id)).video.status).toBe('completed')
  })

  it('video-falls-back: a loop that waits for an end survives a step back', async () => {
    const client = await openaiVia(integration, playing('video-falls-back'))
    const { id } = await client.videos.create({ prompt: 'a marathon' })
    const { seen } = await pollToEnd(client, id)
    const states = seen
      .map((state) => state.split(' ')[0])
      .filter((state, index, all) => state !== all[index - 1])
    expect(states).toEqual(['pending', 'in_progress', 'pending', 'in_progress', 'completed'])
  })

  it('video-content-expires: the content is a NotFoundError a day later, the object is not', async () => {
    const sim = playing('video-content-expires', { clock: 'manual' })
    const client = await openaiVia(integration, sim, { apiKey: 'sk-scenario' })
    const film = await client.videos.downloadContent('video_yesterday')
    expect((await film.arrayBuffer()).byteLength).toBeGreaterThan(1000)
    sim.clock.advance('25h')
    const error = await refusalOf(client.videos.downloadContent('video_yesterday'))
    expect(error).toBeInstanceOf(OpenAI.NotFoundError)
    expect(error).toMatchObject({ message: expect.stringContaining('expired') })
    expect(await client.videos.retrieve('video_yesterday')).toMatchObject({ status: 'completed' })
  })
})

describe('@google/genai, over HTTP', () => {
  async function connect(sim: Simulator, apiKey: string): Promise<GoogleGenAI> {
    const listening = await listen(sim)
    onTestFinished(() => listening.close())
    return new GoogleGenAI({ apiKey, httpOptions: { baseUrl: listening.url } })
  }

  async function pollUntilDone(
    client: GoogleGenAI,
    begun: GenerateVideosOperation,
  ): Promise<GenerateVideosOperation> {
    let operation = begun
    for (let polls = 0; operation.done !== true && polls < 20; polls++)
      operation = await client.operations.getVideosOperation({ operation })
    return operation
  }

  it('operation-fails: polling ends with the error of google.rpc and without a response', async () => {
    const client = await connect(playing('operation-fails'), 'sk-scenario')
    const operation = new GenerateVideosOperation()
    operation.name =
      'projects/gateway-sim/locations/us-central1/publishers/google/models/veo-1/operations/00000000-0000-4000-8000-000000000001'
    const ended = await pollUntilDone(client, operation)
    expect(ended).toMatchObject({ done: true, error: { code: 3, message: 'The prompt could not be used.' } })
    expect(ended.response).toBeUndefined()
  })

  it('operation-with-filtered-samples: two of three videos, and why', async () => {
    const client = await connect(playing('operation-with-filtered-samples'), 'sk-studio')
    const ended = await pollUntilDone(
      client,
      await client.models.generateVideos({
        model: 'veo-1',
        source: { prompt: 'a choir' },
        config: { numberOfVideos: 3 },
      }),
    )
    expect(ended.response?.generatedVideos).toHaveLength(2)
    expect(ended.response).toMatchObject({
      raiMediaFilteredCount: 1,
      raiMediaFilteredReasons: ['The audio was held back by the safety filter.'],
    })
  })
})
