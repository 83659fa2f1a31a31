/** How messages quote what they speak of: clipped, shown, in a list, and what is not plain data. */
import { type Fields, isFields, jsonIn } from '../engine/fields.ts'
import { truncate } from '../engine/redact.ts'
import { counted } from '../text/printable.ts'

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

/** What a path leads to inside a value. */
export function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let at = value
  for (const part of path)
    at =
      at !== null && typeof at === 'object' && Object.hasOwn(at, part)
        ? (at as Record<PropertyKey, unknown>)[part]
        : undefined
  return at
}

const maxReasonLength = 200

/** Why the contract rejected a request: the type of the error, the field and the message, clipped. */
export function rejectionReason(
  { type, param }: { readonly type: string; readonly param?: string | undefined },
  violations: readonly { readonly field: string; readonly message: string }[],
  response: string | null | undefined,
): string {
  const [first] = violations
  const more = violations.length > 1 ? ` (and ${violations.length - 1} more)` : ''
  const field = first?.field ?? param ?? ''
  const message = first?.message ?? errorMessage(response ?? '')
  const about = field === '' || message.includes(field) ? '' : `${field}: `
  return clip(`${type}: ${about}${message}`.replace(/[:\s]+$/, ''), maxReasonLength) + more
}

/** The message in the body of an error response, whatever API family it is of; empty if there is none. */
export function errorMessage(body: string): string {
  const fields = jsonIn(body) as Fields | undefined
  const error = isFields(fields) && isFields(fields['error']) ? fields['error'] : fields
  const message = isFields(error) ? (error['message'] ?? error['detail']) : undefined
  return typeof message === 'string' ? message : ''
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

/** A value in a message, shortened. */
export function show(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (Array.isArray(value))
    return value.length === 0 ? 'an empty array' : `an array of ${counted(value.length, 'item')}`
  if (value !== null && typeof value === 'object') return 'an object'
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value)
  return clip(text, 58)
}

/** The kind of a value that is not plain data, with a remedy; undefined for data. */
export function notData(value: unknown): { readonly what: string; readonly remedy: string } | undefined {
  if (typeof value === 'function')
    return { what: 'a function', remedy: 'only the whole `then` of a rule may be a function' }
  if (typeof value === 'symbol' || typeof value === 'bigint')
    return { what: `a ${typeof value}`, remedy: 'expected a string or a number' }
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return undefined
  const kind = Object.prototype.toString.call(value).slice(8, -1)
  // The exports of a module are data too.
  if (kind === 'Object' || kind === 'Module') return undefined
  const what = `${/^[AEIO]/.test(kind) ? 'an' : 'a'} ${kind}`
  return { what, remedy: 'expected plain data, as in a JSON file' }
}

/** The number of errors to show: more would not help, and a large file could have millions. */
export const maxErrors = 50

/** `1 error`, `more than 50 errors (first 50 shown)`. */
export function errorsInWords(count: number): string {
  if (count > maxErrors) return `more than ${maxErrors} errors (first ${maxErrors} shown)`
  return `${count} error${count === 1 ? '' : 's'}`
}
