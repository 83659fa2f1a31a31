/**
 * LangChain (`@langchain/anthropic`) against messages: answers, streams, tools, structured output, errors and
 * retries.
 */
import { ChatAnthropic, type ChatAnthropicInput } from '@langchain/anthropic'
import {
  type AIMessageChunk,
  HumanMessage,
  SystemMessage,
  type UsageMetadata,
} from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import * as z from 'zod'
import type { Simulator } from '../../src/index.ts'
import { type Integration, simulator } from '../_setup.ts'
import { clientIntegrations, mswIntegration, refusalOf } from './_integrations.ts'

const haiku = 'claude-3-5-haiku-20241022'
const person = z.object({ name: z.string(), age: z.number().int() })
const prompt = 'My name is Ada Lovelace, I am 36 years old.'
const weather = tool(({ city }) => `${city.length} degrees in ${city}`, {
  name: 'get_weather',
  description: 'Looks up the weather of a city',
  schema: z.object({ city: z.string() }),
})

/** Makes models behind an integration. They do not retry unless the test says so. */
async function modelsVia(
  integration: Integration,
  sim: Simulator,
): Promise<(model: string, fields?: Partial<ChatAnthropicInput>) => ChatAnthropic> {
  const { fetch, url } = await integration.open(sim)
  return (model, fields = {}) =>
    new ChatAnthropic({
      model,
      apiKey: 'sk-test',
      maxRetries: 0,
      anthropicApiUrl: url,
      clientOptions: integration.name === 'fetch' ? { fetch } : {},
      ...fields,
    })
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
  describe(`LangChain with @langchain/anthropic, through ${integration.name}`, () => {
    it('invoke', async () => {
      const models = await modelsVia(integration, simulator({ clock: 'auto' }))
      const message = await models(haiku).invoke([
        new SystemMessage('Be short.'),
        new HumanMessage('Say "hello there"'),
      ])
      expect(message.content).toBe('hello there')
      expect(message.id).toMatch(/^msg_/)
      const usage = message.usage_metadata as UsageMetadata | undefined
      expect(usage).toMatchObject({ output_tokens: 2, total_tokens: (usage?.input_tokens ?? 0) + 2 })
      expect(message.response_metadata).toMatchObject({
        stop_reason: 'end_turn',
        stop_sequence: null,
        model: haiku,
      })
    })

    it('stream: the text and the usage that invoke gives', async () => {
      const models = await modelsVia(integration, simulator({ clock: 'auto' }))
      const plain = await models(haiku).invoke('Tell me about foxes')
      const { text, message, error } = await readToEnd(await models(haiku).stream('Tell me about foxes'))
      expect(error).toBeUndefined()
      expect(text).toBe(plain.content)
      const usage = plain.usage_metadata as UsageMetadata | undefined
      // LangChain adds up what the first and the last event of a stream count; the first counts one token
      // (wire-formats 3.3).
      expect(message?.usage_metadata).toMatchObject({
        input_tokens: usage?.input_tokens,
        output_tokens: (usage?.output_tokens ?? 0) + 1,
      })
      expect(message?.additional_kwargs).toMatchObject({ stop_reason: 'end_turn', model: haiku })
    })

    it('keeps the text that came before a stream went wrong', async () => {
      const models = await modelsVia(integration, simulator({ clock: 'auto' }))
      const read = async (model: string) => readToEnd(await models(model).stream('Say "one two three"'))
      expect(await read('sim-cut-after-5')).toMatchObject({ text: 'one two', error: expect.any(Error) })
      expect(await read('sim-error-after-4')).toMatchObject({
        text: 'one',
        error: { error: { type: 'error', error: { type: 'api_error' } } },
      })
      expect(await read('sim-missing-end')).toMatchObject({ text: 'one two three', error: undefined })
    })
  })
}

for (const integration of clientIntegrations) {
  describe(`LangChain with @langchain/anthropic, tools, through ${integration.name}`, () => {
    it('bindTools: calls, results, final answer', async () => {
      const models = await modelsVia(integration, simulator({ clock: 'auto' }))
      const model = models(haiku).bindTools([weather])
      const question = new HumanMessage('What is the weather in Paris and London?')
      const asked = await model.invoke([question])
      expect(asked.tool_calls).toEqual(
        ['Paris', 'London'].map((city) =>
          expect.objectContaining({
            name: 'get_weather',
            args: { city },
            type: 'tool_call',
            id: expect.stringMatching(/^toolu_/),
          }),
        ),
      )
      expect(asked.response_metadata).toMatchObject({ stop_reason: 'tool_use' })
      const results = await Promise.all((asked.tool_calls ?? []).map((call) => weather.invoke(call)))
      const answer = await model.invoke([question, asked, ...results])
      expect(answer.content).toContain('get_weather returned: 5 degrees in Paris')
      expect(answer.content).toContain('get_weather returned: 6 degrees in London')
    })

    it('streams calls that add up to the ones of invoke', async () => {
      const models = await modelsVia(integration, simulator({ clock: 'auto' }))
      const { message } = await readToEnd(
        await models(haiku).bindTools([weather]).stream('What is the weather in Paris and London?'),
      )
      expect(message?.tool_calls?.map(({ name, args }) => [name, args])).toEqual([
        ['get_weather', { city: 'Paris' }],
        ['get_weather', { city: 'London' }],
      ])
    })

    it('tool_choice', async () => {
      const models = await modelsVia(integration, simulator({ clock: 'auto' }))
      const forced = await models(haiku)
        .bindTools([weather], { tool_choice: 'get_weather' })
        .invoke('Say "hi"')
      expect(forced.tool_calls).toMatchObject([{ name: 'get_weather', args: { city: expect.any(String) } }])
      const free = await models(haiku).bindTools([weather]).invoke('Say "hi"')
      expect([free.text, free.tool_calls]).toEqual(['hi', []])
    })
  })

  describe(`LangChain with @langchain/anthropic, structured output, through ${integration.name}`, () => {
    for (const method of ['jsonSchema', 'functionCalling'] as const) {
      it(`by ${method}`, async () => {
        const models = await modelsVia(integration, simulator({ clock: 'auto' }))
        expect(
          await models(haiku).withStructuredOutput(person, { method, name: 'person' }).invoke(prompt),
        ).toEqual({ name: 'Ada Lovelace', age: 36 })
      })
    }

    it('by the method that LangChain chooses, with the raw message beside it', async () => {
      const models = await modelsVia(integration, simulator({ clock: 'auto' }))
      const { parsed, raw } = await models(haiku)
        .withStructuredOutput(person, { name: 'person', includeRaw: true })
        .invoke(prompt)
      expect(parsed).toEqual({ name: 'Ada Lovelace', age: 36 })
      expect(raw.id).toMatch(/^msg_/)
    })
  })

  describe(`LangChain with @langchain/anthropic, thinking, through ${integration.name}`, () => {
    it('comes as a block before the text, plain and streamed', async () => {
      const models = await modelsVia(integration, simulator({ clock: 'auto' }))
      const model = models('claude-sonnet-4-5', {
        maxTokens: 2000,
        thinking: { type: 'enabled', budget_tokens: 1024 },
      })
      const plain = await model.invoke('Say "yes"')
      expect(plain.content).toEqual([
        {
          type: 'thinking',
          thinking: expect.stringContaining('Say'),
          signature: expect.stringMatching(/=$/),
        },
        { type: 'text', text: 'yes' },
      ])
      const { message } = await readToEnd(await model.stream('Say "yes"'))
      expect(message?.content).toMatchObject([
        { type: 'thinking', thinking: (plain.content as unknown as { thinking: string }[])[0]?.thinking },
        { type: 'text', text: 'yes' },
      ])
    })
  })

  describe(`LangChain with @langchain/anthropic, errors, through ${integration.name}`, () => {
    for (const [id, status, message] of [
      ['no-such-model', 404, 'model: no-such-model'],
      ['sim-forbidden', 403, 'No access permission for this request (reserved value forbidden).'],
      ['sim-rate-limit', 429, 'Rate limit reached: retry after 1 s (reserved value rate-limit).'],
      [
        'sim-overloaded',
        529,
        'The engine is currently overloaded, please try again later (reserved value overloaded).',
      ],
    ] as const) {
      it(`${status}: ${id}`, async () => {
        const sim = simulator({ clock: 'auto' })
        const models = await modelsVia(integration, sim)
        expect(await refusalOf(models(id).invoke('Hi'))).toMatchObject({
          status,
          message: expect.stringContaining(message),
          requestID: sim.journal()[0]?.requestId,
        })
        expect(sim.journal()).toHaveLength(1)
      })
    }

    it('a key that does not work', async () => {
      const models = await modelsVia(integration, simulator({ clock: 'auto' }))
      expect(await refusalOf(models(haiku, { apiKey: 'sk-wrong' }).invoke('Hi'))).toMatchObject({
        status: 401,
      })
    })
  })
}

describe('LangChain with @langchain/anthropic, retries, in-process, on a clock of the test', () => {
  async function napping(model: string, maxRetries: number) {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const sim = simulator({ clock: 'auto' })
    await sim.preload()
    const answer = new ChatAnthropic({
      model,
      apiKey: 'sk-test',
      maxRetries,
      anthropicApiUrl: 'http://gateway.test',
      clientOptions: { fetch: sim.fetch as typeof fetch },
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
    expect(await refusalOf(answer)).toMatchObject({ status: 500 })
    expect(statuses()).toEqual([500, 500])
  })
})
