import { GoogleGenAI } from '@google/genai'
import { choice, noul, TypeSafeClient } from '@typesafe-ai/sdk'
import { generateText } from 'ai'
import OpenAI from 'openai'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Simulator } from '../../src/index.ts'
import { listen } from '../../src/node.ts'
import { simulator } from '../_setup.ts'
import { undrawn } from '../endpoints/images/_images.ts'
import { found } from '../judges/client-report/_clients.ts'
import { clientIntegrations } from './_integrations.ts'
import { aiOpenai, langchainOpenai } from './_models.ts'
import { ask, openaiVia } from './_openai.ts'
import { begun, playingByTheClock, statuses } from './_scenarios.ts'

/** Nothing was found, and there was something to judge. */
function expectSilence(sim: Simulator, calls: number): void {
  expect(sim.journal().length).toBeGreaterThanOrEqual(calls)
  expect(sim.clientReport().findings).toEqual([])
}

describe.each(clientIntegrations)('nothing is found, through $name,', (integration) => {
  it('in images and videos of the openai package', async () => {
    const sim = simulator({ clock: 'auto' })
    undrawn(sim)
    const client = await openaiVia(integration, sim, { maxRetries: 2 })
    const chosen = { response_format: 'url', style: 'vivid', quality: 'hd', user: 'someone' } as const
    await client.images.generate({ model: 'dall-e-3', prompt: 'a fox', ...chosen })
    const newer = { background: 'opaque', quality: 'low' } as const
    await client.images.generate({ model: 'gpt-image-1', prompt: 'a fox', ...newer })
    const { id } = await client.videos.create({ model: 'sora-2', prompt: 'a fox', seconds: '4' })
    for (let status = ''; status !== 'completed'; ) ({ status } = await client.videos.retrieve(id))
    await (await client.videos.downloadContent(id)).arrayBuffer()
    await (await client.videos.downloadContent(id, { variant: 'thumbnail' })).arrayBuffer()
    expectSilence(sim, 7)
  })
})

describe('nothing is found', () => {
  const baseURL = 'http://gateway.test/v1'

  it('in a loop over videos of the openai package that naps a second between polls', async () => {
    const { sim, fetch, pass } = await playingByTheClock('slow-gateway')
    const client = new OpenAI({ apiKey: 'sk-test', baseURL, fetch })
    const loop = async (): Promise<OpenAI.Video> => {
      let video = await client.videos.create({ model: 'sora-2', prompt: 'a fox' })
      while (video.status !== 'completed') {
        await new Promise((resolve) => setTimeout(resolve, 1_000))
        video = await client.videos.retrieve(video.id)
      }
      await (await client.videos.downloadContent(video.id)).arrayBuffer()
      return video
    }
    const video = begun(loop())
    for (let second = 0; second < 120; second++) await pass(1_000)
    expect((await video).status).toBe('completed')
    expectSilence(sim, 10)
  })

  it('in @google/genai: a video polled to its end and downloaded', async () => {
    const sim = simulator({ clock: 'auto' })
    const listening = await listen(sim)
    onTestFinished(() => listening.close())
    const client = new GoogleGenAI({ apiKey: 'k', httpOptions: { baseUrl: listening.url } })
    let operation = await client.models.generateVideos({
      model: 'veo-3.0-generate-001',
      source: { prompt: 'a fox in the snow' },
      config: { numberOfVideos: 1, durationSeconds: 4, aspectRatio: '16:9', negativePrompt: 'dogs' },
    })
    while (operation.done !== true) operation = await client.operations.getVideosOperation({ operation })
    await (await fetch(operation.response?.generatedVideos?.[0]?.video?.uri ?? '')).arrayBuffer()
    expectSilence(sim, 4)
  })

  it('in @typesafe-ai/sdk', async () => {
    const sim = simulator({ clock: 'auto' })
    const client = new TypeSafeClient({
      apiKey: 'sk-test',
      baseURL: 'http://gateway.test',
      fetch: sim.fetch as (input: string, init?: RequestInit) => Promise<Response>,
    })
    await client.systemOne({
      state: 'a fox in the snow',
      questions: {
        animal: noul('Is there an animal?'),
        kind: choice('Which?', { fox: 'a fox', bear: 'a bear' }),
      },
    })
    expectSilence(sim, 1)
  })

  it.each([
    ['rate-limit-then-success', [20_000], [429, 200]],
    ['overloaded-then-success', [500, 1_000, 2_000], undefined],
    ['connection-reset-then-success', [500, 1_000], [0, 0, 200]],
  ] as const)(
    'when the openai package meets %s: it waits as long as it is told, and may try chat again',
    async (story, naps, seen) => {
      const { sim, fetch, pass } = await playingByTheClock(story)
      const answer = begun(
        new OpenAI({ apiKey: 'sk-test', baseURL, fetch }).chat.completions.create({
          model: 'gpt-4o',
          messages: ask('Are you there?'),
        }),
      )
      // The call is under way before time moves.
      await pass(0)
      for (const nap of naps) await pass(nap)
      await answer.catch(() => undefined)
      if (seen !== undefined) expect(statuses(sim)).toEqual(seen)
      expectSilence(sim, 1)
    },
  )
})

describe('what SDKs do by themselves and is told', () => {
  const baseURL = 'http://gateway.test/v1'

  it('the openai package tries a submission again whose connection broke: after two resets there are three videos', async () => {
    const { sim, fetch, pass } = await playingByTheClock('connection-reset-then-success')
    const client = new OpenAI({ apiKey: 'sk-test', baseURL, fetch })
    const made = begun(client.videos.create({ prompt: 'a river' }))
    await pass(500)
    await pass(1_000)
    await made
    expect(found(sim.clientReport())).toEqual(['retried-create', 'retried-create'])
  })

  it('LangChain and the AI SDK write `max_tokens` when they are given a limit', async () => {
    const sim = simulator({ clock: 'auto' })
    const way = { url: 'http://gateway.test', fetch: sim.fetch as typeof fetch }
    await langchainOpenai(way, 'gpt-4o', { maxTokens: 50 }).invoke('Are you there?')
    await generateText({
      model: aiOpenai(way).chat('gpt-4o'),
      prompt: 'Are you there?',
      maxOutputTokens: 50,
    })
    expect(sim.clientReport()).toMatchObject({
      ok: true,
      findings: [{ code: 'deprecated-parameter', subject: 'max_tokens', times: 2 }],
    })
  })
})
