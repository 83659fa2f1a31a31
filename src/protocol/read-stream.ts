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
interface StreamContent {
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
export function readEvent({ event, data }: StreamEvent): StreamContent {
  const content: StreamContent = { ...nothing, calls: new Map() }
  addEvent(content, event, parse(data))
  return content
}

function addEvent(content: StreamContent, event: string | undefined, data: unknown): void {
  if (!isFields(data)) return
  if (isFields(data['error'])) content.error = data['error']
  else if (Array.isArray(data['choices'])) readChunk(data, content)
  else if (typeof (data['type'] ?? event) === 'string') readMessageEvent(data, content)
}

/** Reads a stream; events that are not JSON are kept as received. */
export function readStream<Event extends StreamEvent>(events: readonly Event[]): StreamReading<Event> {
  const content: StreamContent = { ...nothing, calls: new Map() }
  const parsed = events.map((event) => ({ ...event, data: parse(event.data) }))
  for (const { data, event } of parsed) addEvent(content, event, data)
  return {
    text: content.text,
    reasoning: content.reasoning,
    refusal: content.refusal,
    toolCalls: [...content.calls.values()].map(({ name, input }) => ({ name, arguments: parse(input) })),
    finish: content.finish,
    usage: content.usage,
    error: content.error,
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
function readChunk(chunk: Fields, content: StreamContent): void {
  if (isFields(chunk['usage'])) content.usage = chunk['usage']
  for (const choice of chunk['choices'] as unknown[]) {
    if (!isFields(choice) || (choice['index'] ?? 0) !== 0) continue
    if (typeof choice['finish_reason'] === 'string') content.finish = choice['finish_reason']
    const delta = choice['delta']
    if (!isFields(delta)) continue
    content.text += textOf(delta['content'])
    content.reasoning += textOf(delta['reasoning_content'] ?? delta['reasoning'])
    content.refusal += textOf(delta['refusal'])
    for (const call of Array.isArray(delta['tool_calls']) ? (delta['tool_calls'] as unknown[]) : [])
      if (isFields(call))
        addCall(content, String(call['index'] ?? call['id'] ?? 0), call['function'] ?? call['custom'])
    if (isFields(delta['function_call'])) addCall(content, 'function_call', delta['function_call'])
  }
}

function addCall(content: StreamContent, key: string, delta: unknown): void {
  if (!isFields(delta)) return
  const call = content.calls.get(key) ?? { name: '', input: '' }
  call.name += textOf(delta['name'])
  call.input += textOf(delta['arguments'] ?? delta['input'])
  content.calls.set(key, call)
}

function readMessageEvent(event: Fields, content: StreamContent): void {
  const { content_block: block, delta, message } = event
  const key = String(event['index'] ?? 0)
  if (isFields(message) && isFields(message['usage'])) content.usage = { ...message['usage'] }
  if (isFields(event['usage']))
    content.usage = { ...(isFields(content.usage) ? content.usage : {}), ...event['usage'] }
  if (isFields(block)) {
    content.text += textOf(block['text'])
    content.reasoning += textOf(block['thinking'])
    if (block['type'] === 'tool_use') content.calls.set(key, { name: textOf(block['name']), input: '' })
  }
  if (!isFields(delta)) return
  if (typeof delta['stop_reason'] === 'string') content.finish = delta['stop_reason']
  content.text += textOf(delta['text'])
  content.reasoning += textOf(delta['thinking'])
  const call = content.calls.get(key)
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
