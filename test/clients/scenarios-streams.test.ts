/**
 * Stories of scenarios/ about streams, as the SDKs meet them: what has come before, what is thrown, what is
 * never run.
 */
import { createOpenAI } from '@ai-sdk/openai'
import Anthropic from '@anthropic-ai/sdk'
import { type AIMessageChunk, type BaseMessage, HumanMessage } from '@langchain/core/messages'
import { tool as langchainTool } from '@langchain/core/tools'
import { ChatOpenAI } from '@langchain/openai'
import { generateText, stepCountIs, streamText, type ToolSet, tool } from 'ai'
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import type { Integration } from '../_setup.ts'
import { anthropicVia, ask as askMessages } from './_anthropic.ts'
import { clientIntegrations, refusalOf } from './_integrations.ts'
import { ask, only, openaiVia } from './_openai.ts'
import { playing } from './_scenarios.ts'

const model = 'gpt-4o'

async function aiModel(integration: Integration, story: string) {
  const { fetch, url } = await integration.open(playing(story))
  return createOpenAI({ apiKey: 'sk-test', baseURL: `${url}/v1`, fetch }).chat(model)
}

async function langchainModel(integration: Integration, story: string): Promise<ChatOpenAI> {
  const { fetch, url } = await integration.open(playing(story))
  return new ChatOpenAI({
    model,
    apiKey: 'sk-test',
    maxRetries: 0,
    configuration: { baseURL: `${url}/v1`, fetch, logLevel: 'off' },
  })
}

/** Reads a stream of openai to its end: its text, and what it threw. */
async function read(client: OpenAI): Promise<{ text: string; error: unknown }> {
  let text = ''
  try {
    for await (const { choices } of await client.chat.completions.create({
      model,
      messages: ask('Go on.'),
      stream: true,
    }))
      text += choices[0]?.delta.content ?? ''
  } catch (error) {
    return { text, error }
  }
  return { text, error: undefined }
}

/** Reads a stream of LangChain to its end. */
async function gather(
  stream: AsyncIterable<AIMessageChunk>,
): Promise<{ message: AIMessageChunk | undefined; error: unknown }> {
  let message: AIMessageChunk | undefined
  try {
    for await (const chunk of stream) message = message === undefined ? chunk : message.concat(chunk)
  } catch (error) {
    return { message, error }
  }
  return { message, error: undefined }
}

/** Reads the full stream of the AI SDK: texts and tool calls in a word each, and its errors. */
async function partsOf(
  result: ReturnType<typeof streamText<ToolSet>>,
): Promise<{ parts: string[]; errors: unknown[] }> {
  const parts: string[] = []
  const errors: unknown[] = []
  try {
    for await (const part of result.fullStream) {
      if (part.type === 'text-delta') parts.push(part.text)
      else if (part.type === 'tool-call') parts.push(`call ${part.toolName}`)
      else if (part.type === 'error') errors.push(part.error)
      else if (part.type === 'finish') parts.push(`finish ${part.finishReason}`)
    }
  } catch (error) {
    errors.push(error)
  }
  return { parts, errors }
}

describe.each(clientIntegrations)('stream-error-event, through $name', (integration) => {
  it('openai throws an APIError with the words of the event; asked again, it is answered', async () => {
    const client = await openaiVia(integration, playing('stream-error-event'))
    const { text, error } = await read(client)
    expect(text).toBe('Once upon a time')
    expect(error).toBeInstanceOf(OpenAI.APIError)
    expect(error).toMatchObject({ message: 'Overloaded', type: 'overloaded_error' })
    await read(client)
    expect((await read(client)).error).toBeUndefined()
  })

  it('@anthropic-ai/sdk throws an APIError of that type', async () => {
    const client = await anthropicVia(Anthropic, integration, playing('stream-error-event'))
    const stream = client.messages.stream(askMessages('Tell me a story.'))
    const error = await refusalOf(stream.finalMessage())
    expect(error).toBeInstanceOf(Anthropic.APIError)
    expect(error).toMatchObject({ type: 'overloaded_error', message: expect.stringContaining('Overloaded') })
    expect(stream.currentMessage?.content).toMatchObject([{ type: 'text', text: 'Once upon a time' }])
  })

  it('the AI SDK has a part of the kind error, and ends with the reason error', async () => {
    const { parts, errors } = await partsOf(
      streamText({
        model: await aiModel(integration, 'stream-error-event'),
        prompt: 'Tell me a story.',
        maxRetries: 0,
        onError: () => undefined,
      }),
    )
    expect(parts.slice(0, -1).join('')).toBe('Once upon a time')
    expect(parts.at(-1)).toBe('finish error')
    expect(errors).toMatchObject([{ message: 'Overloaded' }])
  })

  it('LangChain throws from the loop and leaves what has come', async () => {
    const { message, error } = await gather(
      await (await langchainModel(integration, 'stream-error-event')).stream('Tell me a story.'),
    )
    expect(message?.text).toBe('Once upon a time')
    expect(error).toMatchObject({ message: 'Overloaded' })
  })
})

describe.each(clientIntegrations)('stream-cut-in-a-tool-call, through $name', (integration) => {
  const booked: unknown[] = []

  it('openai breaks with half of the arguments in its snapshot; the second try is whole', async () => {
    const client = await openaiVia(integration, playing('stream-cut-in-a-tool-call'))
    const stream = client.chat.completions.stream({ model, messages: ask('Book a flight.') })
    expect(await refusalOf(stream.finalChatCompletion())).toMatchObject({ message: 'terminated' })
    expect(stream.currentChatCompletionSnapshot?.choices[0]).toMatchObject({
      finish_reason: null,
      message: {
        content: 'I will book it.',
        tool_calls: [{ function: { name: 'book_flight', arguments: '{"from":"Paris","to":"Os' } }],
      },
    })
    const again = only(
      await client.chat.completions.stream({ model, messages: ask('Book a flight.') }).finalChatCompletion(),
    )
    expect(again).toMatchObject({
      finish_reason: 'tool_calls',
      message: {
        tool_calls: [{ function: { name: 'book_flight', arguments: '{"from":"Paris","to":"Oslo"}' } }],
      },
    })
  })

  it('the AI SDK does not run the tool', async () => {
    const book_flight = tool({
      inputSchema: z.object({ from: z.string(), to: z.string() }),
      execute: (input) => void booked.push(input),
    })
    const { parts, errors } = await partsOf(
      streamText({
        model: await aiModel(integration, 'stream-cut-in-a-tool-call'),
        prompt: 'Book a flight.',
        tools: { book_flight } as ToolSet,
        maxRetries: 0,
        onError: () => undefined,
      }),
    )
    expect(parts.join('')).toContain('I will book it.')
    expect(parts).not.toContain('call book_flight')
    expect(errors).toHaveLength(1)
    expect(booked).toEqual([])
  })

  it('LangChain throws, and what has come ends in the middle of a call', async () => {
    const { message, error } = await gather(
      await (await langchainModel(integration, 'stream-cut-in-a-tool-call')).stream('Book a flight.'),
    )
    expect(error).toMatchObject({ message: 'terminated' })
    expect(message?.tool_call_chunks?.map(({ args }) => args).join('')).toBe('{"from":"Paris","to":"Os')
    expect(message?.response_metadata['finish_reason']).toBeUndefined()
  })
})

describe.each(clientIntegrations)('stream-malformed-frame, through $name', (integration) => {
  it('openai throws a SyntaxError after what was whole', async () => {
    const client = await openaiVia(integration, playing('stream-malformed-frame'), { logLevel: 'off' })
    const { text, error } = await read(client)
    expect(text).toBe('The sum is')
    expect(error).toBeInstanceOf(SyntaxError)
    expect(await read(client)).toEqual({ text: 'The sum is 42.', error: undefined })
  })

  it('the AI SDK has a part of the kind error that holds the frame', async () => {
    const { parts, errors } = await partsOf(
      streamText({
        model: await aiModel(integration, 'stream-malformed-frame'),
        prompt: 'Add them.',
        maxRetries: 0,
        onError: () => undefined,
      }),
    )
    expect(parts.join('')).toContain('The sum is')
    expect(errors).toMatchObject([{ name: 'AI_JSONParseError', text: expect.stringContaining('" 42') }])
  })

  it('LangChain throws what openai threw', async () => {
    const { message, error } = await gather(
      await (await langchainModel(integration, 'stream-malformed-frame')).stream('Add them.'),
    )
    expect(message?.text).toBe('The sum is')
    expect(String(error)).toMatch(/JSON/)
  })
})

describe.each(clientIntegrations)('stream-without-end-marker, through $name', (integration) => {
  it('openai takes it for whole', async () => {
    const client = await openaiVia(integration, playing('stream-without-end-marker'))
    expect(await read(client)).toEqual({ text: 'All is said.', error: undefined })
  })

  it('@anthropic-ai/sdk does not', async () => {
    const client = await anthropicVia(Anthropic, integration, playing('stream-without-end-marker'))
    expect(await refusalOf(client.messages.stream(askMessages('Say it all.')).finalMessage())).toBeInstanceOf(
      Anthropic.AnthropicError,
    )
  })
})

describe.each(clientIntegrations)('stream-split-character, through $name', (integration) => {
  const whole = 'Fine 🦊 runs'

  it('no client loses the character', async () => {
    expect((await read(await openaiVia(integration, playing('stream-split-character')))).text).toBe(whole)
    const message = await (
      await anthropicVia(Anthropic, integration, playing('stream-split-character'))
    ).messages
      .stream(askMessages('What runs?'))
      .finalMessage()
    expect(message.content).toMatchObject([{ type: 'text', text: whole }])
    expect(
      await streamText({ model: await aiModel(integration, 'stream-split-character'), prompt: 'What runs?' })
        .text,
    ).toBe(whole)
    expect(
      (await gather(await (await langchainModel(integration, 'stream-split-character')).stream('What runs?')))
        .message?.text,
    ).toBe(whole)
  })
})

describe.each(clientIntegrations)('stream-with-keep-alives, through $name', (integration) => {
  it('no client takes a comment for an event', async () => {
    const whole = 'Hold on. Here it is.'
    expect(await read(await openaiVia(integration, playing('stream-with-keep-alives')))).toEqual({
      text: whole,
      error: undefined,
    })
    expect(
      await streamText({ model: await aiModel(integration, 'stream-with-keep-alives'), prompt: 'Find it.' })
        .text,
    ).toBe(whole)
  })
})

describe.each(clientIntegrations)('tool-call-loop, through $name', (integration) => {
  const prompt = 'How is the weather in Paris?'
  const answer = 'It is 18 °C and sunny in Paris.'
  const asked = { city: 'Paris', unit: 'celsius' }

  it('openai runs the tool and answers with its result', async () => {
    const inputs: unknown[] = []
    const client = await openaiVia(integration, playing('tool-call-loop'))
    const runner = client.chat.completions.runTools({
      model,
      messages: ask(prompt),
      tools: [
        {
          type: 'function',
          function: {
            name: 'get_weather',
            description: 'The weather',
            parameters: { type: 'object', properties: { city: { type: 'string' } } },
            parse: JSON.parse as (text: string) => object,
            function: (input: object) => (inputs.push(input), 'sunny, 18 °C'),
          },
        },
      ],
    })
    expect(await runner.finalContent()).toBe(answer)
    expect(inputs).toEqual([asked])
  })

  it('the AI SDK runs it in two steps', async () => {
    const inputs: unknown[] = []
    const get_weather = tool({
      inputSchema: z.object({ city: z.string(), unit: z.string() }),
      execute: (input) => (inputs.push(input), 'sunny, 18 °C'),
    })
    const { text, steps } = await generateText({
      model: await aiModel(integration, 'tool-call-loop'),
      prompt,
      tools: { get_weather },
      stopWhen: stepCountIs(5),
    })
    expect([text, steps.map(({ finishReason }) => finishReason)]).toEqual([answer, ['tool-calls', 'stop']])
    expect(inputs).toEqual([asked])
  })

  it('LangChain is handed the call and sends its result along', async () => {
    const weather = langchainTool(() => 'sunny, 18 °C', {
      name: 'get_weather',
      description: 'The weather',
      schema: z.object({ city: z.string(), unit: z.string() }),
    })
    const models = (await langchainModel(integration, 'tool-call-loop')).bindTools([weather])
    const said: BaseMessage[] = [new HumanMessage(prompt)]
    const first = await models.invoke(said)
    expect(first.tool_calls).toMatchObject([{ name: 'get_weather', args: asked }])
    said.push(first)
    for (const call of first.tool_calls ?? []) said.push((await weather.invoke(call as never)) as never)
    expect((await models.invoke(said)).content).toBe(answer)
  })

  it('@anthropic-ai/sdk is handed the call and sends its result along', async () => {
    const client = await anthropicVia(Anthropic, integration, playing('tool-call-loop'))
    const request = askMessages(prompt)
    const first = await client.messages.create(request)
    expect(first).toMatchObject({
      stop_reason: 'tool_use',
      content: [
        { type: 'text', text: 'Let me look.' },
        { type: 'tool_use', name: 'get_weather', input: asked },
      ],
    })
    const results = first.content.flatMap((block) =>
      block.type === 'tool_use'
        ? [{ type: 'tool_result' as const, tool_use_id: block.id, content: 'sunny, 18 °C' }]
        : [],
    )
    const second = await client.messages.create({
      ...request,
      messages: [
        ...request.messages,
        { role: 'assistant', content: first.content as never },
        { role: 'user', content: results },
      ],
    })
    expect(second).toMatchObject({ stop_reason: 'end_turn', content: [{ type: 'text', text: answer }] })
  })
})
