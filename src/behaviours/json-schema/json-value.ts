/** JSON values: their types, equality and length. */
import { isFields } from '../../engine/fields.ts'
import { limits } from './schema-rejection.ts'

export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue }

export type JsonType = 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object'

/** `number` without the whole numbers, which are of the type `integer`. */
export type ValueType = Exclude<JsonType, 'number'> | 'fraction'

/** The order in which types are tried where none is written. */
export const jsonTypes: Readonly<Record<JsonType, readonly ValueType[]>> = {
  string: ['string'],
  integer: ['integer'],
  number: ['fraction', 'integer'],
  boolean: ['boolean'],
  object: ['object'],
  array: ['array'],
  null: ['null'],
}

export function typeOf(value: JsonValue): ValueType {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'fraction'
  return typeof value as 'boolean' | 'string' | 'object'
}

/** A string that is equal for two values if and only if JSON Schema considers them equal. */
export function jsonKey(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(jsonKey).join()}]`
  if (isFields(value)) {
    const names = Object.keys(value).sort()
    return `{${names.map((name) => `${JSON.stringify(name)}:${jsonKey(value[name] as JsonValue)}`).join()}}`
  }
  // -0 and 0 are the same number.
  return JSON.stringify(value === 0 ? 0 : value)
}

/** The length in code points, as JSON Schema counts it. */
export const codePointLength = (text: string): number => [...text].length

/** Whether a value is no deeper than a generated one. */
export function isModest(value: unknown, depth = 0): value is JsonValue {
  if (typeof value !== 'object' || value === null) return true
  return depth < limits.depth && Object.values(value).every((part) => isModest(part, depth + 1))
}
