/** What the responses to alike requests look like: their headers, fields, types, listed values, and ends. */
import type * as z from 'zod'
import { jsonIn } from '../engine/fields.ts'
import { anyItem, pointerPart } from '../engine/pointer.ts'
import { isLost } from '../exchange/exchange.ts'
import { hasOtherUnit } from '../protocol/contract-reading.ts'
import { hasEndMarker, readStream } from '../protocol/read-stream.ts'
import { generalised, schemasAt, wordsAt } from './contract/schema-places.ts'
import { eventsOf, type JudgedCall, mediaTypeOf } from './judged-calls.ts'

/** The values that calls show, each with the first call that shows it. */
export type Values = ReadonlyMap<string, JudgedCall>

export function valuesOf(
  calls: readonly JudgedCall[],
  valueIn: (call: JudgedCall) => string | undefined,
): Map<string, JudgedCall> {
  const values = new Map<string, JudgedCall>()
  for (const call of calls) {
    const value = valueIn(call)
    if (value !== undefined && !values.has(value)) values.set(value, call)
  }
  return values
}

/** A header or a field. */
export interface Place {
  /** The JSON types. */
  readonly types: Map<string, JudgedCall>
  /** The values of a field whose values the contract lists. */
  readonly words: Map<string, JudgedCall>
  readonly pointer: string
  readonly isHeader: boolean
  /** The place that contains it. */
  readonly parent: string
  count: number
}

export interface Shape {
  readonly places: ReadonlyMap<string, Place>
  readonly ends: Values
  readonly schema: z.ZodType | undefined
  /** Whether every parent has a place. */
  isAlways(place: string): boolean
}

/** Deeper values are ignored. */
const maxDepth = 32

/** Differ between responses, or are about the transport. The media type belongs to the request. */
const passing = new RegExp(
  `^(?:${[
    'age|alt-svc|connection|content-.*|date|etag|expires|keep-alive|last-modified|nel|report-to',
    'retry-after.*|set-cookie|transfer-encoding|vary|via|cf-.*',
  ].join('|')})$`,
)

export function shapeOf(calls: readonly JudgedCall[]): Shape {
  const places = new Map<string, Place>()
  const [first] = calls as [JudgedCall]
  const { event, response } = first.route.endpoint
  const schema = { rejection: undefined, stream: event, response }[formOf(first)]?.()
  const note = (
    call: JudgedCall,
    key: string,
    type: string,
    one: Pick<Place, 'parent' | 'pointer'>,
  ): Place => {
    const isHeader = key.startsWith('header')
    const place = places.get(key) ?? { types: new Map(), words: new Map(), isHeader, count: 0, ...one }
    places.set(key, place)
    place.count += 1
    if (!place.types.has(type)) place.types.set(type, call)
    return place
  }
  const visit = (
    call: JudgedCall,
    prefix: string,
    value: unknown,
    path: readonly [string, string, number],
  ): void => {
    const [at, parent, depth] = path
    const pointer = anyItem(schema === undefined ? at : generalised(schema, at))
    const key = `${prefix}${pointer}`
    const { words } = note(call, key, typeOf(value, schema, pointer), { parent, pointer })
    if (value !== null && typeof value === 'object') {
      for (const [name, one] of depth < maxDepth ? Object.entries(value) : [])
        visit(call, prefix, one, [`${at}${pointerPart(name)}`, key, depth + 1])
    } else if (value !== null && schema !== undefined && wordsAt(schema, pointer) !== undefined)
      words.set(String(value), words.get(String(value)) ?? call)
  }
  for (const call of calls) {
    note(call, 'header', 'present', { parent: '', pointer: '' })
    for (const name of new Set(call.response.headers.map(([one]) => one)))
      if (!passing.test(name)) note(call, `header ${name}`, 'present', { parent: 'header', pointer: '' })
    for (const [prefix, value] of valuesIn(call)) visit(call, prefix, value, ['', '', 0])
  }
  const isAlways = (key: string): boolean => {
    const place = places.get(key)
    return place !== undefined && place.count === (places.get(place.parent)?.count ?? place.count)
  }
  return { places, ends: valuesOf(calls, endOf), schema, isAlways }
}

/** A timestamp that has another unit than the contract says has its own type. */
function typeOf(value: unknown, schema: z.ZodType | undefined, pointer: string): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  const isOther = schema !== undefined && schemasAt(schema, pointer).some((one) => hasOtherUnit(one, value))
  return isOther ? 'number (not Unix seconds)' : typeof value
}

/** The JSON values of a response, each after the name of its event. */
function valuesIn(call: JudgedCall): (readonly [prefix: string, value: unknown])[] {
  const { exchange, response, json } = call
  const form = formOf(call)
  if (isLost(response) || (form !== 'stream' && exchange.ended !== 'completed')) return []
  if (form !== 'stream') return json === undefined ? [] : [[form === 'rejection' ? 'rejection ' : '', json]]
  return (eventsOf(response) ?? []).flatMap(({ event = '', data }) => {
    const value = jsonIn(data)
    return value === undefined ? [] : [[`${event || 'event'} `, value] as const]
  })
}

export function formOf(call: JudgedCall): 'response' | 'stream' | 'rejection' {
  if (call.response.status >= 400) return 'rejection'
  return mediaTypeOf(call.response) === 'text/event-stream' ? 'stream' : 'response'
}

/** How a response ended: a stream by its end marker, finish reason and usage. Aborted ones do not count. */
function endOf(call: JudgedCall): string | undefined {
  const { exchange, response } = call
  if (exchange.ended !== 'completed') return exchange.ended === 'disconnected' ? 'disconnected' : undefined
  if (formOf(call) !== 'stream') return 'completed'
  if (isLost(response)) return undefined
  const events = eventsOf(response) ?? []
  const { error, finish, usage } = readStream(events)
  if (error !== undefined) return 'an error'
  const marks = events.filter((_, index) => hasEndMarker(events.slice(0, index + 1))).length
  const marker = ['no end marker', 'an end marker'][marks] ?? `${marks} end markers`
  const lacks = [
    marks === 1 && !hasEndMarker(events) ? 'events after the end marker' : '',
    finish === undefined ? 'no finish reason' : '',
    usage === undefined ? 'no usage' : '',
  ]
  return [marker, ...lacks.filter((one) => one !== '')].join(', ')
}
