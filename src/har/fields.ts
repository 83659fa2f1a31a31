/** Reads the fields of a parsed JSON file that others wrote; each refusal says where. */
import { show } from '../protocol/wording.ts'

/** A HAR file that cannot be read. The message has the place, and what to change. */
export class HarError extends Error {
  override readonly name = 'HarError'
}

/** A value in a file, and where it stands: `calls.har: log.entries[3].request`. */
export interface Place {
  readonly value: unknown
  readonly file: string
  readonly path: string
}

type Fields = Readonly<Record<string, unknown>>

export function refuse({ file, path }: Place, message: string): never {
  throw new HarError(`${file}: ${path === '' ? '' : `${path}: `}${message}`)
}

export function field(place: Place, name: string): Place {
  const { value, file, path } = place
  const at = path === '' ? name : `${path}.${name}`
  const own = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
  // Some recorders write null for what they do not know.
  return { value: own === null ? undefined : own, file, path: at }
}

/** An object; undefined if it is missing. */
export function optionalObject(place: Place): Place | undefined {
  if (place.value === undefined) return undefined
  return isObject(place.value) ? place : refuse(place, `expected an object, got ${show(place.value)}`)
}

export function object(place: Place, what: string): Place {
  return optionalObject(place) ?? refuse(place, `it is missing: expected ${what}`)
}

/** The items of an array; none if it is missing. */
export function items(place: Place): Place[] {
  const { value, file, path } = place
  if (value === undefined) return []
  if (!Array.isArray(value)) return refuse(place, `expected an array, got ${show(value)}`)
  return value.map((item: unknown, index) => ({ value: item, file, path: `${path}[${index}]` }))
}

export function text(place: Place): string | undefined {
  const { value } = place
  if (value === undefined || typeof value === 'string') return value
  return refuse(place, `expected a text, got ${show(value)}`)
}

export function requiredText(place: Place, what: string): string {
  return text(place) ?? refuse(place, `it is missing: expected ${what}`)
}

/** A number; undefined if it is missing or negative, which HAR writes for "unknown". */
export function amount(place: Place): number | undefined {
  const { value } = place
  if (value === undefined) return undefined
  if (typeof value !== 'number' || !Number.isFinite(value))
    return refuse(place, `expected a number, got ${show(value)}`)
  return value < 0 ? undefined : value
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
