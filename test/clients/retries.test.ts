/**
 * What clients do by themselves when they are rejected, on a clock of the test: they wait as long as
 * `retry-after-ms` says, and give up in the end.
 */
import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { ChatAnthropic } from '@langchain/anthropic'
import { ChatOpenAI } from '@langchain/openai'
import { generateText, type LanguageModel, RetryError } from 'ai'
import OpenAI from 'openai'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { simulator } from '../_setup.ts'
import { ask as askMessages, packages } from './_anthropic.ts'
import { rejectionOf } from './_integrations.ts'
import { ask, only } from './_openai.ts'

const prompt = 'Say "done"'
const apiKey = 'sk-test'
const origin = 'http://gateway.test'

interface Call {
  readonly model: string
  readonly maxRetries: number
  readonly fetch: typeof fetch
}

/** A client, and how it gives up. */
interface Retrying {
  readonly name: string
  /** The text of an answer. */
  readonly ask: (call: Call) => Promise<unknown>
  /** Whether it sends how often it has tried, and waits to the millisecond. */
  readonly counts?: boolean
  readonly exact: boolean
  readonly rejected: Pick<Call, 'model' | 'maxRetries'>
  readonly thrown: (error: unknown) => void
}

const limited = { model: 'sim-rate-limit', maxRetries: 2 }
const failing = { model: 'sim-server-error', maxRetries: 1 }
const message = 'The server had an error while processing your request (reserved value server-error).'

const ofAiSdk = (name: string, modelOf: (call: Call) => LanguageModel): Retrying => ({
  name,
  ask: async (call) => {
    const { model, maxRetries } = { model: modelOf(call), maxRetries: call.maxRetries }
    return (await generateText({ model, prompt, maxOutputTokens: 100, maxRetries })).text
  },
  exact: true,
  rejected: failing,
  thrown(error) {
    expect(RetryError.isInstance(error)).toBe(true)
    const every = { statusCode: 500, message }
    expect(error).toMatchObject({
      reason: 'maxRetriesExceeded',
      message: `Failed after 2 attempts. Last error: ${message}`,
      errors: [every, every],
    })
  },
})

// Its first nap is one to two seconds, by its own chance.
const ofLangchain = (name: string, modelOf: (call: Call) => ChatOpenAI | ChatAnthropic): Retrying => ({
  name,
  ask: async (call) => (await modelOf(call).invoke(prompt)).content,
  exact: false,
  rejected: failing,
  thrown: (error) => expect(error).toMatchObject({ status: 500 }),
})

const clients: readonly Retrying[] = [
  {
    name: 'openai',
    async ask({ model, ...more }) {
      const client = new OpenAI({ apiKey, baseURL: `${origin}/v1`, ...more })
      return only(await client.chat.completions.create({ model, messages: ask(prompt) })).message.content
    },
    counts: true,
    exact: true,
    rejected: limited,
    thrown(error) {
      expect(error).toBeInstanceOf(OpenAI.RateLimitError)
      expect((error as InstanceType<typeof OpenAI.RateLimitError>).headers?.get('retry-after')).toBe('1')
    },
  },
  ...packages.map(
    ({ version, Sdk }): Retrying => ({
      name: `@anthropic-ai/sdk ${version}`,
      async ask({ model, ...more }) {
        const client = new Sdk({ apiKey, baseURL: origin, ...more })
        const { content } = await client.messages.create({ ...askMessages(prompt), model })
        return content[0]?.type === 'text' ? content[0].text : content
      },
      counts: true,
      exact: true,
      rejected: limited,
      thrown: (error) => expect(error).toBeInstanceOf(Sdk.RateLimitError),
    }),
  ),
  ofAiSdk('@ai-sdk/openai', ({ model, fetch }) =>
    createOpenAI({ apiKey, baseURL: `${origin}/v1`, fetch }).chat(model),
  ),
  ofAiSdk('@ai-sdk/anthropic', ({ model, fetch }) =>
    createAnthropic({ apiKey, baseURL: `${origin}/v1`, fetch })(model),
  ),
  ofLangchain(
    '@langchain/openai',
    ({ fetch, ...more }) =>
      new ChatOpenAI({ apiKey, ...more, configuration: { baseURL: `${origin}/v1`, fetch } }),
  ),
  ofLangchain(
    '@langchain/anthropic',
    ({ fetch, ...more }) =>
      new ChatAnthropic({ apiKey, ...more, anthropicApiUrl: origin, clientOptions: { fetch } }),
  ),
]

describe.each(clients)('$name', ({ ask, counts, exact, rejected, thrown }) => {
  /** A call whose naps are let go by the test, and the retry counts that the client sends. */
  async function begin(call: Pick<Call, 'model' | 'maxRetries'>) {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const sim = simulator({ clock: 'auto' })
    await sim.preload()
    const sent: (string | null)[] = []
    const fetch = (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
      sent.push(new Headers(init?.headers).get('x-stainless-retry-count'))
      return sim.fetch(url, init)
    }
    const answer = ask({ ...call, fetch: fetch as typeof globalThis.fetch })
    answer.catch(() => undefined)
    return { answer, sent, statuses: () => sim.journal().map(({ status }) => status) }
  }

  it('waits exactly as long as retry-after-ms says', async () => {
    const { answer, sent, statuses } = await begin({ model: 'sim-rate-limit-once', maxRetries: 2 })
    await vi.advanceTimersByTimeAsync(999)
    expect(statuses()).toEqual([429])
    await vi.advanceTimersByTimeAsync(exact ? 1 : 1001)
    expect(await answer).toBe('done')
    expect(statuses()).toEqual([429, 200])
    if (counts) expect(sent).toEqual(['0', '1'])
  })

  it('retries a server error by itself and gets the answer', async () => {
    const { answer, statuses } = await begin({ model: 'sim-server-error-once', maxRetries: 1 })
    await vi.advanceTimersByTimeAsync(5000)
    expect(await answer).toBe('done')
    expect(statuses()).toEqual([500, 200])
  })

  it('gives up after maxRetries with the last rejection', async () => {
    const { answer, sent, statuses } = await begin(rejected)
    await vi.advanceTimersByTimeAsync(2000)
    thrown(await rejectionOf(answer))
    const tries = rejected.maxRetries + 1
    expect(statuses()).toEqual(Array(tries).fill(rejected === limited ? 429 : 500))
    if (counts) expect(sent).toEqual(['0', '1', '2'])
  })
})
