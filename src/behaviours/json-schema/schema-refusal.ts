/** The error of reading or filling a JSON Schema. */

/**
 * A schema that cannot be read, or for which no conforming value was found. The message names the path, the
 * keyword, what was there and what to write instead, for the developer who wrote the schema.
 */
export class SchemaRefusal extends Error {
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
