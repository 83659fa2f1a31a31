/** The limits of JSON Schema filling, and the rejection of a schema that cannot be filled. */
import { clip } from '../../protocol/wording.ts'

export const limits = {
  /** Levels of nesting in a schema and in a value. */
  depth: 64,
  /** Subschemas of one schema; of all schemas of a request. */
  subschemas: 5000,
  together: 10_000,
  /** Combinations of `allOf`, `anyOf`, `oneOf` and `$ref` in one schema; alternatives at one place. */
  combinations: 5000,
  alternatives: 100,
  /** Values of an `enum`, names in `required`. */
  list: 2000,
  /** Items and properties of a value, and its characters. */
  parts: 10_000,
  characters: 100_000,
  /** Steps of merging one schema, and of filling one value. */
  steps: 400_000,
} as const

/** A schema without a conforming value, or with an unsupported keyword. */
export class SchemaRejection extends Error {
  /** The path in the schema, such as `properties.items.items`; `''` is the root. */
  readonly path: string
  /** The rejected keyword, such as `pattern`. */
  readonly keyword: string

  /** The message begins with the path and the keyword; `what` says what was found and what to write. */
  constructor(path: string, keyword: string, what: string) {
    super(`${clip(childPath(path, keyword), 120)}: ${what}`)
    this.path = path
    this.keyword = keyword
  }
}

/** The steps that are left for one schema or one value. */
export class Budget {
  #left: number = limits.steps

  /** Counts a step. Throws when none are left. */
  spend(path: string, steps = 1): void {
    this.#left -= steps
    const what = 'this schema takes too many steps; write fewer allOf, anyOf and oneOf, or smaller bounds'
    if (this.#left < 0) throw new SchemaRejection(path, 'allOf', what)
  }
}

export function childPath(path: string, step: string): string {
  return [path, step].filter((part) => part !== '').join('.')
}
