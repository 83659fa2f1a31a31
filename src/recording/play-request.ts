/** When two requests are the same: operation and canonical input, whatever headers, key and order. */

import { Hasher } from '../engine/hash.ts'
import { partsOf } from '../engine/pointer.ts'
import type { FormField, Payload } from '../protocol/call.ts'
import { writeInput } from '../protocol/canonical.ts'
import type { Route } from '../protocol/router.ts'
import { valueAt } from '../protocol/wording.ts'

export interface ComparedRequest {
  /** The operation, or method and path where the path is nobody's. */
  readonly target: string
  readonly route: Route | undefined
  readonly params: Readonly<Record<string, string>>
  /** As sent, without `?`. */
  readonly query: string
  readonly payload: Payload
}

/** What was taken out of a recorded request, and so never decides. */
export interface Omitted {
  readonly body: readonly (readonly string[])[]
  readonly query: ReadonlySet<string>
}

/** What never decides, from the marks of a recording (`/user`, `query:sig`). */
export function omittedOf(redacted: readonly string[]): Omitted {
  const pointers = redacted.filter((mark) => mark.startsWith('/'))
  return {
    body: pointers.map(partsOf),
    query: new Set(redacted.flatMap((mark) => (mark.startsWith('query:') ? [mark.slice(6)] : []))),
  }
}

/** A name for what is left out, the same for all recordings that leave out the same. */
export function omittedName({ body, query }: Omitted): string {
  return JSON.stringify([body.map((path) => path.join('/')).sort(), [...query].sort()])
}

/** The digest of a request. Throws `TooDeepError`. */
export function requestDigest(request: ComparedRequest, omitted: Omitted): string {
  const { target, route, params, query, payload } = request
  const hasher = new Hasher().text(target).text(JSON.stringify(params))
  for (const [name, value] of comparedQuery(query, omitted)) hasher.text(name).text(value)
  writeInput(hasher, 'content', without(payload, omitted.body), {
    ignored: noNames,
    defaults: defaultsOf(route),
  })
  return hasher.words().join()
}

/** What leaving a field out says; of `stream` too, on which no content depends. */
export function defaultsOf(route: Route | undefined): ReadonlyMap<string, unknown> {
  return new Map([['stream', false], ...(route?.contentDefaults ?? [])])
}

const noNames: ReadonlySet<string> = new Set()

/** The parameters that decide, by name; equal names keep their order. */
export function comparedQuery(query: string, { query: omitted }: Omitted): [string, string][] {
  if (query === '') return []
  return [...new URLSearchParams(query)]
    .filter(([name]) => !omitted.has(name))
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
}

/** The payload as if what was taken out had been taken out of it too. */
export function without(payload: Payload, paths: Omitted['body']): Payload {
  if (paths.length === 0) return payload
  if (payload.kind === 'form') return { kind: 'form', fields: payload.fields.filter(isKept(paths)) }
  if (payload.kind !== 'json' || payload.value === null || typeof payload.value !== 'object') return payload
  const value: unknown = structuredClone(payload.value)
  for (const path of paths) {
    const holder = valueAt(value, path.slice(0, -1))
    const name = path.at(-1) as string
    if (holder !== null && typeof holder === 'object' && Object.hasOwn(holder, name))
      (holder as Record<string, unknown>)[name] = 'redacted'
  }
  return { ...payload, value }
}

const isKept =
  (paths: Omitted['body']) =>
  ({ name }: FormField): boolean =>
    !paths.some(([first]) => first === name)
