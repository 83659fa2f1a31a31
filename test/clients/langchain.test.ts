/**
 * LangChain with both of its packages, `@langchain/openai` against chat and `@langchain/anthropic` against
 * messages: answers, streams, tools, structured output, errors.
 */
import { ChatAnthropic, type ChatAnthropicInput } from '@langchain/anthropic'
import type { BaseLanguageModelInput } from '@langchain/core/language_models/base'
import {
  type AIMessageChunk,
  HumanMessage,
  SystemMessage,
  type UsageMetadata,
} from '@langchain/core/messages'
import type { Runnable } from '@langchain/core/runnables'
import { tool } from '@langchain/core/tools'
import { ChatOpenAI, type ChatOpenAIFields } from '@langchain/openai'
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { type Integration, simulator } from '../_setup.ts'
import { clientIntegrations, mswIntegration, rejectedModels, rejectionOf, until } from './_integrations.ts'

const person = z.object({ name: z.string(), age: z.number().int() })
const ada = { name: 'Ada Lovelace', age: 36 }
const prompt = 'My name is Ada Lovelace, I am 36 years old. Answer in JSON with the keys "name" and "age".'
const weather = tool(({ city }) => `${city.length} degrees in ${city}`, {
  name: 'get_weather',
  description: 'Looks up the weather of a city',
  schema: z.object({ city: z.string() }),
})

type Answering = Runnable<BaseLanguageModelInput, AIMessageChunk>

/** What these tests use of a model; the types of the two packages differ elsewhere. */
interface Model extends Answering {
  bindTools(tools: readonly unknown[], options?: { readonly tool_choice?: string }): Answering
  withStructuredOutput(
    schema: unknown,
    options: { readonly name: string; readonly method?: string },
  ): Runnable
}

interface Way {
  readonly url: string
  readonly own: { readonly fetch?: typeof fetch }
}

/** Each package; they do not retry unless the test says so. */
const packages = [
  {
    name: '@langchain/openai',
    make: (model: string, { url, own }: Way, fields: object = {}) =>
      new ChatOpenAI({
        model,
        apiKey: 'sk-test',
        maxRetries: 0,
        configuration: { baseURL: `${url}/v1`, ...own },
        ...(fields as Partial<ChatOpenAIFields>),
      }) as unknown as Model,
    model: 'gpt-4o',
    ids: /^chatcmpl-/,
    callIds: /^call_/,
    finished: { finish_reason: 'stop', model_name: 'gpt-4o', system_fingerprint: expect.any(String) },
    finishedStream: {
      response_metadata: expect.objectContaining({ finish_reason: 'stop', model_name: 'gpt-4o' }),
    },
    called: { finish_reason: 'tool_calls' },
    usage: { input_token_details: { cache_read: 0 }, output_token_details: { reasoning: 0 } },
    // LangChain adds up what the first and the last event of a stream count; of messages the first counts one
    // token.
    countedTwice: 0,
    cut: 'sim-disconnect-after-3',
    errorAfter: 'sim-error-after-2',
    error: {
      code: 500,
      type: 'api_error',
      message: 'The server had an error while streaming (reserved value error-after).',
    },
    methods: ['jsonSchema', 'functionCalling', undefined],
    noModel: 'The model `no-such-model` does not exist or you do not have access to it.',
    overloaded: 503,
  },
  {
    name: '@langchain/anthropic',
    make: (model: string, { url, own }: Way, fields: object = {}) =>
      new ChatAnthropic({
        model,
        apiKey: 'sk-test',
        maxRetries: 0,
        anthropicApiUrl: url,
        clientOptions: own,
        ...(fields as Partial<ChatAnthropicInput>),
      }) as unknown as Model,
    model: 'claude-3-5-haiku-20241022',
    ids: /^msg_/,
    callIds: /^toolu_/,
    finished: { stop_reason: 'end_turn', stop_sequence: null, model: 'claude-3-5-haiku-20241022' },
    finishedStream: { additional_kwargs: expect.objectContaining({ stop_reason: 'end_turn' }) },
    called: { stop_reason: 'tool_use' },
    usage: {},
    countedTwice: 1,
    cut: 'sim-disconnect-after-5',
    errorAfter: 'sim-error-after-4',
    error: { error: { type: 'error', error: { type: 'api_error' } } },
    methods: ['jsonSchema', 'functionCalling', undefined],
    noModel: 'model: no-such-model',
    overloaded: 529,
  },
] as const

type Package = (typeof packages)[number]

/** Makes models behind an integration. */
async function modelsVia({ make }: Package, integration: Integration, sim = simulator({ clock: 'auto' })) {
  const { fetch, url } = await integration.open(sim)
  const way = { url, own: integration.name === 'fetch' ? { fetch } : {} }
  return (model: string, fields?: object) => make(model, way, fields)
}

/** A stream read to its end: its text, its chunks as one message, and what it threw. */
async function readToEnd(
  stream: AsyncIterable<AIMessageChunk>,
  look?: (text: string) => void,
): Promise<{ text: string; message: AIMessageChunk | undefined; error: unknown }> {
  let text = ''
  let message: AIMessageChunk | undefined
  try {
    for await (const chunk of stream) {
      text += chunk.text
      message = message === undefined ? chunk : message.concat(chunk)
      look?.(text)
    }
  } catch (error) {
    return { text, message, error }
  }
  return { text, message, error: undefined }
}

const ways = [...clientIntegrations, mswIntegration].flatMap((integration) =>
  packages.map((using) => ({ using, integration, name: `${using.name} through ${integration.name}` })),
)

describe.each(ways)('LangChain, text, $name', ({ using, integration }) => {
  it('invoke', async () => {
    const models = await modelsVia(using, integration)
    const message = await models(using.model).invoke([
      new SystemMessage('Be short.'),
      new HumanMessage('Say "hello there"'),
    ])
    expect(message.content).toBe('hello there')
    expect(message.id).toMatch(using.ids)
    const usage = message.usage_metadata as UsageMetadata | undefined
    expect(usage).toMatchObject({
      output_tokens: 2,
      total_tokens: (usage?.input_tokens ?? 0) + 2,
      ...using.usage,
    })
    expect(message.response_metadata).toMatchObject(using.finished)
  })

  it('stream: the text and the usage that invoke gives', async () => {
    const model = (await modelsVia(using, integration))(using.model)
    const plain = await model.invoke('Tell me about foxes')
    const { text, message, error } = await readToEnd(await model.stream('Tell me about foxes'))
    expect(error).toBeUndefined()
    expect(text).toBe(plain.content)
    const usage = plain.usage_metadata as UsageMetadata | undefined
    expect(message?.usage_metadata).toMatchObject({
      input_tokens: usage?.input_tokens,
      output_tokens: (usage?.output_tokens ?? 0) + using.countedTwice,
    })
    expect(message).toMatchObject(using.finishedStream)
  })

  it('keeps the text that came before a stream went wrong', async () => {
    const models = await modelsVia(using, integration)
    const read = async (model: string) => readToEnd(await models(model).stream('Say "one two three"'))
    expect(await read(using.cut)).toMatchObject({ text: 'one two', error: expect.any(Error) })
    expect(await read(using.errorAfter)).toMatchObject({ text: 'one', error: using.error })
    expect(await read('sim-missing-end')).toMatchObject({ text: 'one two three', error: undefined })
  })
})

describe.each(ways.filter(({ integration }) => integration !== mswIntegration))(
  'LangChain, $name',
  ({ using, integration }) => {
    it('bindTools: calls, results, final answer', async () => {
      const models = await modelsVia(using, integration)
      const model = models(using.model).bindTools([weather])
      const question = new HumanMessage('What is the weather in Paris and London?')
      const asked = await model.invoke([question])
      expect(asked.tool_calls).toMatchObject(
        ['Paris', 'London'].map((city) => ({
          name: 'get_weather',
          args: { city },
          type: 'tool_call',
          id: expect.stringMatching(using.callIds),
        })),
      )
      expect(asked.invalid_tool_calls ?? []).toEqual([])
      expect(asked.response_metadata).toMatchObject(using.called)
      const results = await Promise.all((asked.tool_calls ?? []).map((call) => weather.invoke(call)))
      const answer = await model.invoke([question, asked, ...results])
      expect(answer.content).toContain('get_weather returned: 5 degrees in Paris')
      expect(answer.content).toContain('get_weather returned: 6 degrees in London')
    })

    it('streams calls that add up to the ones of invoke', async () => {
      const models = await modelsVia(using, integration)
      const { message } = await readToEnd(
        await models(using.model).bindTools([weather]).stream('What is the weather in Paris and London?'),
      )
      expect(message?.tool_calls?.map(({ name, args }) => [name, args])).toEqual([
        ['get_weather', { city: 'Paris' }],
        ['get_weather', { city: 'London' }],
      ])
    })

    it.each(using.methods)('structured output by %s', async (method) => {
      const models = await modelsVia(using, integration)
      const options = { name: 'person', includeRaw: true, ...(method === undefined ? {} : { method }) }
      // Which method LangChain chooses by itself depends on the model.
      const others = using.name === '@langchain/openai' && method === undefined ? ['gpt-3.5-turbo'] : []
      for (const id of [using.model, ...others]) {
        const { parsed, raw } = await models(id).withStructuredOutput(person, options).invoke(prompt)
        expect(parsed).toEqual(ada)
        expect(raw.id).toMatch(using.ids)
      }
    })

    it.each(rejectedModels(using.overloaded, using.noModel))(
      '$model throws with status $status',
      async ({ model: id, status, message, thrown }) => {
        const sim = simulator({ clock: 'auto' })
        const models = await modelsVia(using, integration, sim)
        const error = await rejectionOf(models(id).invoke('Hi'))
        expect(error).toMatchObject({
          status,
          message: expect.stringContaining(message),
          requestID: sim.journal()[0]?.requestId,
        })
        if (using.name === '@langchain/openai') expect(error).toBeInstanceOf(OpenAI[thrown])
        expect(sim.journal()).toHaveLength(1)
      },
    )

    it('an abort ends the stream on both sides', async () => {
      const pace = { firstEventAfter: '200ms', eventInterval: '50ms' }
      const sim = simulator({ clock: 'manual', settings: { chat: pace, messages: pace } })
      const models = await modelsVia(using, integration, sim)
      const leave = new AbortController()
      const { signal } = leave
      const reading = (async () =>
        readToEnd(await models(using.model).stream('Say "one two three"', { signal }), (text) => {
          if (text !== '') leave.abort()
        }))()
      await until(() => sim.journal().length === 1)
      await sim.settled()
      sim.clock.advance(299)
      expect(await reading).toMatchObject({ text: 'one', error: { name: expect.stringMatching(/Abort/) } })
      await until(() => sim.journal()[0]?.ended !== 'open')
      expect(sim.journal()[0]).toMatchObject({ ended: 'aborted' })
    })
  },
)

describe.each(clientIntegrations)('LangChain, one package alone, through $name', (integration) => {
  it('the Responses API does not exist', async () => {
    const models = await modelsVia(packages[0], integration)
    expect(await rejectionOf(models('gpt-4o', { useResponsesApi: true }).invoke('Hi'))).toMatchObject({
      status: 404,
      message: expect.stringMatching(
        /This gateway has no Responses API.*`useResponsesApi: false` in LangChain/,
      ),
    })
  })

  it('thinking of messages comes as a block before the text, plain and streamed', async () => {
    const models = await modelsVia(packages[1], integration)
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
