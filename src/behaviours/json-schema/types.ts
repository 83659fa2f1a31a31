/** The JSON types as a set of bits, so that `allOf` is one AND. */
import type { JsonValue } from './json-value.ts'

/** `number` is two bits: whole numbers and the others, because an `integer` is also a `number`. */
export const TYPE = {
  null: 1,
  boolean: 2,
  integer: 4,
  fraction: 8,
  string: 16,
  array: 32,
  object: 64,
  any: 127,
} as const

/** The type names a schema may write, with their bits. */
export const TYPE_NAMES: Readonly<Record<string, number>> = {
  null: TYPE.null,
  boolean: TYPE.boolean,
  integer: TYPE.integer,
  number: TYPE.integer | TYPE.fraction,
  string: TYPE.string,
  array: TYPE.array,
  object: TYPE.object,
}

/** The bit of a value. */
export function typeOf(value: JsonValue): number {
  if (typeof value === 'string') return TYPE.string
  if (typeof value === 'number') return Number.isInteger(value) ? TYPE.integer : TYPE.fraction
  if (typeof value === 'boolean') return TYPE.boolean
  if (value === null) return TYPE.null
  return Array.isArray(value) ? TYPE.array : TYPE.object
}
