/** Records a stream, event by event, in the same terms for every API. */
import type { ReceivedEvent } from '../replay/build-request.ts'
import type { AnswerSpec } from '../scenario/format/rule.ts'
import { type ProbeContext, probe } from './probe.ts'
import { formatValue, isRecord } from './yaml.ts'

/** One event of a stream. */
export interface SeenEvent {
  /** After the call. */
  readonly at: number
  readonly lane: EventLane
  /** Its content: a piece of text or arguments, a name, the finish reason. */
  readonly said: string
  /** Whether it is a comment rather than an event. */
  readonly comment?: true
}

export const eventLanes = [
  'start',
  'reasoning',
  'text',
  'refusal',
  'tool',
  'picture',
  'ping',
  'raw',
  'error',
  'usage',
  'end',
] as const
export type EventLane = (typeof eventLanes)[number]

/** What a client sees of a stream. */
export interface StreamHistory {
  readonly operation: string
  readonly status: number | 'broken'
  readonly events: readonly SeenEvent[]
  /** When the last byte arrived, or the client begins to wait for ever. */
  readonly endedAt: number
  readonly ended: 'done' | 'end' | 'broken' | 'silent' | 'left' | 'hang'
}

/** The stream that a call of `operation` gets with this answer, if any. */
export async function recordStream(
  answer: AnswerSpec,
  operation: string,
  context: ProbeContext,
): Promise<StreamHistory | undefined> {
  const result = await probe(answer, operation, context)
  if (result === undefined) return undefined
  const { exchange, simulator } = result
  await simulator.close()
  const { reply, at, broken } = exchange
  if (reply === undefined)
    return {
      operation,
      status: 'broken',
      events: [],
      endedAt: exchange.endedAt - at,
      ended: broken === 'hang' ? 'hang' : 'broken',
    }
  if (reply.events === undefined) return undefined
  const comments = reply.comments.map(
    ({ after, text }): SeenEvent => ({ at: after, lane: 'raw', said: `: ${text}`, comment: true }),
  )
  const events = [...reply.events.map(seenEvent), ...comments].sort((a, b) => a.at - b.at)
  const ended = exchange.ended ?? 'end'
  // When the client gives up on a silent stream says nothing about the stream.
  return {
    operation,
    status: reply.status,
    events,
    endedAt: ended === 'silent' ? (events.at(-1)?.at ?? 0) : exchange.endedAt - at,
    ended,
  }
}

function seenEvent({ after, event, data }: ReceivedEvent): SeenEvent {
  const of = (lane: EventLane, said: unknown = ''): SeenEvent => ({
    at: after,
    lane,
    said: typeof said === 'string' ? said : formatValue(said),
  })
  if (data === '[DONE]') return of('end', '[DONE]')
  let value: unknown
  try {
    value = JSON.parse(data)
  } catch {
    return of('raw', data)
  }
  if (!isRecord(value)) return of('raw', data)
  if (isRecord(value['error']))
    return of('error', String(value['error']['message'] ?? value['error']['type'] ?? ''))
  return Array.isArray(value['choices']) ? chunk(value, of) : named(value, { event, data }, of)
}

type Of = (lane: EventLane, said?: unknown) => SeenEvent

// Chat (wire-formats 2.4).
function chunk({ choices, usage }: Readonly<Record<string, unknown>>, of: Of): SeenEvent {
  const [choice] = choices as readonly unknown[]
  if (!isRecord(choice)) return isRecord(usage) ? of('usage', usage) : of('start')
  const delta = isRecord(choice['delta']) ? choice['delta'] : {}
  const [call] = Array.isArray(delta['tool_calls']) ? (delta['tool_calls'] as unknown[]) : []
  if (isRecord(call)) {
    const fn = isRecord(call['function']) ? call['function'] : isRecord(call['custom']) ? call['custom'] : {}
    // Pieces of several calls may be interleaved.
    const index = Number(call['index'] ?? 0)
    const number = index > 0 ? `#${index + 1} ` : ''
    const name = fn['name'] === undefined ? '' : `${String(fn['name'])} `
    return of('tool', `${number}${name}${String(fn['arguments'] ?? fn['input'] ?? '')}`)
  }
  const reasoning = delta['reasoning_content'] ?? delta['reasoning']
  if (typeof reasoning === 'string' && reasoning !== '') return of('reasoning', reasoning)
  if (typeof delta['refusal'] === 'string' && delta['refusal'] !== '') return of('refusal', delta['refusal'])
  if (typeof delta['content'] === 'string' && delta['content'] !== '') return of('text', delta['content'])
  return typeof choice['finish_reason'] === 'string' ? of('end', choice['finish_reason']) : of('start')
}

// Events with names: messages and images (wire-formats 3.3 and 4).
function named(
  value: Readonly<Record<string, unknown>>,
  { event, data }: Pick<ReceivedEvent, 'event' | 'data'>,
  of: Of,
): SeenEvent {
  const type = String(value['type'] ?? event ?? '')
  const block = isRecord(value['content_block']) ? value['content_block'] : {}
  const delta = isRecord(value['delta']) ? value['delta'] : {}
  switch (type) {
    case 'ping':
      return of('ping')
    case 'content_block_start':
      return block['type'] === 'tool_use'
        ? of('tool', `${String(block['name'])} `)
        : of('start', String(block['type'] ?? ''))
    case 'content_block_delta':
      if (delta['partial_json'] !== undefined) return of('tool', delta['partial_json'])
      if (delta['thinking'] !== undefined) return of('reasoning', delta['thinking'])
      return delta['text'] === undefined
        ? of('start', String(delta['type'] ?? ''))
        : of('text', delta['text'])
    case 'message_delta':
      return of('end', String(delta['stop_reason'] ?? ''))
    case 'message_stop':
      return of('end', type)
    default:
      if (type.endsWith('.partial_image'))
        return of('picture', `step ${Number(value['partial_image_index'] ?? 0) + 1}`)
      if (type.endsWith('.completed')) return of('picture', 'finished')
      if (type === '') return of('raw', data)
      return of('start', type === 'content_block_stop' || type === 'message_start' ? '' : type)
  }
}
