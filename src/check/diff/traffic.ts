/** The responses of a recording, grouped by operation, request fields and form. */

import type * as z from 'zod'
import { readEvents } from '../../contract/judge-exchange.ts'
import { generalised, wordsAt } from '../../contract/schema-places.ts'
import { isFields, jsonIn } from '../../engine/fields.ts'
import { anyItem, pointerPart } from '../../engine/pointer.ts'
import { headerIn, type RecordedExchange } from '../../har/write-har.ts'
import { hasEndMarker, readStream, type StreamEvent } from '../../protocol/read-stream.ts'
import { type RecordedCall, sortRecording } from '../judge-recording.ts'

type JsonType = 'string' | 'number' | 'boolean' | 'object' | 'array' | 'null'

interface FieldShape {
  readonly types: Set<JsonType>
  /** The values of a field, if the contract lists its values. */
  readonly words: Set<string | number | boolean>
  /** How many parents have it. */
  count: number
}

/** Deeper values are ignored. */
const maxDepth = 32

/** Bodies of one kind. Places are pointers with `*` for any item or name. */
export class Shape {
  readonly fields = new Map<string, FieldShape>()
  readonly #schema: z.ZodType | undefined

  /** `schema` shows which fields are maps, and which strings are enum values. */
  constructor(schema: z.ZodType | undefined) {
    this.#schema = schema
  }

  add(value: unknown, pointer = '', depth = 0): void {
    const place = this.#placeOf(pointer)
    const field = this.fields.get(place) ?? { types: new Set(), words: new Set(), count: 0 }
    this.fields.set(place, field)
    field.count += 1
    field.types.add(typeOf(value))
    if (isWord(value) && this.#schema !== undefined && wordsAt(this.#schema, place) !== undefined)
      field.words.add(value)
    if (value === null || typeof value !== 'object' || depth === maxDepth) return
    for (const [name, one] of Object.entries(value))
      this.add(one, `${pointer}${pointerPart(name)}`, depth + 1)
  }

  /** Whether a field is in every parent that was seen. */
  isAlways(place: string): boolean {
    const parent = this.fields.get(place.slice(0, place.lastIndexOf('/')))
    return place === '' || this.fields.get(place)?.count === parent?.count
  }

  /** Whether the contract lists a value for a field. */
  isKnown(place: string, word: unknown): boolean {
    return this.#schema !== undefined && wordsAt(this.#schema, place)?.includes(word) === true
  }

  #placeOf(pointer: string): string {
    return anyItem(this.#schema === undefined ? pointer : generalised(this.#schema, pointer))
  }
}

const typeOf = (value: unknown): JsonType =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : (typeof value as JsonType)

const isWord = (value: unknown): value is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof value)

/** Responses to compare, with the same operation, request fields and form. */
export interface Responses {
  readonly operation: string
  readonly form: 'response' | 'stream' | 'rejection'
  readonly bodies: Map<string, Shape>
  readonly headers: Map<string, { count: number; readonly values: Set<string> }>
  /** How they ended. Aborted ones do not count. */
  readonly ends: Set<string>
  count: number
}

export interface RejectionValues {
  readonly operation: string
  /** `rejection 401 /error/type`. */
  readonly place: string
  readonly seen: Set<string>
}

export interface Traffic {
  readonly responses: ReadonlyMap<string, Responses>
  /** The response statuses of requests with the same fields. */
  readonly statuses: ReadonlyMap<string, { readonly operation: string; readonly seen: Set<number> }>
  /** The `error.type` and `error.code` of rejections of requests with the same fields, by status. */
  readonly errors: ReadonlyMap<string, RejectionValues>
  /** The times of each operation, by the form of the response. */
  readonly times: ReadonlyMap<string, ReadonlyMap<Responses['form'], Times>>
}

/** Milliseconds to the first byte, and to the end of complete responses. */
export interface Times {
  readonly firstByte: number[]
  readonly end: number[]
}

export async function trafficOf(exchanges: readonly RecordedExchange[]): Promise<Traffic> {
  const { calls } = await sortRecording(exchanges)
  const responses = new Map<string, Responses>()
  const statuses = new Map<string, { readonly operation: string; readonly seen: Set<number> }>()
  const times = new Map<string, Map<Responses['form'], Times>>()
  const errors = new Map<string, RejectionValues>()
  for (const call of calls) {
    const { operation } = call.route.endpoint
    const asked = `${operation} ${askedWith(call)}`
    const known = statuses.get(asked) ?? { operation, seen: new Set() }
    known.seen.add(call.response.status)
    statuses.set(asked, known)
    const form = formOf(call)
    const ofForms = times.get(operation) ?? new Map<Responses['form'], Times>()
    times.set(operation, ofForms)
    const { firstByte, end } = ofForms.get(form) ?? { firstByte: [], end: [] }
    ofForms.set(form, { firstByte, end })
    firstByte.push(call.exchange.firstByteAfter)
    if (call.exchange.ended === 'completed') end.push(call.exchange.endedAfter)
    // Errors look alike for every request.
    const key = form === 'rejection' ? `${operation} rejection` : `${asked} ${form}`
    const group = responses.get(key) ?? newResponses(operation, form)
    responses.set(key, group)
    addResponse(group, call)
    if (form === 'rejection') addError(errors, asked, call)
  }
  return { responses, statuses, errors, times }
}

/** Clients branch on these values, although the contract does not list them. */
const errorFields = ['type', 'code'] as const

function addError(
  errors: Map<string, RejectionValues>,
  asked: string,
  { route, response, json }: RecordedCall,
): void {
  const error = isFields(json) ? json['error'] : undefined
  if (!isFields(error)) return
  for (const field of errorFields) {
    const value = error[field]
    if (!isWord(value)) continue
    const place = `rejection ${response.status} /error/${field}`
    const key = `${asked} ${place}`
    const values = errors.get(key) ?? { operation: route.endpoint.operation, place, seen: new Set() }
    values.seen.add(String(value))
    errors.set(key, values)
  }
}

function newResponses(operation: string, form: Responses['form']): Responses {
  return { operation, form, bodies: new Map(), headers: new Map(), ends: new Set(), count: 0 }
}

function askedWith({ request }: RecordedCall): string {
  return isFields(request) ? Object.keys(request).sort().join(',') : ''
}

function formOf({ response }: RecordedCall): Responses['form'] {
  if (response.status >= 400) return 'rejection'
  return isStream(response) ? 'stream' : 'response'
}

const isStream = ({ headers }: RecordedCall['response']): boolean =>
  /^text\/event-stream\b/i.test(headerIn(headers, 'content-type') ?? '')

// They differ between responses, or are about the transport.
const passing: readonly string[] = [
  ...[
    'age',
    'alt-svc',
    'connection',
    'date',
    'expires',
    'keep-alive',
    'nel',
    'report-to',
    'set-cookie',
    'via',
  ],
  ...['content-encoding', 'content-length', 'transfer-encoding', 'etag', 'last-modified', 'vary'],
  ...['retry-after', 'retry-after-ms'],
]

function addResponse(group: Responses, call: RecordedCall): void {
  const { response, exchange, json } = call
  group.count += 1
  for (const name of new Set(response.headers.map(([one]) => one))) {
    if (passing.includes(name) || name.startsWith('cf-')) continue
    const header = group.headers.get(name) ?? { count: 0, values: new Set<string>() }
    header.count += 1
    const value = headerIn(response.headers, name) ?? ''
    if (name === 'content-type') header.values.add(value.split(';')[0]?.trim().toLowerCase() ?? '')
    group.headers.set(name, header)
  }
  if (exchange.ended === 'disconnected') group.ends.add('disconnected')
  else if (exchange.ended === 'completed' && group.form !== 'stream') group.ends.add('completed')
  if (response.bodyLost === true || (exchange.ended !== 'completed' && group.form !== 'stream')) return
  const { endpoint } = call.route
  const shapeOf = (name: string): Shape => {
    const schema =
      group.form === 'rejection' ? undefined : group.form === 'stream' ? endpoint.event : endpoint.response
    const shape = group.bodies.get(name) ?? new Shape(schema?.())
    group.bodies.set(name, shape)
    return shape
  }
  if (group.form !== 'stream') {
    if (json !== undefined) shapeOf('').add(json)
    return
  }
  const events = readEvents(response.body)
  if (exchange.ended === 'completed') group.ends.add(endOf(events))
  for (const { event, data } of events) {
    const value = jsonIn(data)
    if (value !== undefined) shapeOf(event ?? '').add(value)
  }
}

/** How a stream ended: its end marker, finish reason and usage. */
function endOf(events: readonly StreamEvent[]): string {
  const { error, finish, usage } = readStream(events)
  if (error !== undefined) return 'an error'
  const marks = events.filter((_, index) => hasEndMarker(events.slice(0, index + 1))).length
  const isLast = hasEndMarker(events)
  const marker = marks === 0 ? 'no end marker' : marks > 1 ? `${marks} end markers` : 'an end marker'
  const lacks = [finish === undefined ? 'no finish reason' : '', usage === undefined ? 'no usage' : '']
  return [
    marker,
    ...(marks === 1 && !isLast ? ['events after the end marker'] : []),
    ...lacks.filter(Boolean),
  ].join(', ')
}
