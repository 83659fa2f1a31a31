/**
 * LangChain with both of its packages, `@langchain/openai` against chat and `@langchain/anthropic` against
 * messages: answers, streams, tools, structured output, errors.
 */
import type { BaseLanguageModelInput } from '@langchain/core/language_models/base'
import {
  type AIMessageChunk,
  HumanMessage,
  SystemMessage,
  type UsageMetadata,
} from '@langchain/core/messages'
import type { Runnable } from '@langchain/core/runnables'
import { tool } from '@langchain/core/tools'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { type Integration, simulator } from '../_setup.ts'
import { clientIntegrations, mswIntegration, rejectionOf, wayTo } from './_integrations.ts'
import { langchainAnthropic, langchainOpenai, type Way } from './_models.ts'

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

type Make = (way: Way, model: string, fields?: object) => Model

/** What differs between the packages. */
const packages = [
  {
    name: '@langchain/openai',
    make: langchainOpenai as unknown as Make,
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
    methods: ['jsonSchema', 'functionCalling', undefined],
  },
  {
    name: '@langchain/anthropic',
    make: langchainAnthropic as unknown as Make,
    model: 'claude-3-5-haiku-20241022',
    ids: /^msg_/,
    callIds: /^toolu_/,
    finished: { stop_reason: 'end_turn', stop_sequence: null, model: 'claude-3-5-haiku-20241022' },
    finishedStream: { additional_kwargs: expect.objectContaining({ stop_reason: 'end_turn' }) },
    called: { stop_reason: 'tool_use' },
    usage: {},
    countedTwice: 1,
    methods: ['jsonSchema', 'functionCalling', undefined],
  },
] as const

type Package = (typeof packages)[number]

/** Makes models behind an integration. */
async function modelsVia({ make }: Package, integration: Integration) {
  const way = await wayTo(integration, simulator({ clock: 'auto' }))
  return (model: string, fields?: object) => make(way, model, fields)
}

/** The chunks of a stream as one message, and their text. */
async function readToEnd(stream: AsyncIterable<AIMessageChunk>) {
  let text = ''
  let message: AIMessageChunk | undefined
  for await (const chunk of stream) {
    text += chunk.text
    message = message === undefined ? chunk : message.concat(chunk)
  }
  return { text, message }
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
})

describe.each(ways.filter(({ integration }) => integration !== mswIntegration))(
  'LangChain, $name',
  ({ using, integration }) => {
    it('bindTools: calls, plain and streamed alike, results, final answer', async () => {
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
      const { message: streamed } = await readToEnd(await model.stream([question]))
      const said = (message?: { tool_calls?: { name: string; args: unknown }[] }) =>
        message?.tool_calls?.map(({ name, args }) => [name, args])
      expect(said(streamed)).toEqual(said(asked))
      const results = await Promise.all((asked.tool_calls ?? []).map((call) => weather.invoke(call)))
      const answer = await model.invoke([question, asked, ...results])
      expect(answer.content).toContain('get_weather returned: 5 degrees in Paris')
      expect(answer.content).toContain('get_weather returned: 6 degrees in London')
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
