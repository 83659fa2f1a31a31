/** Calls of the messages API for its tests, and streams taken apart. */
import { expect } from 'vitest'
import type { Simulator } from '../../../src/index.ts'

export const headers = { 'x-api-key': 'sk-test', 'anthropic-version': '2023-06-01' }

/** The smallest request with a prompt, and what a test adds to it. */
export function request(
  prompt: string,
  more: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  return {
    model: 'claude-3-5-haiku-20241022',
    max_tokens: 1000,
    messages: [{ role: 'user', content: prompt }],
    ...more,
  }
}

/** A call with exactly the given headers beside the content type. */
export function send(
  sim: Simulator,
  body: unknown,
  given: Readonly<Record<string, string>> = headers,
  path = '/v1/messages',
): Promise<Response> {
  return sim.fetch(`http://gateway.test${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...given },
    body: JSON.stringify(body),
  })
}

export interface Block {
  readonly type: string
  readonly text?: string
  readonly thinking?: string
  readonly signature?: string
  readonly data?: string
  readonly id?: string
  readonly name?: string
  readonly input?: unknown
}

export interface Message {
  readonly id: string
  readonly content: readonly Block[]
  readonly stop_reason: string
  readonly stop_sequence: string | null
  readonly usage: { readonly input_tokens: number; readonly output_tokens: number }
}

/** The message that answers a request; fails on anything but 200. */
export async function messageOf(sim: Simulator, body: unknown): Promise<Message> {
  const response = await send(sim, body)
  const read = (await response.json()) as Message
  expect(response.status, JSON.stringify(read)).toBe(200)
  return read
}

/** The one text of a message. */
export async function textOf(sim: Simulator, body: unknown): Promise<string> {
  const { content } = await messageOf(sim, body)
  expect(content.map(({ type }) => type)).toEqual(['text'])
  return content[0]?.text ?? ''
}

export interface Rejection {
  readonly type: string
  readonly error: {
    readonly type: string
    readonly code: number
    readonly message: string
    readonly param: string | null
    readonly details: readonly { readonly field?: string; readonly message: string }[]
    readonly trace_id: string
  }
  readonly request_id: string
}

/** What a request is rejected with; fails when it is not a 400. */
export async function rejectionOf(sim: Simulator, body: unknown): Promise<Rejection['error']> {
  const response = await send(sim, body)
  const read = (await response.json()) as Rejection
  expect(response.status, JSON.stringify(read)).toBe(400)
  return read.error
}

interface Delta {
  readonly type: string
  readonly text?: string
  readonly thinking?: string
  readonly signature?: string
  readonly partial_json?: string
}
type Event =
  | { readonly type: 'message_start'; readonly message: Message }
  | { readonly type: 'content_block_start'; readonly index: number; readonly content_block: Block }
  | { readonly type: 'content_block_delta'; readonly index: number; readonly delta: Delta }
  | { readonly type: 'content_block_stop'; readonly index: number }
  | {
      readonly type: 'message_delta'
      readonly delta: { readonly stop_reason: string; readonly stop_sequence: string | null }
      readonly usage: { readonly output_tokens: number }
    }
  | { readonly type: 'message_stop' | 'ping' }

/** The events of a stream that has been read to its end; each names itself twice, alike. */
export function eventsOf(text: string): Event[] {
  return text
    .split('\n\n')
    .filter((block) => block !== '')
    .map((block) => {
      const lines = /^event: (\w+)\ndata: ([^\n]*)$/.exec(block)
      const event = JSON.parse(lines?.[2] ?? 'null') as Event
      expect(event.type).toBe(lines?.[1])
      return event
    })
}

export interface Streamed extends Omit<Message, 'content'> {
  readonly content: readonly Block[]
  /** The JSON texts of tool inputs as they were said. */
  readonly inputs: readonly string[]
}

/** A stream put together again, as clients do. */
export async function streamOf(sim: Simulator, body: Readonly<Record<string, unknown>>): Promise<Streamed> {
  const response = await send(sim, { ...body, stream: true })
  const text = await response.text()
  expect([response.status, response.headers.get('content-type')], text).toEqual([
    200,
    'text/event-stream; charset=utf-8',
  ])
  return assembled(eventsOf(text))
}

function assembled(events: readonly Event[]): Streamed {
  const [first, ...rest] = events
  if (first?.type !== 'message_start') throw new Error('a stream begins with message_start')
  expect(rest.filter(({ type }) => type === 'ping')).toHaveLength(1)
  expect(rest.at(-1)).toEqual({ type: 'message_stop' })
  const content: Record<string, unknown>[] = []
  const inputs: string[] = []
  let end: Extract<Event, { type: 'message_delta' }> | undefined
  let open = -1
  for (const event of rest) {
    if (event.type === 'content_block_start') {
      expect([open, event.index]).toEqual([-1, content.length])
      open = event.index
      content.push({ ...event.content_block })
      inputs.push('')
    } else if (event.type === 'content_block_delta') {
      expect(event.index).toBe(open)
      const { type: _, partial_json, ...fields } = event.delta
      const block = content[open] as Record<string, unknown>
      for (const [name, value] of Object.entries(fields)) block[name] = `${block[name] as string}${value}`
      if (partial_json !== undefined) inputs[open] += partial_json
    } else if (event.type === 'content_block_stop') {
      expect(event.index).toBe(open)
      open = -1
    } else if (event.type === 'message_delta') {
      end = event
    }
  }
  if (end === undefined) throw new Error('a stream ends with message_delta and message_stop')
  return {
    ...first.message,
    content: content as unknown as Block[],
    inputs,
    ...end.delta,
    usage: { ...first.message.usage, ...end.usage },
  }
}

export const weather = {
  name: 'get_weather',
  description: 'Looks up the weather of a city',
  input_schema: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
}
export const mail = {
  name: 'send_email',
  description: 'Sends an email',
  input_schema: { type: 'object', properties: { to: { type: 'string', format: 'email' } }, required: ['to'] },
}
