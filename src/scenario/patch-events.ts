/**
 * Changes in the events of a stream. They are written in the fields of the plain reply, or in those of an
 * event, and reach every event that shows the field.
 */
import * as z from 'zod'
import { isFields } from '../engine/fields.ts'
import type { Endpoint } from '../protocol/endpoint.ts'
import type { PlannedPatch } from '../protocol/plan.ts'
import { mediaMark, type Reply, type StreamEvent } from '../protocol/reply.ts'
import { merged } from './patch-reply.ts'

type Path = readonly string[]
type Holder = Record<string, unknown> | unknown[]

/** A field of an event: the object or list that holds it, and the key under which it does. */
interface Place {
  readonly holder: Holder
  readonly key: string
  readonly event: number
}

/** Where the events of an operation show a field of its plain reply; by default under the same path. */
export function placesInEvents({ shownAs }: Pick<Endpoint, 'shownAs'>, path: Path): readonly Path[] {
  return shownAs?.(path) ?? [path]
}

/** The reply with its events changed, and the paths that none of them shows. */
export function patchedEvents(
  reply: Reply,
  { merge, unset }: PlannedPatch,
  endpoint: Pick<Endpoint, 'shownAs' | 'reply'>,
): { readonly reply: Reply; readonly idle: readonly string[] } {
  if (reply.body.kind !== 'events') return { reply, idle: [] }
  const { events } = reply.body
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
    reply: {
      ...reply,
      body: {
        kind: 'events',
        events: events.map((event, at) => (touched.has(at) ? written(event, values[at]) : event)),
      },
    },
    idle,
  }
}

/**
 * Where a change acts: in every event that shows the field; where all show null (a usage that comes later),
 * in the last of them; a field that the reply does not have, wherever its holder is.
 */
function changedPlaces(
  values: readonly unknown[],
  path: Path,
  endpoint: Pick<Endpoint, 'shownAs' | 'reply'>,
): readonly Place[] {
  const places = placesInEvents(endpoint, path)
  const shown = shownPlaces(values, places)
  const said = shown.filter(({ holder, key }) => (holder as Record<string, unknown>)[key] !== null)
  if (said.length > 0) return said
  if (shown.length > 0) return shown.slice(-1)
  // What the reply has and this stream does not show was not asked for.
  const [name = '', ...more] = path
  const { reply } = endpoint
  if (more.length === 0 && reply instanceof z.ZodObject && Object.hasOwn(reply.shape, name)) return []
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

// An event holds few of the choices or tool calls: they say their own place.
function keyIn(holder: Holder, name: string): string {
  if (!Array.isArray(holder) || !/^\d+$/.test(name)) return name
  if (!holder.some((item) => isFields(item) && typeof item['index'] === 'number')) return name
  return String(holder.findIndex((item) => isFields(item) && item['index'] === Number(name)))
}

// A frame that a script spells out is left alone.
function readEvent({ data, raw }: StreamEvent): unknown {
  if (raw !== undefined || !data.startsWith('{')) return undefined
  return JSON.parse(data)
}

function written({ media, ...event }: StreamEvent, value: unknown): StreamEvent {
  const data = JSON.stringify(value)
  return { ...event, data, ...(media !== undefined && data.includes(mediaMark) ? { media } : {}) }
}
