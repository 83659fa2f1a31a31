/** The error of reading or filling a JSON Schema. */

/** The limits of a schema before it is rejected. */
export const LIMITS = {
  /** Levels of nesting in a schema, in a `const` or in an `enum` value. */
  depth: 64,
  /** Subschemas in one schema, including those behind `$ref`. */
  subschemas: 5_000,
  /** Subschemas in all schemas of one request. */
  together: 10_000,
  /** Subschemas after merging `allOf`, `$ref` and `anyOf`. */
  merged: 5_000,
  /** `anyOf`s and `oneOf`s that apply at one place. */
  choices: 100,
  /** Alternatives that are tried for one place, among the combinations of its `anyOf` and `oneOf`. */
  alternatives: 100,
  /** Values in one `enum`; names in one `required`. */
  list: 2_000,
  /**
   * Parts (scalars, arrays, objects) of a filled value. Beyond half of them, only required parts are filled.
   */
  parts: 10_000,
  /** Characters of a filled value: its strings and property names. */
  characters: 100_000,
  /** Steps of merging one schema, including the checks of its enums and examples. */
  work: 400_000,
  /** Steps of finding one value, including second tries. */
  filling: 150_000,
} as const

/** The remaining subschemas of one request. */
export interface SchemaRoom {
  left: number
}

export const emptyRoom = (): SchemaRoom => ({ left: LIMITS.together })

/**
 * An unsupported schema, or one without a conforming value. The message names the path, the keyword, the
 * received value and a remedy.
 */
export class SchemaRejection extends Error {
  /** The path in the schema, such as `properties.items.items`; `''` is the root. */
  readonly path: string
  /** The rejected keyword, such as `pattern`. */
  readonly keyword: string

  constructor(path: string, keyword: string, what: string) {
    super(`${brief(childPath(path, keyword))}: ${what}`)
    this.name = 'SchemaRefusal'
    this.path = path
    this.keyword = keyword
  }
}

/** The path with one more step. */
export function childPath(path: string, step: string): string {
  return path === '' ? step : `${path}.${step}`
}

/** A short description of a value. Never throws. */
export function describeValue(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(brief(value))
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : `an array of ${value.length}`
  if (typeof value === 'object' && value !== null) return 'an object'
  if (typeof value === 'function' || typeof value === 'symbol') return `a ${typeof value}`
  return String(value)
}

function brief(text: string): string {
  return text.length > 120 ? `${text.slice(0, 117)}...` : text
}
