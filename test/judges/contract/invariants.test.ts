/** Invariants of streams and lifecycles: what is fine. `planted.thorough.test.ts` has the violations. */
import { describe, expect, it } from 'vitest'
import { serviceGroups } from '../../../src/endpoints/registry.ts'
import type { Exchange } from '../../../src/exchange/exchange.ts'
import { judgeStream } from '../../../src/judges/contract/judge-exchange.ts'
import { judgeLifecycle } from '../../../src/judges/contract/judge-lifecycle.ts'
import { callOf } from '../../../src/judges/judged-calls.ts'
import { createRouter, type Route } from '../../../src/protocol/router.ts'

const { routes } = createRouter(serviceGroups)
const route = (operation: string): Route =>
  routes.find(({ endpoint }) => endpoint.operation === operation) as Route

type Ended = 'completed' | 'aborted' | 'disconnected'
type Event = object | string

/** The places at which invariants over a stream are broken. */
function broken(operation: string, request: object, events: readonly Event[], ended: Ended = 'completed') {
  const sent = events.map((data) => ({
    at: 0,
    event: typeof data === 'string' ? undefined : (data as { type?: string }).type,
    data: typeof data === 'string' ? data : JSON.stringify(data),
  }))
  const response = { status: 200, headers: [['content-type', 'text/event-stream']] as const, events: sent }
  const call = callOf({ seq: 0, ended } as Exchange, response, {
    route: route(operation),
    params: {},
    request,
  })
  return judgeStream(call).map(({ args }) => args.got)
}

const chunk = (delta: object, finish: string | null = null, index = 0) => ({
  id: 'c',
  choices: [{ index, delta, finish_reason: finish }],
})
const role = chunk({ role: 'assistant' })

describe('a stream of chat', () => {
  const chat = (request: object, events: readonly Event[], ended?: Ended) =>
    broken('chat.create', request, events, ended)

  it('may mix its choices', () => {
    const events = [
      chunk({ role: 'assistant' }, null, 1),
      role,
      chunk({ content: 'a' }),
      chunk({ content: 'b' }, 'stop', 1),
      chunk({}, 'stop'),
      '[DONE]',
    ]
    expect(chat({ n: 2 }, events)).toEqual([])
    expect(chat({}, events)).toEqual(['indices 0, 1'])
  })

  it('may end its arguments anywhere when the limit cuts it', () => {
    const call = { index: 0, id: 'x', type: 'function', function: { name: 'f', arguments: '{"a' } }
    const of = (finish: string) => [role, chunk({ tool_calls: [call] }), chunk({}, finish), '[DONE]']
    const request = { tools: [{ function: { name: 'f' } }] }
    expect(chat(request, of('length'))).toEqual([])
    expect(chat(request, of('tool_calls'))).toEqual(['"{\\"a"'])
  })

  it('owes a tool call to tool_choice required, unless it is cut or refuses', () => {
    const said = (delta: object, finish: string) =>
      chat({ tool_choice: 'required' }, [role, chunk(delta), chunk({}, finish), '[DONE]'])
    expect(said({ content: 'a' }, 'stop')).toEqual(['nothing'])
    expect(said({ content: 'a' }, 'length')).toEqual([])
    expect(said({ content: 'a' }, 'content_filter')).toEqual([])
    expect(said({ refusal: 'no' }, 'stop')).toEqual([])
    expect(chat({ tool_choice: 'auto' }, [role, chunk({ content: 'a' }, 'stop'), '[DONE]'])).toEqual([])
  })

  it('owes no end when an error ends it, or the client leaves', () => {
    expect(chat({}, [role, { error: { message: 'no' } }])).toEqual([])
    expect(chat({}, [role, { error: { message: 'no' } }, '[DONE]'])).toEqual([])
    expect(chat({}, [role], 'aborted')).toEqual([])
  })

  it('has one finding when the gateway breaks it off, and one when it goes on after an error', () => {
    expect(chat({}, [role], 'disconnected')).toEqual(['nothing after event 1'])
    expect(chat({}, [role, { error: { message: 'no' } }, role])).toEqual([
      'event 3 after an error in event 2',
    ])
  })
})

describe('a stream of a message', () => {
  const start = { type: 'message_start', message: {} }
  const stop = [
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } },
    { type: 'message_stop' },
  ]
  const block = (index: number, start: object, ...deltas: readonly object[]) => [
    { type: 'content_block_start', index, content_block: start },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ]
  const message = (...events: readonly Event[]) => broken('messages.create', {}, events)

  it('may have pings anywhere, and several blocks', () => {
    const ping = { type: 'ping' }
    const thinking = block(0, { type: 'thinking' }, { type: 'signature_delta', signature: 's' })
    const text = block(1, { type: 'text' }, { type: 'text_delta', text: 'a' })
    expect(message(ping, start, ping, ...thinking, ...text, ...stop)).toEqual([])
  })

  it('may call a tool without input', () => {
    const tool = block(0, { type: 'tool_use' }, { type: 'input_json_delta', partial_json: '' })
    expect(message(start, ...tool, ...stop)).toEqual([])
  })

  it('has the deltas of its block', () => {
    const text = block(0, { type: 'text' }, { type: 'thinking_delta', thinking: 'a' })
    expect(message(start, ...text, ...stop)).toEqual(['"thinking_delta" in a "text" block (event 3)'])
  })
})

describe('a lifecycle', () => {
  const lifecycle = (operation: string, ...responses: readonly object[]) =>
    judgeLifecycle(
      responses.map((json) => ({ route: route(operation), exchange: { seq: 0 } as Exchange, json })),
    ).map(({ args }) => args.got)

  it('may skip states, and show what the contract does not know', () => {
    expect(lifecycle('imageJobs.retrieve', { status: 0 }, { status: 2 }, { status: 2 })).toEqual([])
    expect(
      lifecycle('videos.retrieve', { status: 'pending' }, { status: 'new' }, { status: 'failed' }),
    ).toEqual([])
  })

  it('has one end', () => {
    expect(lifecycle('imageJobs.retrieve', { status: 2 }, { status: 3 })).toEqual(['2, then 3 (poll 1)'])
    expect(
      lifecycle('videoOperations.retrieve', { done: true, response: {} }, { done: true, error: {} }),
    ).toEqual(['"response", then "error" (poll 1)'])
  })

  it('may end at less than it had reached, when it fails', () => {
    const failed = { status: 'failed', progress: 0 }
    expect(lifecycle('videos.retrieve', { status: 'in_progress', progress: 60 }, failed)).toEqual([])
  })
})
