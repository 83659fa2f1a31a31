/** The content of a stream's events, in the same terms for every API family. */
import { type Fields, isFields } from '../engine/fields.ts'

/** One event as received. */
export interface StreamEvent {
  readonly event?: string | undefined
  readonly data: string
}

/** The content of a stream; undefined for fields that the API family lacks. */
export interface StreamReading<Event extends StreamEvent = StreamEvent> {
  readonly text: string
  readonly reasoning: string
  readonly refusal: string
  /** The parsed `arguments`, or the received text if it is not JSON. */
  readonly toolCalls: readonly { readonly name: string; readonly arguments: unknown }[]
  /** The value of the API; `neutralFinish` has the neutral one. */
  readonly finish: string | undefined
  readonly usage: unknown
  readonly error: unknown
  /** The number of events, including the end marker. */
  readonly eventCount: number
  /** With parsed data. */
  readonly events: readonly (Omit<Event, 'data'> & { readonly data: unknown })[]
}

/** The content so far, with the input of tool calls as received. */
interface Said {
  text: string
  reasoning: string
  refusal: string
  readonly calls: Map<string, { name: string; input: string }>
  finish: string | undefined
  usage: unknown
  error: unknown
}

const nothing = {
  text: '',
  reasoning: '',
  refusal: '',
  finish: undefined,
  usage: undefined,
  error: undefined,
}

/** The content of one event. */
export function readEvent({ event, data }: StreamEvent): Said {
  const said: Said = { ...nothing, calls: new Map() }
  addEvent(said, event, parse(data))
  return said
}

function addEvent(said: Said, event: string | undefined, data: unknown): void {
  if (!isFields(data)) return
  if (isFields(data['error'])) said.error = data['error']
  else if (Array.isArray(data['choices'])) readChunk(data, said)
  else if (typeof (data['type'] ?? event) === 'string') readMessageEvent(data, said)
}

/** Reads a stream; events that are not JSON are kept as received. */
export function readStream<Event extends StreamEvent>(events: readonly Event[]): StreamReading<Event> {
  const said: Said = { ...nothing, calls: new Map() }
  const parsed = events.map((event) => ({ ...event, data: parse(event.data) }))
  for (const { data, event } of parsed) addEvent(said, event, data)
  return {
    text: said.text,
    reasoning: said.reasoning,
    refusal: said.refusal,
    toolCalls: [...said.calls.values()].map(({ name, input }) => ({ name, arguments: parse(input) })),
    finish: said.finish,
    usage: said.usage,
    error: said.error,
    eventCount: events.length,
    events: parsed,
  }
}

/** Whether these events end with the end marker of an API family. */
export function hasEndMarker(events: readonly StreamEvent[]): boolean {
  const last = events.at(-1)
  if (last === undefined) return false
  if (last.data === '[DONE]') return true
  const data = parse(last.data)
  return (
    isFields(data) &&
    typeof data['type'] === 'string' &&
    (data['type'] === 'message_stop' || data['type'].endsWith('.completed'))
  )
}

// Only the first choice; other choices are visible in the events.
function readChunk(chunk: Fields, said: Said): void {
  if (isFields(chunk['usage'])) said.usage = chunk['usage']
  for (const choice of chunk['choices'] as unknown[]) {
    if (!isFields(choice) || (choice['index'] ?? 0) !== 0) continue
    if (typeof choice['finish_reason'] === 'string') said.finish = choice['finish_reason']
    const delta = choice['delta']
    if (!isFields(delta)) continue
    said.text += textOf(delta['content'])
    said.reasoning += textOf(delta['reasoning_content'] ?? delta['reasoning'])
    said.refusal += textOf(delta['refusal'])
    for (const call of Array.isArray(delta['tool_calls']) ? (delta['tool_calls'] as unknown[]) : [])
      if (isFields(call))
        addCall(said, String(call['index'] ?? call['id'] ?? 0), call['function'] ?? call['custom'])
    if (isFields(delta['function_call'])) addCall(said, 'function_call', delta['function_call'])
  }
}

function addCall(said: Said, key: string, delta: unknown): void {
  if (!isFields(delta)) return
  const call = said.calls.get(key) ?? { name: '', input: '' }
  call.name += textOf(delta['name'])
  call.input += textOf(delta['arguments'] ?? delta['input'])
  said.calls.set(key, call)
}

function readMessageEvent(event: Fields, said: Said): void {
  const { content_block: block, delta, message } = event
  const key = String(event['index'] ?? 0)
  if (isFields(message) && isFields(message['usage'])) said.usage = { ...message['usage'] }
  if (isFields(event['usage']))
    said.usage = { ...(isFields(said.usage) ? said.usage : {}), ...event['usage'] }
  if (isFields(block)) {
    said.text += textOf(block['text'])
    said.reasoning += textOf(block['thinking'])
    if (block['type'] === 'tool_use') said.calls.set(key, { name: textOf(block['name']), input: '' })
  }
  if (!isFields(delta)) return
  if (typeof delta['stop_reason'] === 'string') said.finish = delta['stop_reason']
  said.text += textOf(delta['text'])
  said.reasoning += textOf(delta['thinking'])
  const call = said.calls.get(key)
  if (call !== undefined) call.input += textOf(delta['partial_json'])
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
