/** Applies patches to the JSON body of a response, and rounds its pace. */

import { isFields, mapTexts } from '../engine/fields.ts'
import type { Media } from '../protocol/media.ts'
import type { PlannedPatch, PlannedResponse } from '../protocol/plan.ts'
import { mediaMark, type PlainResponse } from '../protocol/response.ts'

/** The response of a plan, which replaces the endpoint's. */
export function plannedResponse({ status, headers, body }: PlannedResponse): PlainResponse {
  return { status, headers, body }
}

/**
 * The response with a changed body; undefined if it is not JSON. Images stay with their placeholders in the
 * text.
 */
export function applyPatch(
  response: PlainResponse,
  { merge, unset }: PlannedPatch,
): PlainResponse | undefined {
  const { body } = response
  if (body.kind !== 'json' || body.value === null || typeof body.value !== 'object') return undefined
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
 * The response with each wait of its stream rounded without drift: 30 tokens per second are 33, 33 and 34 ms,
 * and the hundredth token is on time.
 */
export function paced(response: PlainResponse): PlainResponse {
  if (response.body.kind !== 'events') return response
  let exact = 0
  let whole = 0
  const events = response.body.events.map((event) => {
    exact += event.after
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
