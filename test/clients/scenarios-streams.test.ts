/**
 * Stories of scenarios/ about streams, as the SDKs meet them: what has come before, what is thrown, what is
 * never run.
 */
import type { AIMessageChunk } from '@langchain/core/messages'
import { streamText, type ToolSet, tool } from 'ai'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import type { Integration } from '../_setup.ts'
import { clientIntegrations, rejectionOf, wayTo } from './_integrations.ts'
import { aiOpenai, langchainOpenai } from './_models.ts'
import { ask, only, openaiVia } from './_openai.ts'
import { playing } from './_scenarios.ts'

const model = 'gpt-4o'

const aiModel = async (integration: Integration, story: string) =>
  aiOpenai(await wayTo(integration, playing(story))).chat(model)

const langchainModel = async (integration: Integration, story: string) =>
  langchainOpenai(await wayTo(integration, playing(story)), model)

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

describe.each(clientIntegrations)('stream-cut-in-a-tool-call, through $name', (integration) => {
  const booked: unknown[] = []

  it('openai breaks with half of the arguments in its snapshot; the second try is whole', async () => {
    const client = await openaiVia(integration, playing('stream-cut-in-a-tool-call'))
    const stream = client.chat.completions.stream({ model, messages: ask('Book a flight.') })
    expect(await rejectionOf(stream.finalChatCompletion())).toMatchObject({ message: 'terminated' })
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

describe.each(clientIntegrations)('stream-malformed-event, through $name', (integration) => {
  it('the AI SDK has a part of the kind error that holds the frame', async () => {
    const { parts, errors } = await partsOf(
      streamText({
        model: await aiModel(integration, 'stream-malformed-event'),
        prompt: 'Add them.',
        maxRetries: 0,
        onError: () => undefined,
      }),
    )
    expect(parts.join('')).toContain('The sum is')
    expect(errors).toMatchObject([{ name: 'AI_JSONParseError', text: expect.stringContaining('" 42') }])
  })
})
