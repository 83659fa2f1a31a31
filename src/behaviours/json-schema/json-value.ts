/** Equality, copying and size of JSON values. */
import { LIMITS } from './schema-rejection.ts'

export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue }

/**
 * A string that is equal for two values if and only if JSON Schema considers them equal (1 and 1.0; any order
 * of properties).
 */
export function jsonKey(value: JsonValue): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'number') return String(value === 0 ? 0 : value)
  if (typeof value !== 'object' || value === null) return String(value)
  if (Array.isArray(value)) return `[${value.map(jsonKey).join()}]`
  const names = Object.keys(value).sort()
  return `{${names.map((name) => `${JSON.stringify(name)}:${jsonKey(value[name] as JsonValue)}`).join()}}`
}

/** A deep copy. */
export function cloneJson(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(cloneJson)
  const copy: { [key: string]: JsonValue } = {}
  for (const name of Object.keys(value)) copy[name] = cloneJson(value[name] as JsonValue)
  return copy
}

/**
 * Whether this is a JSON value of moderate size: plain data, at most `LIMITS.depth` deep, at most
 * `LIMITS.parts` parts and `LIMITS.characters` characters, no property called `__proto__`.
 */
export function isModestJson(value: unknown): value is JsonValue {
  let parts = 0
  let characters = 0
  const walk = (part: unknown, depth: number): boolean => {
    if (++parts > LIMITS.parts || depth > LIMITS.depth) return false
    if (part === null || typeof part === 'boolean') return true
    if (typeof part === 'number') return Number.isFinite(part)
    if (typeof part === 'string') return (characters += part.length) <= LIMITS.characters
    if (Array.isArray(part)) {
      if (part.length > LIMITS.parts) return false
      for (let i = 0; i < part.length; i++) if (!walk(part[i], depth + 1)) return false
      return true
    }
    if (typeof part !== 'object') return false
    for (const name of Object.keys(part)) {
      characters += name.length
      if (name === '__proto__' || !walk((part as Record<string, unknown>)[name], depth + 1)) return false
    }
    return true
  }
  return walk(value, 0)
}

/** The length in code points, as JSON Schema counts it. */
export function codePointLength(text: string): number {
  let length = text.length
  for (let i = 0; i < text.length - 1; i++) {
    const unit = text.charCodeAt(i)
    if (unit >= 0xd800 && unit <= 0xdbff) {
      const next = text.charCodeAt(i + 1)
      if (next >= 0xdc00 && next <= 0xdfff) {
        length--
        i++
      }
    }
  }
  return length
}

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

/** The type names of JSON Schema, with their bits. */
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
