/** Applies patches to the JSON body and events of a response, and jitter to its pace. */

import * as z from 'zod'
import { isFields, mapTexts } from '../engine/fields.ts'
import type { Random } from '../engine/random.ts'
import type { Endpoint } from '../protocol/endpoint.ts'
import type { Media } from '../protocol/media.ts'
import type { PlannedPatch, PlannedResponse } from '../protocol/plan.ts'
import { mediaMark, type PlainResponse, type StreamEvent } from '../protocol/response.ts'

/** The response of a plan, which replaces the endpoint's. */
export function plannedResponse({ status, headers, body }: PlannedResponse): PlainResponse {
  return { status, headers, body }
}

export interface Patched {
  readonly response: PlainResponse
  /** The paths that no event shows; undefined if nothing in the response can be patched. */
  readonly idle: readonly string[] | undefined
}

/** The response with a changed body or changed events. */
export function applyPatch(
  response: PlainResponse,
  patch: PlannedPatch,
  endpoint: Pick<Endpoint, 'shownAs' | 'response'>,
): Patched {
  if (canPatch(response)) return { response: patched(response, patch), idle: [] }
  const { body } = response
  if (body.kind !== 'events') return { response, idle: undefined }
  return patchedEvents(response, body.events, patch, endpoint)
}

function canPatch({ body }: PlainResponse): boolean {
  return body.kind === 'json' && body.value !== null && typeof body.value === 'object'
}

/** Images stay with their placeholders in the text. */
function patched(response: PlainResponse, { merge, unset }: PlannedPatch): PlainResponse {
  const { body } = response
  if (body.kind !== 'json') return response
  const media = body.media ?? []
  let next = 0
  // Placeholders are numbered: removing the field of one image must not shift the others.
  const numbered = mapTexts(structuredClone(body.value), (text) =>
    text.replaceAll(mediaMark, () => `${mediaMark}${next++}${mediaMark}`),
  )
  let value: unknown = numbered
  for (const [path, change] of Object.entries(merge)) value = setAt(value, path.split('.'), change)
  for (const path of unset) removeAt(value, path.split('.'))
  const left: Media[] = []
  const plain = mapTexts(value, (text) =>
    text.replace(new RegExp(`${mediaMark}(\\d+)${mediaMark}`, 'g'), (_, index: string) => {
      const own = media[Number(index)]
      // A client's text may contain a placeholder, which is not an image.
      if (own !== undefined) left.push(own)
      return mediaMark
    }),
  )
  return { ...response, body: { kind: 'json', value: plain, ...(left.length === 0 ? {} : { media: left }) } }
}

/**
 * The response with each wait of its stream changed by up to `jitter` milliseconds and rounded without drift:
 * 30 tokens per second are 33, 33 and 34 ms, and the hundredth token is on time.
 */
export function paced(response: PlainResponse, jitter: number, random: Random): PlainResponse {
  if (response.body.kind !== 'events') return response
  let exact = 0
  let whole = 0
  const events = response.body.events.map((event, index) => {
    const spread =
      event.after === 0 || jitter === 0 ? 0 : random.fork(`event ${index}`).integer(-jitter, jitter)
    exact += Math.max(0, event.after + spread)
    const after = Math.round(exact) - whole
    whole += after
    return after === event.after ? event : { ...event, after }
  })
  return { ...response, body: { kind: 'events', events } }
}

function setAt(value: unknown, [name, ...rest]: readonly string[], change: unknown): unknown {
  if (name === undefined) return merged(value, change)
  if (Array.isArray(value)) {
    const list = [...(value as unknown[])]
    const index = Number(name)
    if (Number.isInteger(index) && index >= 0 && index <= list.length)
      list[index] = setAt(list[index], rest, change)
    return list
  }
  const fields = value !== null && typeof value === 'object' ? (value as Record<string, unknown>) : {}
  return { ...fields, [name]: setAt(Object.hasOwn(fields, name) ? fields[name] : undefined, rest, change) }
}

/** Objects are merged; lists and everything else are replaced; null sets null. */
function merged(value: unknown, change: unknown): unknown {
  if (!isFields(change) || !isFields(value)) return change
  return {
    ...value,
    ...Object.fromEntries(Object.entries(change).map(([name, part]) => [name, merged(value[name], part)])),
  }
}

function removeAt(value: unknown, path: readonly string[]): void {
  const [name, ...rest] = path
  if (name === undefined || value === null || typeof value !== 'object') return
  if (rest.length > 0) return removeAt((value as Record<string, unknown>)[name], rest)
  if (Array.isArray(value)) value.splice(Number(name), 1)
  else delete (value as Record<string, unknown>)[name]
}

/** Changes to the events of a stream, by the fields of the plain response or of an event. */
type Path = readonly string[]
type Holder = Record<string, unknown> | unknown[]

/** A field of an event: the object or list that contains it, and its key. */
interface Place {
  readonly holder: Holder
  readonly key: string
  readonly event: number
}

/**
 * The path at which the events of an operation show a field of the plain response. Default: the same path.
 */
function placesInEvents({ shownAs }: Pick<Endpoint, 'shownAs'>, path: Path): readonly Path[] {
  return shownAs?.(path) ?? [path]
}

/** The response with changed events, and the paths that no event shows. */
function patchedEvents(
  response: PlainResponse,
  events: readonly StreamEvent[],
  { merge, unset }: PlannedPatch,
  endpoint: Pick<Endpoint, 'shownAs' | 'response'>,
): Patched {
  const values = events.map(readEvent)
  const touched = new Set<number>()
  const idle: string[] = []
  const each = (written: string, places: readonly Place[], change: (place: Place) => void): void => {
    if (places.length === 0) idle.push(written)
    for (const place of places) {
      touched.add(place.event)
      change(place)
    }
  }
  for (const [written, change] of Object.entries(merge))
    each(written, changedPlaces(values, written.split('.'), endpoint), ({ holder, key }) => {
      const fields = holder as Record<string, unknown>
      fields[key] = merged(fields[key], structuredClone(change))
    })
  for (const written of unset)
    each(written, shownPlaces(values, placesInEvents(endpoint, written.split('.'))), ({ holder, key }) => {
      if (Array.isArray(holder)) holder.splice(Number(key), 1)
      else delete holder[key]
    })
  return {
    response: {
      ...response,
      body: {
        kind: 'events',
        events: events.map((event, at) => (touched.has(at) ? written(event, values[at]) : event)),
      },
    },
    idle,
  }
}

/**
 * The places of a change: every event that shows the field; if all show null (usage that arrives later), the
 * last of them; for a field that the response does not have, every event with its parent.
 */
function changedPlaces(
  values: readonly unknown[],
  path: Path,
  endpoint: Pick<Endpoint, 'shownAs' | 'response'>,
): readonly Place[] {
  const places = placesInEvents(endpoint, path)
  const shown = shownPlaces(values, places)
  const filled = shown.filter(({ holder, key }) => (holder as Record<string, unknown>)[key] !== null)
  if (filled.length > 0) return filled
  if (shown.length > 0) return shown.slice(-1)
  // A field of the response that this stream does not show was not requested.
  const [name = '', ...more] = path
  const response = endpoint.response?.()
  if (more.length === 0 && response instanceof z.ZodObject && Object.hasOwn(response.shape, name)) return []
  return values.flatMap((value, event) => placeIn(value, places[0] ?? path, event) ?? [])
}

function shownPlaces(values: readonly unknown[], paths: readonly Path[]): readonly Place[] {
  return values.flatMap((value, event) =>
    paths.flatMap((path) => {
      const place = placeIn(value, path, event)
      return place !== undefined && Object.hasOwn(place.holder, place.key) ? [place] : []
    }),
  )
}

function placeIn(value: unknown, path: Path, event: number): Place | undefined {
  let holder = value
  for (const [at, name] of path.entries()) {
    if (holder === null || typeof holder !== 'object') return undefined
    const key = keyIn(holder as Holder, name)
    if (at === path.length - 1) return { holder: holder as Holder, key, event }
    holder = (holder as Record<string, unknown>)[key]
  }
  return undefined
}

// An event has only some of the choices or tool calls: each has its index.
function keyIn(holder: Holder, name: string): string {
  if (!Array.isArray(holder) || !/^\d+$/.test(name)) return name
  if (!holder.some((item) => isFields(item) && typeof item['index'] === 'number')) return name
  return String(holder.findIndex((item) => isFields(item) && item['index'] === Number(name)))
}

// A frame that is written out in a script does not change.
function readEvent({ data, raw }: StreamEvent): unknown {
  if (raw !== undefined || !data.startsWith('{')) return undefined
  return JSON.parse(data)
}

function written({ media, ...event }: StreamEvent, value: unknown): StreamEvent {
  const data = JSON.stringify(value)
  return { ...event, data, ...(media !== undefined && data.includes(mediaMark) ? { media } : {}) }
}
