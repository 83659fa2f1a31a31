/** What a recording shows of each operation, sorted so that like is compared with like. */

import { readEvents } from '../../contract/read-events.ts'
import { isFields } from '../../engine/fields.ts'
import type { RecordedExchange } from '../../har/exchange.ts'
import { type RecordedCall, sortRecording } from '../recorded-call.ts'
import { Shape } from './shape.ts'

/** Replies that are compared: of one operation, asked with the same fields, and answered in one form. */
export interface Replies {
  readonly operation: string
  readonly form: 'reply' | 'stream' | 'refusal'
  readonly bodies: Map<string, Shape>
  readonly headers: Map<string, { count: number; readonly values: Set<string> }>
  count: number
}

export interface Traffic {
  readonly replies: ReadonlyMap<string, Replies>
  /** The statuses with which requests of the same fields were answered. */
  readonly statuses: ReadonlyMap<string, { readonly operation: string; readonly seen: Set<number> }>
  /** Milliseconds to the first byte. */
  readonly waits: ReadonlyMap<string, number[]>
}

export async function trafficOf(exchanges: readonly RecordedExchange[]): Promise<Traffic> {
  const { calls } = await sortRecording(exchanges)
  const replies = new Map<string, Replies>()
  const statuses = new Map<string, { readonly operation: string; readonly seen: Set<number> }>()
  const waits = new Map<string, number[]>()
  for (const call of calls) {
    const { operation } = call.route.endpoint
    const asked = `${operation} ${askedWith(call)}`
    const known = statuses.get(asked) ?? { operation, seen: new Set() }
    known.seen.add(call.reply.status)
    statuses.set(asked, known)
    const times = waits.get(operation) ?? []
    times.push(call.exchange.firstByteAfter)
    waits.set(operation, times)
    const form = formOf(call)
    // What is refused looks alike, whatever was asked.
    const key = form === 'refusal' ? `${operation} refusal` : `${asked} ${form}`
    const group = replies.get(key) ?? newReplies(operation, form)
    replies.set(key, group)
    addReply(group, call)
  }
  return { replies, statuses, waits }
}

const newReplies = (operation: string, form: Replies['form']): Replies => ({
  operation,
  form,
  bodies: new Map(),
  headers: new Map(),
  count: 0,
})

/** The names of the fields of a request. */
function askedWith({ request }: RecordedCall): string {
  return isFields(request) ? Object.keys(request).sort().join(',') : ''
}

function formOf({ reply }: RecordedCall): Replies['form'] {
  if (reply.status >= 400) return 'refusal'
  return isStream(reply) ? 'stream' : 'reply'
}

const isStream = ({ headers }: RecordedCall['reply']): boolean =>
  headers.some(([name, value]) => name === 'content-type' && /^text\/event-stream\b/i.test(value))

// They differ from reply to reply, or say how the bytes travelled.
const passing: readonly string[] = [
  'age',
  'alt-svc',
  'connection',
  'content-encoding',
  'content-length',
  'date',
  'etag',
  'expires',
  'keep-alive',
  'last-modified',
  'nel',
  'report-to',
  'retry-after',
  'retry-after-ms',
  'set-cookie',
  'transfer-encoding',
  'vary',
  'via',
]

function addReply(group: Replies, call: RecordedCall): void {
  const { reply, exchange, json } = call
  group.count += 1
  for (const name of new Set(reply.headers.map(([one]) => one))) {
    if (passing.includes(name) || name.startsWith('cf-')) continue
    const header = group.headers.get(name) ?? { count: 0, values: new Set<string>() }
    header.count += 1
    const value = reply.headers.find(([one]) => one === name)?.[1] ?? ''
    if (name === 'content-type') header.values.add(value.split(';')[0]?.trim().toLowerCase() ?? '')
    group.headers.set(name, header)
  }
  if (reply.bodyLost === true || (exchange.ended !== 'complete' && group.form !== 'stream')) return
  const { endpoint } = call.route
  const shapeOf = (name: string): Shape => {
    const schema =
      group.form === 'refusal' ? undefined : group.form === 'stream' ? endpoint.event : endpoint.reply
    const shape = group.bodies.get(name) ?? new Shape(schema)
    group.bodies.set(name, shape)
    return shape
  }
  if (group.form !== 'stream') {
    if (json !== undefined) shapeOf('').add(json)
    return
  }
  for (const { event, data } of readEvents(reply.body)) {
    const value = parsed(data)
    if (value !== undefined) shapeOf(event ?? '').add(value)
  }
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data) as unknown
  } catch {
    return undefined
  }
}
