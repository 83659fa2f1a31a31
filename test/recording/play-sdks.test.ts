/** Recorded with real SDKs, played to real SDKs, without the gateway. */
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { expect, it } from 'vitest'
import { createSimulator } from '../../src/index.ts'
import { recorder, recordingsOf } from './_record.ts'

const messages = [{ role: 'user' as const, content: 'Say hello' }]

/** What a client sees of everything that it asks for. */
async function conversation(fetch: typeof globalThis.fetch, host: string, passTime: () => unknown) {
  const openai = new OpenAI({ baseURL: `${host}/v1`, apiKey: 'sk-a', fetch, maxRetries: 0 })
  const anthropic = new Anthropic({ baseURL: host, apiKey: 'sk-b', fetch, maxRetries: 0 })
  const plain = await openai.chat.completions.create({ model: 'gpt-4o', messages })
  const deltas: unknown[] = []
  for await (const chunk of await openai.chat.completions.create({ model: 'gpt-4o', messages, stream: true }))
    deltas.push(chunk)
  const events: unknown[] = []
  const asked = { model: 'claude-sonnet-4-20250514', max_tokens: 30, messages, stream: true } as const
  for await (const event of await anthropic.messages.create(asked)) events.push(event)
  const rejected = await openai.chat.completions
    .create({ model: 'no-such-model', messages })
    .catch((error: unknown) => [(error as { status: number }).status, (error as Error).message])
  let video = await openai.videos.create({ model: 'video-1' as 'sora-2', prompt: 'a cat' })
  const seen = [video.status]
  while (video.status !== 'completed') {
    passTime()
    video = await openai.videos.retrieve(video.id)
    if (seen.at(-1) !== video.status) seen.push(video.status)
  }
  return { plain, deltas, events, rejected, seen, video }
}

/** The text that the events of a stream add up to. */
const textOf = (events: readonly unknown[]): string =>
  events
    .flatMap((event) => [...JSON.stringify(event).matchAll(/"(?:content|text)":"((?:[^"\\]|\\.)*)"/g)])
    .map(([, text]) => text)
    .join('')

it('clients read the same', async () => {
  const real = createSimulator({ clock: 'manual', seed: 'real' })
  // Its streams need no waiting.
  const atOnce = createSimulator({ clock: 'auto', seed: 'real' })
  const { fetch, exchanges } = recorder(real, (input, init) =>
    ((input as Request).url.includes('/videos') ? real : atOnce).fetch(input, init),
  )
  const recorded = await conversation(fetch, 'http://real', () => real.clock.advance('7s'))
  const sim = createSimulator({
    strict: true,
    scenarios: [await recordingsOf(exchanges)],
  })
  const played = await conversation(sim.fetch, 'http://played', () => undefined)
  // Streams and jobs are simulated from what the recording says: only their ids and times are new.
  expect(played.plain).toEqual(recorded.plain)
  expect([played.rejected, played.video.status]).toEqual([recorded.rejected, 'completed'])
  expect([textOf(played.deltas), textOf(played.events)]).toEqual([
    textOf(recorded.deltas),
    textOf(recorded.events),
  ])
})
