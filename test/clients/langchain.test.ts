/**
 * LangChain (`@langchain/openai`) against chat: answers, streams, tools, structured output, errors and
 * retries.
 */
import {
  type AIMessageChunk,
  HumanMessage,
  SystemMessage,
  type UsageMetadata,
} from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { ChatOpenAI, type ChatOpenAIFields } from '@langchain/openai'
import OpenAI from 'openai'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import * as z from 'zod'
import type { Simulator } from '../../src/index.ts'
import { type Integration, simulator } from '../_setup.ts'
import { clientIntegrations, mswIntegration, refusalOf, until } from './_integrations.ts'

const person = z.object({ name: z.string(), age: z.number().int() })
const prompt = 'My name is Ada Lovelace, I am 36 years old. Answer in JSON with the keys "name" and "age".'
const weather = tool(({ city }) => `${city.length} degrees in ${city}`, {
  name: 'get_weather',
  description: 'Looks up the weather of a city',
  schema: z.object({ city: z.string() }),
})

/** Makes models behind an integration. They do not retry unless the test says so. */
async function modelsVia(
  integration: Integration,
  sim: Simulator,
): Promise<(model: string, fields?: Partial<ChatOpenAIFields>) => ChatOpenAI> {
  const { fetch, url } = await integration.open(sim)
  const configuration = { baseURL: `${url}/v1`, ...(integration.name === 'fetch' ? { fetch } : {}) }
  return (model, fields = {}) =>
    new ChatOpenAI({ model, apiKey: 'sk-test', maxRetries: 0, configuration, ...fields })
}

/** A stream read to its end: its text, its chunks as one message, and what it threw. */
async function readToEnd(
  stream: AsyncIterable<AIMessageChunk>,
): Promise<{ text: string; message: AIMessageChunk | undefined; error: unknown }> {
  let text = ''
  let message: AIMessageChunk | undefined
  try {
    for await (const chunk of stream) {
      text += chunk.text
      message = message === undefined ? chunk : message.concat(chunk)
    }
  } catch (error) {
    return { text, message, error }
  }
  return { text, message, error: undefined }
}

for (const integration of [...clientIntegrations, mswIntegration]) {
  describe(`LangChain, through ${integration.name}`, () => {
    it('invoke', async () => {
      const models = await modelsVia(integration, simulator({ clock: 'auto' }))
      const message = await models('gpt-4o').invoke([
        new SystemMessage('Be short.'),
        new HumanMessage('Say "hello there"'),
      ])
      expect(message.content).toBe('hello there')
      expect(message.id).toMatch(/^chatcmpl-/)
      const usage = message.usage_metadata as UsageMetadata | undefined
      expect(usage).toMatchObject({
        output_tokens: 2,
        total_tokens: (usage?.input_tokens ?? 0) + 2,
        input_token_details: { cache_read: 0 },
        output_token_details: { reasoning: 0 },
      })
      expect(message.response_metadata).toMatchObject({
        finish_reason: 'stop',
        model_name: 'gpt-4o',
        system_fingerprint: expect.stringMatching(/^fp_/),
      })
    })

    it('stream: the text and the usage that invoke gives', async () => {
      const models = await modelsVia(integration, simulator({ clock: 'auto' }))
      const plain = await models('gpt-4o').invoke('Tell me about foxes')
      const { text, message, error } = await readToEnd(await models('gpt-4o').stream('Tell me about foxes'))
      expect(error).toBeUndefined()
      expect(text).toBe(plain.content)
      expect(message?.usage_metadata).toEqual(plain.usage_metadata)
      expect(message?.response_metadata).toMatchObject({ finish_reason: 'stop', model_name: 'gpt-4o' })
    })

    it('keeps the text that came before a stream went wrong', async () => {
      const models = await modelsVia(integration, simulator({ clock: 'auto' }))
      const read = async (model: string) => readToEnd(await models(model).stream('Say "one two three"'))
      expect(await read('sim-cut-after-3')).toMatchObject({
        text: 'one two',
        error: { message: 'terminated' },
      })
      expect(await read('sim-error-after-2')).toMatchObject({
        text: 'one',
        error: {
          code: 500,
          type: 'api_error',
          message: 'The server had an error while streaming (reserved value error-after).',
        },
      })
      expect(await read('sim-missing-end')).toMatchObject({ text: 'one two three', error: undefined })
    })
  })
}

for (const integration of clientIntegrations) {
  describe(`LangChain tools, through ${integration.name}`, () => {
    it('bindTools: calls, results, final answer', async () => {
      const models = await modelsVia(integration, simulator({ clock: 'auto' }))
      const model = models('gpt-4o').bindTools([weather])
      const question = new HumanMessage('What is the weather in Paris and London?')
      const asked = await model.invoke([question])
      expect(asked.tool_calls).toEqual(
        ['Paris', 'London'].map((city) => ({
          name: 'get_weather',
          args: { city },
          type: 'tool_call',
          id: expect.stringMatching(/^call_/),
        })),
      )
      expect(asked.invalid_tool_calls).toEqual([])
      expect(asked.response_metadata).toMatchObject({ finish_reason: 'tool_calls' })
      const results = await Promise.all((asked.tool_calls ?? []).map((call) => weather.invoke(call)))
      const answer = await model.invoke([question, asked, ...results])
      expect(answer.content).toContain('get_weather returned: 5 degrees in Paris')
      expect(answer.content).toContain('get_weather returned: 6 degrees in London')
    })

    it('streams calls that add up to the ones of invoke', async () => {
      const models = await modelsVia(integration, simulator({ clock: 'auto' }))
      const { message } = await readToEnd(
        await models('gpt-4o').bindTools([weather]).stream('What is the weather in Paris and London?'),
      )
      expect(message?.tool_calls?.map(({ name, args }) => [name, args])).toEqual([
        ['get_weather', { city: 'Paris' }],
        ['get_weather', { city: 'London' }],
      ])
    })

    it('tool_choice', async () => {
      const models = await modelsVia(integration, simulator({ clock: 'auto' }))
      const forced = await models('gpt-4o')
        .bindTools([weather], { tool_choice: 'get_weather' })
        .invoke('Say "hi"')
      expect(forced.tool_calls).toMatchObject([{ name: 'get_weather', args: { city: expect.any(String) } }])
      const free = await models('gpt-4o').bindTools([weather]).invoke('Say "hi"')
      expect([free.content, free.tool_calls]).toEqual(['hi', []])
    })
  })

  describe(`LangChain structured output, through ${integration.name}`, () => {
    for (const method of ['jsonSchema', 'functionCalling', 'jsonMode'] as const) {
      it(`by ${method}`, async () => {
        const models = await modelsVia(integration, simulator({ clock: 'auto' }))
        const ada = await models('my-own-model')
          .withStructuredOutput(person, { method, name: 'person' })
          .invoke(prompt)
        expect(ada).toEqual({ name: 'Ada Lovelace', age: 36 })
      })
    }

    it('by the method that LangChain chooses for a model, with the raw message beside it', async () => {
      const models = await modelsVia(integration, simulator({ clock: 'auto' }))
      for (const id of ['gpt-4o', 'gpt-3.5-turbo']) {
        const { parsed, raw } = await models(id)
          .withStructuredOutput(person, { name: 'person', includeRaw: true })
          .invoke(prompt)
        expect(parsed).toEqual({ name: 'Ada Lovelace', age: 36 })
        expect(raw.id).toMatch(/^chatcmpl-/)
      }
    })
  })

  describe(`LangChain errors, through ${integration.name}`, () => {
    for (const [id, thrown, status, message] of [
      [
        'no-such-model',
        OpenAI.NotFoundError,
        404,
        'The model `no-such-model` does not exist or you do not have access to it.',
      ],
      [
        'sim-forbidden',
        OpenAI.PermissionDeniedError,
        403,
        'No access permission for this request (reserved value forbidden).',
      ],
      [
        'sim-rate-limit',
        OpenAI.RateLimitError,
        429,
        'Rate limit reached: retry after 1 s (reserved value rate-limit).',
      ],
      [
        'sim-overloaded',
        OpenAI.InternalServerError,
        503,
        'The engine is currently overloaded, please try again later (reserved value overloaded).',
      ],
    ] as const) {
      it(`${status}: ${id} throws ${thrown.name}`, async () => {
        const sim = simulator({ clock: 'auto' })
        const models = await modelsVia(integration, sim)
        const error = await refusalOf(models(id).invoke('Hi'))
        expect(error).toBeInstanceOf(thrown)
        expect(error).toMatchObject({
          status,
          code: status,
          message: expect.stringContaining(message),
          requestID: sim.journal()[0]?.requestId,
        })
        expect(sim.journal()).toHaveLength(1)
      })
    }

    it('a key that does not work', async () => {
      const models = await modelsVia(integration, simulator({ clock: 'auto' }))
      expect(await refusalOf(models('gpt-4o', { apiKey: 'sk-wrong' }).invoke('Hi'))).toBeInstanceOf(
        OpenAI.AuthenticationError,
      )
    })

    it('the Responses API does not exist', async () => {
      const models = await modelsVia(integration, simulator({ clock: 'auto' }))
      expect(await refusalOf(models('gpt-4o', { useResponsesApi: true }).invoke('Hi'))).toMatchObject({
        status: 404,
        message: expect.stringMatching(
          /This gateway has no Responses API.*with LangChain `useResponsesApi: false`/,
        ),
      })
    })

    it('an abort ends the stream on both sides', async () => {
      const sim = simulator({
        clock: 'manual',
        settings: { chat: { firstTokenAfter: '200ms', tokenEvery: '50ms' } },
      })
      const models = await modelsVia(integration, sim)
      const leave = new AbortController()
      const reading = (async () => {
        let text = ''
        try {
          for await (const chunk of await models('gpt-4o').stream('Say "one two three"', {
            signal: leave.signal,
          })) {
            text += chunk.text
            if (text !== '') leave.abort()
          }
        } catch (error) {
          return { text, error }
        }
        return { text, error: undefined }
      })()
      await until(() => sim.journal().length === 1)
      await sim.settled()
      sim.clock.advance(299)
      expect(await reading).toMatchObject({ text: 'one', error: { name: expect.stringMatching(/Abort/) } })
      await until(() => sim.journal()[0]?.ended !== 'open')
      expect(sim.journal()[0]).toMatchObject({ ended: 'aborted', events: 2 })
    })
  })
}

describe('LangChain retries, in-process, on a clock of the test', () => {
  async function napping(model: string, maxRetries: number) {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const sim = simulator({ clock: 'auto' })
    await sim.preload()
    const answer = new ChatOpenAI({
      model,
      apiKey: 'sk-test',
      maxRetries,
      configuration: { baseURL: 'http://gateway.test/v1', fetch: sim.fetch as typeof fetch },
    }).invoke('Say "done"')
    answer.catch(() => undefined)
    // Its first nap is one to two seconds, by its own chance.
    await vi.advanceTimersByTimeAsync(2000)
    return { answer, statuses: () => sim.journal().map(({ status }) => status) }
  }

  it('succeeds on the second try', async () => {
    const { answer, statuses } = await napping('sim-rate-limit-once', 1)
    expect((await answer).content).toBe('done')
    expect(statuses()).toEqual([429, 200])
  })

  it('gives up after maxRetries', async () => {
    const { answer, statuses } = await napping('sim-server-error', 1)
    expect(await refusalOf(answer)).toBeInstanceOf(OpenAI.InternalServerError)
    expect(statuses()).toEqual([500, 500])
  })
})
