import type { ChatAnthropic } from '@langchain/anthropic'
import type { AIMessageChunk } from '@langchain/core/messages'
import type { ChatOpenAI } from '@langchain/openai'
import { type LanguageModel, streamText, type ToolSet, tool } from 'ai'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { type Item, scripted } from '../scenario/streams/_scripted.ts'
import { anthropicVia, ask as askMessages, packages } from './_anthropic.ts'
import { clientIntegrations, rejectionOf, wayTo } from './_integrations.ts'
import { aiAnthropic, aiOpenai, langchainAnthropic, langchainOpenai, type Way } from './_models.ts'
import { ask, only, openaiVia } from './_openai.ts'

const calls: Item = {
  toolCalls: [
    { name: 'get_weather', arguments: ['{"ci', 'ty":"Pa', 'ris"}'], id: 'call_paris' },
    { name: 'get_weather', arguments: { city: 'London' }, id: 'call_london' },
  ],
}
const whole: Item[] = [
  { reasoning: ['Both', ' cities.'] },
  { text: ['Let me', ' look.'] },
  { wait: 3000 },
  calls,
  { usage: { input: 100, output: 50, reasoning: 20, cached: 40 } },
]
const model = 'gpt-4o'
const tools: ToolSet = {
  get_weather: tool({ description: 'The weather', inputSchema: z.object({ city: z.string() }) }),
}

/** What `streamText` makes of a script: its parts in a word each, and the usage. */
async function partsOf(languageModel: LanguageModel) {
  const parts: string[] = []
  const result = streamText({
    model: languageModel,
    prompt: 'Hi',
    tools,
    maxRetries: 0,
    onError: () => undefined,
  })
  for await (const part of result.fullStream) {
    if (part.type === 'text-delta' || part.type === 'reasoning-delta') parts.push(`${part.type} ${part.text}`)
    else if (part.type === 'tool-call')
      parts.push(`tool-call ${part.toolCallId} ${JSON.stringify(part.input)}`)
    else if (part.type === 'finish') parts.push(`finish ${part.finishReason}`)
    else if (part.type === 'error') parts.push('error')
  }
  return {
    parts,
    usage: await result.totalUsage.then(
      (usage) => usage,
      () => undefined,
    ),
  }
}

/** LangChain's chunks as one message. */
async function messageOf(stream: AsyncIterable<AIMessageChunk>): Promise<AIMessageChunk> {
  let message: AIMessageChunk | undefined
  for await (const chunk of stream) message = message === undefined ? chunk : message.concat(chunk)
  return message as AIMessageChunk
}

for (const integration of clientIntegrations) {
  describe(`openai, through ${integration.name}`, () => {
    it('puts two calls together that are said by turns, with the text before and the usage behind', async () => {
      const client = await openaiVia(integration, scripted(whole))
      const deltas: string[] = []
      const stream = client.chat.completions
        .stream({ model, messages: ask('Hi'), stream_options: { include_usage: true } })
        .on(
          'tool_calls.function.arguments.delta',
          ({ index, arguments_delta }) => void deltas.push(`${index} ${arguments_delta}`),
        )
      const completion = await stream.finalChatCompletion()
      expect(only(completion)).toMatchObject({
        finish_reason: 'tool_calls',
        message: {
          content: 'Let me look.',
          refusal: null,
          tool_calls: [
            { id: 'call_paris', function: { name: 'get_weather', arguments: '{"city":"Paris"}' } },
            { id: 'call_london', function: { name: 'get_weather', arguments: '{"city":"London"}' } },
          ],
        },
      })
      expect(completion.usage).toMatchObject({
        prompt_tokens: 100,
        completion_tokens: 50,
        total_tokens: 150,
        prompt_tokens_details: { cached_tokens: 40 },
        completion_tokens_details: { reasoning_tokens: 20 },
      })
      const indexes = deltas.filter((delta) => !/^\d $/.test(delta)).map((delta) => delta[0])
      expect(indexes.slice(0, 6)).toEqual(['0', '1', '0', '1', '0', '1'])
    })
  })

  for (const { version, Sdk } of packages) {
    describe(`@anthropic-ai/sdk ${version}, through ${integration.name}`, () => {
      it('puts blocks together: a thought, a text, two calls one after the other', async () => {
        const client = await anthropicVia(Sdk, integration, scripted(whole))
        const message = await client.messages.stream(askMessages('Hi')).finalMessage()
        expect(message).toMatchObject({
          stop_reason: 'tool_use',
          content: [
            { type: 'thinking', thinking: 'Both cities.', signature: expect.stringMatching(/^E/) },
            { type: 'text', text: 'Let me look.' },
            { type: 'tool_use', id: 'call_paris', name: 'get_weather', input: { city: 'Paris' } },
            { type: 'tool_use', id: 'call_london', name: 'get_weather', input: { city: 'London' } },
          ],
          usage: { input_tokens: 60, cache_read_input_tokens: 40, output_tokens: 50 },
        })
        const plain = await client.messages.create(askMessages('Hi'))
        expect(plain.content).toMatchObject(message.content.map((block) => ({ ...block })))
      })
    })
  }

  const open = () => wayTo(integration, scripted(whole))

  describe(`ai, through ${integration.name}`, () => {
    it.each<[string, (way: Way) => LanguageModel, string[], object]>([
      [
        'chat by @ai-sdk/openai',
        (way) => aiOpenai(way).chat(model),
        [],
        { outputTokenDetails: { reasoningTokens: 20 } },
      ],
      [
        'messages by @ai-sdk/anthropic',
        (way) => aiAnthropic(way)('claude-3-haiku-20240307'),
        ['reasoning-delta Both', 'reasoning-delta  cities.'],
        {},
      ],
    ])('reads %s', async (_, modelOf, thoughts, details) => {
      const { parts, usage } = await partsOf(modelOf(await open()))
      expect(parts.filter((part) => part !== 'reasoning-delta ')).toEqual([
        ...thoughts,
        'text-delta Let me',
        'text-delta  look.',
        'tool-call call_paris {"city":"Paris"}',
        'tool-call call_london {"city":"London"}',
        'finish tool-calls',
      ])
      const counted = { inputTokens: 100, outputTokens: 50, inputTokenDetails: { cacheReadTokens: 40 } }
      expect(usage).toMatchObject({ ...counted, ...details })
    })
  })

  it(`the AI SDK runs no tool whose call was cut, through ${integration.name}`, async () => {
    const cut = scripted([
      { text: 'I will book it.' },
      { toolCall: { name: 'book_flight', arguments: ['{"from":"Paris","to":"Os'] } },
      { fault: 'disconnect' },
    ])
    const booked: unknown[] = []
    const inputSchema = z.object({ from: z.string(), to: z.string() })
    const book_flight = tool({ inputSchema, execute: (input) => void booked.push(input) })
    const { fullStream } = streamText({
      model: aiOpenai(await wayTo(integration, cut)).chat(model),
      prompt: 'Book a flight.',
      tools: { book_flight } as ToolSet,
      maxRetries: 0,
      onError: () => undefined,
    })
    const read = async () => {
      for await (const part of fullStream) if (part.type === 'error') throw part.error
    }
    expect(await rejectionOf(read())).toBeInstanceOf(Error)
    expect(booked).toEqual([])
  })

  describe(`LangChain, through ${integration.name}`, () => {
    const calls = [
      { id: 'call_paris', name: 'get_weather', args: { city: 'Paris' } },
      { id: 'call_london', name: 'get_weather', args: { city: 'London' } },
    ]
    const counted = {
      ...{ input_tokens: 100, output_tokens: 50, total_tokens: 150 },
      ...{ input_token_details: { cache_read: 40 }, output_token_details: { reasoning: 20 } },
    }

    it.each<[string, (way: Way) => ChatOpenAI | ChatAnthropic, object, string | undefined]>([
      [
        'chat by @langchain/openai, thoughts included',
        (way) => langchainOpenai(way, model, { streamUsage: true }),
        counted,
        'Both cities.',
      ],
      [
        'messages by @langchain/anthropic',
        (way) => langchainAnthropic(way, 'claude-3-5-haiku-20241022'),
        // LangChain adds the one token that every message begins with.
        { output_tokens: 51 },
        undefined,
      ],
    ])('reads %s', async (_, modelOf, usage, thoughts) => {
      const chat = modelOf(await open())
      const message = await messageOf(await chat.stream('Hi'))
      expect(message.text).toBe('Let me look.')
      expect(message.tool_calls).toMatchObject(calls)
      expect(message.additional_kwargs['reasoning_content']).toBe(thoughts)
      expect(message.usage_metadata).toMatchObject(usage)
      expect((await chat.invoke('Hi')).tool_calls).toMatchObject(calls)
    })
  })
}
