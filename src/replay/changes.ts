/** What is new in a reply, compared with the last reply about the same resource. */
import { type Fields, isFields } from '../engine/fields.ts'
import { shown } from './differences.ts'
import type { CallView } from './judge.ts'

export interface Changes {
  /** Descriptions of what is new, most important first. */
  of(view: CallView, key: string): string[]
}

/** Fields to show of the first reply about a resource. */
const keyFields = [
  'id',
  'name',
  'status',
  'progress',
  'done',
  'comment',
  'model',
  'object',
  'upload_url',
  'path',
] as const
const maxShown = 6

export function createChanges(): Changes {
  const seen = new Map<string, ReadonlyMap<string, string>>()
  return {
    of({ body, stream, broken, bytes, headers }, key) {
      if (broken !== undefined) return [broken]
      if (stream !== undefined) return describeStream(stream)
      if (!isFields(body))
        return bytes === undefined || bytes === 0
          ? []
          : [`${bytes} bytes of ${headers['content-type'] ?? 'no type'}`]
      const error = body['error']
      if (isFields(error) && body['id'] === undefined && typeof error['message'] === 'string')
        return [`${String(error['type'] ?? 'error')}: ${error['message']}`]
      const id =
        typeof body['id'] === 'string' ? body['id'] : typeof body['name'] === 'string' ? body['name'] : key
      const now = flatten(body)
      const before = seen.get(id)
      seen.set(id, now)
      if (before === undefined) {
        const words = keyFields
          .flatMap((name) => (now.has(name) ? [`${name} ${now.get(name)}`] : []))
          .slice(0, maxShown)
        return words.length > 0 ? words : [`fields ${Object.keys(body).join(', ')}`]
      }
      const changed = [...new Set([...now.keys(), ...before.keys()])].filter(
        (name) => now.get(name) !== before.get(name) && !areBothNull(before.get(name), now.get(name)),
      )
      return changed
        .slice(0, maxShown)
        .map((name) => `${name} ${before.get(name) ?? '-'} → ${now.get(name) ?? '-'}`)
    },
  }
}

// A missing field counts as null.
function areBothNull(before: string | undefined, now: string | undefined): boolean {
  return (before ?? 'null') === 'null' && (now ?? 'null') === 'null'
}

function describeStream({
  text,
  reasoning,
  refusal,
  toolCalls,
  finish,
  count,
  ended,
  error,
}: NonNullable<CallView['stream']>): string[] {
  const words = [`${count} events`]
  if (reasoning !== '') words.push(`reasoning ${short(reasoning)}`)
  if (text !== '') words.push(`text ${short(text)}`)
  if (refusal !== '') words.push(`refusal ${short(refusal)}`)
  for (const call of toolCalls) words.push(`tool ${call.name}`)
  if (finish !== undefined) words.push(`finish ${finish}`)
  if (isFields(error)) words.push(`error ${short(String(error['message'] ?? ''))}`)
  if (ended !== 'done') words.push(`ended ${ended}`)
  return words
}

function flatten(body: Fields): Map<string, string> {
  const found = new Map<string, string>()
  for (const [name, value] of Object.entries(body)) {
    if (isFields(value))
      for (const [inner, one] of Object.entries(value)) found.set(`${name}.${inner}`, short(one))
    else found.set(name, short(value))
  }
  return found
}

function short(value: unknown): string {
  const text = typeof value === 'string' ? value : shown(value)
  return text.length <= 40 ? text : `${text.slice(0, 39)}…`
}
