/** Records a stream, event by event, in the same terms for every API. */
import { isFields, jsonIn } from '../engine/fields.ts'
import { readEvent } from '../protocol/read-stream.ts'
import type { ReceivedEvent } from '../replay/build-request.ts'
import type { AnswerSpec } from '../scenario/format/rule.ts'
import type { StreamEnd } from '../scenario/format/steps.ts'
import { type ProbeContext, probe } from './probe.ts'
import { formatValue } from './yaml.ts'

export interface SeenEvent {
  /** After the call. */
  readonly at: number
  readonly lane: EventLane
  /** Its content: a chunk of text or arguments, a name, the finish reason. */
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
  'image',
  'ping',
  'raw',
  'error',
  'usage',
  'end',
] as const
export type EventLane = (typeof eventLanes)[number]

export interface StreamHistory {
  readonly operation: string
  readonly status: number | 'broken'
  readonly events: readonly SeenEvent[]
  /** The arrival of the last byte, or the time from which the client waits forever. */
  readonly endedAt: number
  readonly ended: StreamEnd | 'hang'
}

export async function recordStream(
  answer: AnswerSpec,
  operation: string,
  context: ProbeContext,
): Promise<StreamHistory | undefined> {
  const result = await probe(answer, operation, context)
  if (result === undefined) return undefined
  const { exchange, simulator } = result
  await simulator.close()
  const { response, at, broken } = exchange
  if (response === undefined)
    return {
      operation,
      status: 'broken',
      events: [],
      endedAt: exchange.endedAt - at,
      ended: broken === 'hang' ? 'hang' : 'disconnected',
    }
  if (response.events === undefined) return undefined
  const comments = response.comments.map(
    ({ elapsed, text }): SeenEvent => ({ at: elapsed, lane: 'raw', said: `: ${text}`, comment: true }),
  )
  const events = [...response.events.map(seenEvent), ...comments].sort((a, b) => a.at - b.at)
  const ended = exchange.ended ?? 'no-end-marker'
  // The timeout of the client on a stalled stream is not a property of the stream.
  return {
    operation,
    status: response.status,
    events,
    endedAt: ended === 'stalled' ? (events.at(-1)?.at ?? 0) : exchange.endedAt - at,
    ended,
  }
}

/** Events of messages without content. */
const silent: readonly string[] = ['message_start', 'content_block_stop', 'message_delta']

function seenEvent({ elapsed, event, data }: ReceivedEvent): SeenEvent {
  const of = (lane: EventLane, said: unknown = ''): SeenEvent => ({
    at: elapsed,
    lane,
    said: typeof said === 'string' ? said : formatValue(said),
  })
  if (data === '[DONE]') return of('end', data)
  const value = jsonIn(data)
  if (!isFields(value)) return of('raw', data)
  const { error, calls, reasoning, refusal, text, finish, usage } = readEvent({ event, data })
  const isChat = Array.isArray(value['choices'])
  const { content_block: block, delta = {}, partial_image_index: step = 0 } = value
  if (isFields(error)) return of('error', String(error['message'] ?? error['type'] ?? ''))
  for (const [index, { name, input }] of calls) {
    // Chunks of several tool calls may be interleaved.
    const number = isChat && Number(index) > 0 ? `#${Number(index) + 1} ` : ''
    return of('tool', `${number}${name === '' ? '' : `${name} `}${input}`)
  }
  if (isFields(delta) && delta['partial_json'] !== undefined) return of('tool', delta['partial_json'])
  if (reasoning !== '') return of('reasoning', reasoning)
  if (refusal !== '') return of('refusal', refusal)
  if (text !== '') return of('text', text)
  if (finish !== undefined) return of('end', finish)
  if (isChat) return usage === undefined ? of('start') : of('usage', usage)
  const type = String(value['type'] ?? event ?? '')
  if (type === '') return of('raw', data)
  if (type === 'ping') return of('ping')
  if (type === 'message_stop') return of('end', type)
  if (type.endsWith('.partial_image')) return of('image', `step ${Number(step) + 1}`)
  if (type.endsWith('.completed')) return of('image', 'finished')
  const kind = isFields(block) ? block['type'] : isFields(delta) ? delta['type'] : undefined
  return of('start', kind ?? (silent.includes(type) ? '' : type))
}
