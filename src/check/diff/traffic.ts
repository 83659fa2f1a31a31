/** The calls of a recording, and their responses, by request and form. */

import type * as z from 'zod'
import { readEvents } from '../../contract/judge-exchange.ts'
import { generalised, schemasAt, wordsAt } from '../../contract/schema-places.ts'
import { grouped, jsonIn } from '../../engine/fields.ts'
import { anyItem, pointerPart } from '../../engine/pointer.ts'
import { bytesOf, headerIn, isLost } from '../../exchange/exchange.ts'
import { hasOtherUnit } from '../../protocol/contract-reading.ts'
import { hasEndMarker, readStream, type StreamEvent } from '../../protocol/read-stream.ts'
import type { RecordedCall } from '../judge-recording.ts'
import type { KeyedCall } from './same-request.ts'

/** A timestamp that has another unit than the contract says has its own type. */
type JsonType = 'string' | 'number' | 'boolean' | 'object' | 'array' | 'null' | typeof otherUnit

const otherUnit = 'number (not Unix seconds)'

interface FieldShape {
  /** With the first call that showed each. */
  readonly types: Map<JsonType, RecordedCall>
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

  add(value: unknown, call: RecordedCall, pointer = '', depth = 0): void {
    const place = this.#placeOf(pointer)
    const field = this.fields.get(place) ?? { types: new Map(), words: new Set(), count: 0 }
    this.fields.set(place, field)
    field.count += 1
    const type = this.#isOtherUnit(value, place) ? otherUnit : typeOf(value)
    if (!field.types.has(type)) field.types.set(type, call)
    if (isWord(value) && this.#schema !== undefined && wordsAt(this.#schema, place) !== undefined)
      field.words.add(value)
    if (value === null || typeof value !== 'object' || depth === maxDepth) return
    for (const [name, one] of Object.entries(value))
      this.add(one, call, `${pointer}${pointerPart(name)}`, depth + 1)
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

  #isOtherUnit(value: unknown, place: string): boolean {
    const schemas = this.#schema === undefined ? [] : schemasAt(this.#schema, place)
    return schemas.some((schema) => hasOtherUnit(schema, value))
  }

  #placeOf(pointer: string): string {
    return anyItem(this.#schema === undefined ? pointer : generalised(this.#schema, pointer))
  }
}

function typeOf(value: unknown): JsonType {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : (typeof value as JsonType)
}

const isWord = (value: unknown): value is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof value)

/** Responses to compare: of the same form, to equal requests or to requests with the same fields. */
export interface Responses {
  readonly operation: string
  readonly form: 'response' | 'stream' | 'rejection'
  readonly first: RecordedCall
  /** The responses to all requests with the same fields, if these are to equal requests. */
  readonly of: Responses | undefined
  readonly bodies: Map<string, Shape>
  readonly headers: Map<string, { count: number; readonly values: Set<string> }>
  /** How they ended. Aborted ones do not count. */
  readonly ends: Set<string>
  count: number
}

/** Requests with the same key, in order. */
export type Requests = ReadonlyMap<string, readonly KeyedCall[]>

export interface Traffic {
  /** Equal requests. */
  readonly same: Requests
  /** Requests with the same fields. */
  readonly alike: Requests
  /** The responses to equal requests, and to requests with the same fields. */
  readonly responses: {
    readonly same: ReadonlyMap<string, Responses>
    readonly alike: ReadonlyMap<string, Responses>
  }
  /** The times of each operation, by the form of the response. */
  readonly times: ReadonlyMap<string, ReadonlyMap<Responses['form'], Times>>
}

/** Milliseconds to the first byte, and to the end of complete responses. */
export interface Times {
  readonly firstByte: number[]
  readonly end: number[]
}

export function trafficOf(calls: readonly KeyedCall[]): Traffic {
  const responses = { same: new Map<string, Responses>(), alike: new Map<string, Responses>() }
  const times = new Map<string, Map<Responses['form'], Times>>()
  for (const call of calls) {
    const { operation } = call.route.endpoint
    const form = formOf(call)
    const ofForms = times.get(operation) ?? new Map<Responses['form'], Times>()
    times.set(operation, ofForms)
    const { firstByte, end } = ofForms.get(form) ?? { firstByte: [], end: [] }
    ofForms.set(form, { firstByte, end })
    firstByte.push(call.exchange.firstByteAfter)
    if (call.exchange.ended === 'completed') end.push(call.exchange.endedAfter)
    // Errors look alike for every request.
    const alike = form === 'rejection' ? `${operation} rejection` : `${call.alike} ${form}`
    const ofAlike = responses.alike.get(alike) ?? newResponses(call, form)
    responses.alike.set(alike, ofAlike)
    const same = `${call.same} ${form}`
    const ofSame = responses.same.get(same) ?? newResponses(call, form, ofAlike)
    responses.same.set(same, ofSame)
    const content = contentOf(call, form)
    for (const group of [ofAlike, ofSame]) addResponse(group, call, content)
  }
  return {
    same: grouped(calls, ({ same }) => same),
    alike: grouped(calls, ({ alike }) => alike),
    responses,
    times,
  }
}

function newResponses(first: RecordedCall, form: Responses['form'], of?: Responses): Responses {
  const { operation } = first.route.endpoint
  return { operation, form, first, of, bodies: new Map(), headers: new Map(), ends: new Set(), count: 0 }
}

export function formOf({ response }: RecordedCall): Responses['form'] {
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

function addResponse(group: Responses, call: RecordedCall, content: Content): void {
  const { route, response, exchange } = call
  group.count += 1
  for (const name of new Set(response.headers.map(([one]) => one))) {
    if (passing.includes(name) || name.startsWith('cf-')) continue
    const header = group.headers.get(name) ?? { count: 0, values: new Set<string>() }
    header.count += 1
    if (name === 'content-type') header.values.add(mediaTypeOf(response))
    group.headers.set(name, header)
  }
  if (exchange.ended === 'disconnected') group.ends.add('disconnected')
  else if (content.end !== undefined) group.ends.add(content.end)
  const { event, response: body } = route.endpoint
  const schema = { rejection: undefined, stream: event, response: body }[group.form]
  for (const [name, value] of content.values) {
    const shape = group.bodies.get(name) ?? new Shape(schema?.())
    group.bodies.set(name, shape)
    shape.add(value, call)
  }
}

export const mediaTypeOf = ({ headers }: RecordedCall['response']): string =>
  headerIn(headers, 'content-type')?.split(';')[0]?.trim().toLowerCase() ?? ''

/** The JSON values of a body by event, and how a complete response ended. */
interface Content {
  readonly values: readonly (readonly [event: string, value: unknown])[]
  readonly end: string | undefined
}

function contentOf({ exchange, response, json }: RecordedCall, form: Responses['form']): Content {
  const isComplete = exchange.ended === 'completed'
  if (form !== 'stream') {
    const isKept = isComplete && !isLost(response) && json !== undefined
    return { values: isKept ? [['', json]] : [], end: isComplete ? 'completed' : undefined }
  }
  if (isLost(response)) return { values: [], end: undefined }
  const events = readEvents(bytesOf(response.body))
  const values = events.flatMap(({ event = '', data }): Content['values'] => {
    const value = jsonIn(data)
    return value === undefined ? [] : [[event, value]]
  })
  return { values, end: isComplete ? endOf(events) : undefined }
}

/** How a stream ended: its end marker, finish reason and usage. */
function endOf(events: readonly StreamEvent[]): string {
  const { error, finish, usage } = readStream(events)
  if (error !== undefined) return 'an error'
  const marks = events.filter((_, index) => hasEndMarker(events.slice(0, index + 1))).length
  const isLast = hasEndMarker(events)
  const present = marks > 1 ? `${marks} end markers` : 'an end marker'
  const marker = marks === 0 ? 'no end marker' : present
  const lacks = [finish === undefined ? 'no finish reason' : '', usage === undefined ? 'no usage' : '']
  return [
    marker,
    ...(marks === 1 && !isLast ? ['events after the end marker'] : []),
    ...lacks.filter(Boolean),
  ].join(', ')
}
