/** A story of scenarios/ that only one client has types for. */
import { type GenerateVideosOperation, GoogleGenAI } from '@google/genai'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Simulator } from '../../src/index.ts'
import { listen } from '../../src/node.ts'
import { playing } from './_scenarios.ts'

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
