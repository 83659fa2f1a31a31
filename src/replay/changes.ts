/** What a reply says that the last one about the same thing did not. */
import { shown } from './differences.ts'
import type { CallView } from './judge.ts'

export interface Changes {
  /** The news of one reply, most telling first. */
  of(view: CallView, key: string): string[]
}

type Fields = Readonly<Record<string, unknown>>

/** Fields that a first look at a thing shows. */
const telling = [
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
const shownAtOnce = 6

/** Nothing has been seen yet. */
export function createChanges(): Changes {
  const seen = new Map<string, ReadonlyMap<string, string>>()
  return {
    of({ body, stream, broken, bytes, headers }, key) {
      if (broken !== undefined) return [broken]
      if (stream !== undefined) return streamWords(stream)
      if (!isFields(body))
        return bytes === undefined || bytes === 0
          ? []
          : [`${bytes} bytes of ${headers['content-type'] ?? 'no type'}`]
      const error = body['error']
      if (isFields(error) && body['id'] === undefined && typeof error['message'] === 'string')
        return [`${String(error['type'] ?? 'error')}: ${error['message']}`]
      const id =
        typeof body['id'] === 'string' ? body['id'] : typeof body['name'] === 'string' ? body['name'] : key
      const now = flat(body)
      const before = seen.get(id)
      seen.set(id, now)
      if (before === undefined) {
        const words = telling
          .flatMap((name) => (now.has(name) ? [`${name} ${now.get(name)}`] : []))
          .slice(0, shownAtOnce)
        return words.length > 0 ? words : [`fields ${Object.keys(body).join(', ')}`]
      }
      const news = [...new Set([...now.keys(), ...before.keys()])].filter(
        (name) => now.get(name) !== before.get(name) && !isNothing(before.get(name), now.get(name)),
      )
      return news
        .slice(0, shownAtOnce)
        .map((name) => `${name} ${before.get(name) ?? '-'} → ${now.get(name) ?? '-'}`)
    },
  }
}

// Null and not there say the same, or make way for the fields of an object.
function isNothing(before: string | undefined, now: string | undefined): boolean {
  return (before ?? 'null') === 'null' && (now ?? 'null') === 'null'
}

function streamWords({
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

function flat(body: Fields): Map<string, string> {
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

function isFields(value: unknown): value is Fields {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}
