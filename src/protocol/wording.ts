/** Values, texts and paths in a few words, for messages. */
import { truncate } from '../engine/truncate.ts'

/** A text of at most `maxLength` characters, with `…` where the rest is left out. */
export function clip(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text
  const end = /[\uD800-\uDBFF]/.test(text.charAt(maxLength - 2)) ? maxLength - 2 : maxLength - 1
  return `${truncate(text, end)}…`
}

/** The longest field path that is shown; a key can be as long as a body. */
const maxFieldLength = 200

/** A path of keys and indexes as people write it. */
export function fieldPath(path: readonly PropertyKey[]): string {
  let text = ''
  for (const part of path) {
    if (typeof part === 'number') text += `[${part}]`
    else text += text === '' ? String(part) : `.${String(part)}`
    if (text.length > maxFieldLength) return clip(text, maxFieldLength)
  }
  return text
}

/** How many words of a list are shown. */
const maxWords = 20

/** `a, b, c`; of a long list the first ones, and how many more there are. */
export function listed(words: readonly string[]): string {
  const first = words.slice(0, maxWords).map((word) => clip(word, 200))
  const more = words.length - first.length
  return `${first.join(', ')}${more === 0 ? '' : ` and ${more} more`}`
}

/** A value as text; empty for an object, which may hold a `toString` that is no function. */
export function asText(value: unknown): string {
  return (typeof value === 'object' && value !== null) || typeof value === 'function' ? '' : String(value)
}

/** Enough of a value to recognise it, never the whole of a long one. */
export function show(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (Array.isArray(value)) return `an array of ${value.length}`
  if (value !== null && typeof value === 'object') return 'an object'
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value)
  return clip(text, 58)
}
