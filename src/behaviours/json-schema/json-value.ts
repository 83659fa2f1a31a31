/** JSON values: their types, equality, length and size. */
import { isFields } from '../../engine/fields.ts'
import { limits } from './schema-rejection.ts'

export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue }

export type JsonType = 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object'

/** `number` without the whole numbers, which are of the type `integer`. */
export type ValueType = Exclude<JsonType, 'number'> | 'fraction'

export const jsonTypes: Readonly<Record<JsonType, readonly ValueType[]>> = {
  null: ['null'],
  boolean: ['boolean'],
  integer: ['integer'],
  number: ['fraction', 'integer'],
  string: ['string'],
  array: ['array'],
  object: ['object'],
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
export function codePointLength(text: string): number {
  let length = 0
  for (const _ of text) length++
  return length
}

/** Whether this is plain JSON within the limits of a generated value. */
export function isModestJson(value: unknown): value is JsonValue {
  let parts = 0
  let characters = 0
  const isModest = (part: unknown, depth: number): boolean => {
    parts++
    if (parts > limits.parts || depth > limits.depth) return false
    if (typeof part === 'string') {
      characters += part.length
      return characters <= limits.characters
    }
    if (Array.isArray(part)) return part.every((item) => isModest(item, depth + 1))
    if (isFields(part))
      return Object.entries(part).every(
        ([name, item]) => name !== '__proto__' && isModest(name, depth) && isModest(item, depth + 1),
      )
    return part === null || typeof part === 'boolean' || Number.isFinite(part)
  }
  return isModest(value, 0)
}
