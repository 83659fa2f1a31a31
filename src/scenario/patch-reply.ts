/**
 * Changes in the JSON body of a reply, and pace in its events: what a plan says beside what the endpoint has
 * answered.
 */
import { isFields } from '../engine/fields.ts'
import type { Random } from '../engine/random.ts'
import type { Media } from '../protocol/media.ts'
import type { PlannedPatch, PlannedReply } from '../protocol/plan.ts'
import { mediaMark, type Reply } from '../protocol/reply.ts'

/** The reply of a plan, instead of the endpoint's own. */
export function plannedReply({ status, headers, body }: PlannedReply): Reply {
  return { status, headers, body }
}

/** Whether a patch has something to act on. */
export function canPatch({ body }: Reply): boolean {
  return body.kind === 'json' && body.value !== null && typeof body.value === 'object'
}

/** The reply with its body changed. Pictures keep their places: each mark in the text goes with its own. */
export function patched(reply: Reply, { merge, unset }: PlannedPatch): Reply {
  const { body } = reply
  if (body.kind !== 'json') return reply
  const media = body.media ?? []
  let next = 0
  // A number behind each mark, so that a picture whose field is taken out does not shift the others.
  const numbered = walk(structuredClone(body.value), (text) =>
    text.replaceAll(mediaMark, () => `${mediaMark}${next++}${mediaMark}`),
  )
  let value: unknown = numbered
  for (const [path, change] of Object.entries(merge)) value = setAt(value, path.split('.'), change)
  for (const path of unset) removeAt(value, path.split('.'))
  const left: Media[] = []
  const plain = walk(value, (text) =>
    text.replace(new RegExp(`${mediaMark}(\\d+)${mediaMark}`, 'g'), (_, index: string) => {
      const own = media[Number(index)]
      // A client may have written a mark into its text: no picture goes there.
      if (own !== undefined) left.push(own)
      return mediaMark
    }),
  )
  return { ...reply, body: { kind: 'json', value: plain, ...(left.length === 0 ? {} : { media: left }) } }
}

/**
 * The reply with each wait of its stream longer or shorter by up to `jitter` milliseconds, and whole: 30
 * tokens a second are 33, 33 and 34 ms, so that the hundredth comes when it should.
 */
export function paced(reply: Reply, jitter: number, random: Random): Reply {
  if (reply.body.kind !== 'events') return reply
  let exact = 0
  let whole = 0
  const events = reply.body.events.map((event, index) => {
    const spread =
      event.after === 0 || jitter === 0 ? 0 : random.fork(`event ${index}`).integer(-jitter, jitter)
    exact += Math.max(0, event.after + spread)
    const after = Math.round(exact) - whole
    whole += after
    return after === event.after ? event : { ...event, after }
  })
  return { ...reply, body: { kind: 'events', events } }
}

function walk(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((item) => walk(item, change))
  if (value !== null && typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, walk(item, change)]))
  return value
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
export function merged(value: unknown, change: unknown): unknown {
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
