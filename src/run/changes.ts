/** What changed: of resources during an advance, and in responses about the same resource. */
import { type Fields, isFields } from '../engine/fields.ts'
import { valueAt } from '../protocol/wording.ts'
import { type CallView, shown } from './expectations.ts'

/** The first changes as text: changes of status, or others (of progress) if there are none. */
export function changesShown(fired: readonly unknown[]): string[] {
  const ofStatus = fired.filter((change) => valueAt(change, ['from']) !== valueAt(change, ['to']))
  return (ofStatus.length > 0 ? ofStatus : fired).slice(0, 6).map(describeChange)
}

/** `video video_1: pending → completed`. */
function describeChange(change: unknown): string {
  const { resource, id, from, to } = change as Fields
  const word = (value: unknown): string => (typeof value === 'string' ? value : shown(value))
  return `${String(resource)} ${String(id)}: ${word(from)} → ${word(to)}`
}

const keyFields = [
  ...['id', 'name', 'status', 'progress', 'done', 'comment', 'model', 'object', 'upload_url', 'path'],
]
const maxShown = 6

/** The changes in a response since the last response about the same resource. */
export function createChanges() {
  const seen = new Map<string, ReadonlyMap<string, string>>()
  return {
    of({ body, stream, broken, bytes, headers }: CallView, key: string): string[] {
      if (broken !== undefined) return [broken]
      if (stream !== undefined) return describeStream(stream)
      if (!isFields(body))
        return bytes === undefined || bytes === 0
          ? []
          : [`${bytes} bytes (${headers['content-type'] ?? 'no content type'})`]
      const error = body['error']
      if (isFields(error) && body['id'] === undefined && typeof error['message'] === 'string')
        return [`${String(error['type'] ?? 'error')}: ${error['message']}`]
      const id = [body['id'], body['name']].find((one) => typeof one === 'string') ?? key
      const now = flatten(body)
      const before = seen.get(id)
      seen.set(id, now)
      if (before === undefined) {
        const words = keyFields
          .flatMap((name) => (now.has(name) ? [`${name} ${now.get(name)}`] : []))
          .slice(0, maxShown)
        return words.length > 0 ? words : [`fields ${Object.keys(body).join(', ')}`]
      }
      // A missing field counts as null.
      const changed = [...new Set([...now.keys(), ...before.keys()])].filter(
        (name) => (now.get(name) ?? 'null') !== (before.get(name) ?? 'null'),
      )
      return changed
        .slice(0, maxShown)
        .map((name) => `${name} ${before.get(name) ?? '-'} → ${now.get(name) ?? '-'}`)
    },
  }
}

function describeStream(stream: NonNullable<CallView['stream']>): string[] {
  const { toolCalls, finish, eventCount, ended, error } = stream
  const words = [`${eventCount} events`]
  for (const name of ['reasoning', 'text', 'refusal'] as const)
    if (stream[name] !== '') words.push(`${name} ${short(stream[name])}`)
  for (const call of toolCalls) words.push(`tool ${call.name}`)
  if (finish !== undefined) words.push(`finish ${finish}`)
  if (isFields(error)) words.push(`error ${short(String(error['message'] ?? ''))}`)
  if (ended !== 'completed') words.push(`ended ${ended}`)
  return words
}

function flatten(body: Fields): Map<string, string> {
  const inside = ([name, value]: [string, unknown]): [string, string][] =>
    isFields(value)
      ? Object.entries(value).map(([inner, one]) => [`${name}.${inner}`, short(one)])
      : [[name, short(value)]]
  return new Map(Object.entries(body).flatMap(inside))
}

function short(value: unknown): string {
  const text = typeof value === 'string' ? value : shown(value)
  return text.length <= 40 ? text : `${text.slice(0, 39)}…`
}
