/** The error of reading or filling a JSON Schema. */

/** The limits of a schema before it is rejected. */
export const LIMITS = {
  /** Levels of nesting in a schema, in a `const` or in an `enum` value. */
  depth: 64,
  /** Subschemas in one schema, those behind `$ref` included. */
  subschemas: 5_000,
  /** Subschemas in all schemas of one request. */
  together: 10_000,
  /** Merged subschemas (what `allOf`, `$ref` and `anyOf` come to together). */
  merged: 5_000,
  /** `anyOf`s and `oneOf`s that hold at one place. */
  choices: 100,
  /** Alternatives that are looked at for one place, of those that its `anyOf` and `oneOf` multiply out to. */
  alternatives: 100,
  /** Values in one `enum`; names in one `required`. */
  list: 2_000,
  /**
   * Parts (scalars, arrays, objects) of a filled value; from half of it on, only required parts are filled.
   */
  parts: 10_000,
  /** Characters of a filled value: its strings and property names. */
  characters: 100_000,
  /** Steps of taking one schema together, its enums and examples checked. */
  work: 400_000,
  /** Steps of finding one value, second tries included. */
  filling: 150_000,
} as const

/** How many more subschemas the schemas of one request may have. */
export interface SchemaRoom {
  left: number
}

export const emptyRoom = (): SchemaRoom => ({ left: LIMITS.together })

/**
 * An unsupported schema, or one without a conforming value. The message names the path, the keyword, the
 * value received and a remedy, for the developer who wrote the schema.
 */
export class SchemaRejection extends Error {
  /** Where in the schema, for instance `properties.items.items`; `''` is the root. */
  readonly path: string
  /** The keyword at fault, for instance `pattern`. */
  readonly keyword: string

  constructor(path: string, keyword: string, what: string) {
    super(`${brief(childPath(path, keyword))}: ${what}`)
    this.name = 'SchemaRefusal'
    this.path = path
    this.keyword = keyword
  }
}

/** The path one step further down. */
export function childPath(path: string, step: string): string {
  return path === '' ? step : `${path}.${step}`
}

/** A value in a few words; never long, never throws. */
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
