/**
 * What the tests of chat share: usual requests, the answer of one choice, refusals as whole bodies, streams
 * put together.
 */
import { expect } from 'vitest'
import type * as z from 'zod'
import type { chatChunk, chatCompletion } from '../../../src/endpoints/chat/response-schema.ts'
import type { Simulator } from '../../../src/index.ts'
import { dataOf, post, simulator } from '../../_setup.ts'
import { invalid, rejection } from '../_openai-family.ts'

export type Completion = z.output<ReturnType<typeof chatCompletion>>
export type Choice = Completion['choices'][number]
export type Chunk = z.output<ReturnType<typeof chatChunk>>
export type Body = Readonly<Record<string, unknown>>

export const path = '/v1/chat/completions'
export const model = 'gpt-4o'

/** A simulator whose clock nobody moves, so that streams come at once. */
export const chatSimulator = (options: Parameters<typeof simulator>[0] = {}): ReturnType<typeof simulator> =>
  simulator({ clock: 'auto', ...options })

/** A request with one message of the user. */
export const asking = (content: unknown, extra: Body = {}): Body => ({
  model,
  messages: [{ role: 'user', content }],
  ...extra,
})

/** The completion of a request that must succeed. */
export async function completed(body: Body, sim: Simulator = chatSimulator()): Promise<Completion> {
  const response = await post(sim, path, body)
  const text = await response.text()
  expect(`${response.status} ${text}`).toMatch(/^200 /)
  return JSON.parse(text) as Completion
}

/** The one choice of a completion. */
export function only({ choices }: Completion): Choice {
  expect(choices).toHaveLength(1)
  return choices[0] as Choice
}

/** The one answer to a prompt, with the usage of its call. */
export async function answerTo(
  content: unknown,
  extra: Body = {},
  sim?: Simulator,
): Promise<Choice & Pick<Completion, 'usage'>> {
  const completion = await completed(asking(content, extra), sim)
  return { ...only(completion), usage: completion.usage }
}

/** What is said to a prompt. */
export const saidTo = async (content: unknown, extra: Body = {}, sim?: Simulator): Promise<string> =>
  (await answerTo(content, extra, sim)).message.content as string

/** A tool with these parameters, all of them required. */
export const functionTool = (name: string, description: string, properties?: object, more: object = {}) => ({
  type: 'function' as const,
  function: {
    name,
    description,
    ...(properties && {
      parameters: {
        type: 'object',
        properties,
        required: Object.keys(properties),
        additionalProperties: false,
        ...more,
      },
    }),
  },
})
export const weather = functionTool('get_weather', 'Get the weather', { city: { type: 'string' } })

/** The refusal of a request, with its status. */
export async function rejected(
  body: unknown,
  sim: Simulator = chatSimulator(),
): Promise<{ status: number; body: unknown }> {
  const response = await post(sim, path, body)
  return { status: response.status, body: await response.json() }
}

/**
 * 400 about one field; `sentence` is what follows the field's name, without the full stop. Without one it is
 * the sentence of a schema, which the tests of the protocol prove.
 */
export function unsuitable(field: string, sentence?: string): { status: number; body: unknown } {
  if (sentence === undefined)
    return { status: 400, body: { error: expect.objectContaining({ code: 400, param: field }) } }
  return { status: 400, body: invalid(field, sentence) }
}

/** A whole error body. */
export const envelope = (error: {
  readonly type?: string
  readonly code?: number
  readonly message: unknown
  readonly param?: string | null
  readonly details?: unknown[]
}): unknown =>
  rejection(
    error.type ?? 'invalid_request_error',
    error.code ?? 400,
    error.message,
    error.param,
    error.details,
  )

/** The text of a stream that has been read to its end. */
export async function streamed(body: Body, sim: Simulator = chatSimulator()): Promise<string> {
  const response = await post(sim, path, { ...body, stream: true })
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  return response.text()
}

/** The chunks of a stream, which must end with its marker; comments are none. */
export async function chunksOf(body: Body, sim?: Simulator): Promise<Chunk[]> {
  const data = dataOf(await streamed(body, sim)).filter((text) => text !== '')
  expect(data.pop()).toBe('[DONE]')
  return data.map((text) => JSON.parse(text) as Chunk)
}

/** A value of JSON whose ids are masked. */
export const withoutIds = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (key, inner: unknown) => (key === 'id' ? '' : inner))

type Writable<T> = { -readonly [Key in keyof T]: T[Key] }

/** A completion put together from the chunks of its stream, as a client does it. */
export function joined(chunks: readonly Chunk[]): Completion {
  const choices: Writable<Choice>[] = []
  for (const { choices: parts } of chunks) {
    for (const { index, delta, finish_reason, logprobs } of parts) {
      const choice = (choices[index] ??= {
        index,
        message: { role: 'assistant', content: null, refusal: null, annotations: [] },
        logprobs: null,
        finish_reason: undefined as never,
      })
      // Said behind its end, nobody would hear it.
      expect(choice.finish_reason).toBeUndefined()
      const message = choice.message as Writable<Choice['message']>
      if (delta.reasoning_content != null)
        message.reasoning_content = (message.reasoning_content ?? '') + delta.reasoning_content
      if (delta.content != null) message.content = (message.content ?? '') + delta.content
      if (delta.refusal != null) message.refusal = (message.refusal ?? '') + delta.refusal
      if (delta.annotations !== undefined) message.annotations = delta.annotations
      for (const { index: at, id = '', function: called, custom } of delta.tool_calls ?? []) {
        const calls = (message.tool_calls ??= [])
        const known = calls[at]
        if (known === undefined)
          calls.push(
            (called === undefined
              ? { id, type: 'custom', custom }
              : { id, type: 'function', function: called }) as (typeof calls)[number],
          )
        else if (known.type === 'function') known.function.arguments += called?.arguments
        else known.custom.input += custom?.input
      }
      if (delta.function_call !== undefined)
        message.function_call = {
          name: message.function_call?.name ?? (delta.function_call.name as string),
          arguments: (message.function_call?.arguments ?? '') + delta.function_call.arguments,
        }
      if (delta.audio !== undefined) {
        const { id, transcript = '', data = '', expires_at } = delta.audio
        const audio = (message.audio ??= { id: id as string, expires_at: 0, data: '', transcript: '' })
        message.audio = {
          ...audio,
          transcript: audio.transcript + transcript,
          data: audio.data + data,
          expires_at: expires_at ?? audio.expires_at,
        }
      }
      if (logprobs !== null)
        choice.logprobs = {
          content:
            logprobs.content === null ? null : [...(choice.logprobs?.content ?? []), ...logprobs.content],
          refusal:
            logprobs.refusal === null ? null : [...(choice.logprobs?.refusal ?? []), ...logprobs.refusal],
        }
      if (finish_reason !== null) choice.finish_reason = finish_reason
    }
  }
  const { id, created, model: answering, service_tier, system_fingerprint } = chunks[0] as Chunk
  const usage = chunks.find((chunk) => chunk.usage != null)?.usage as Completion['usage']
  return {
    id,
    object: 'chat.completion',
    created,
    model: answering,
    service_tier,
    system_fingerprint,
    choices,
    usage,
  }
}
