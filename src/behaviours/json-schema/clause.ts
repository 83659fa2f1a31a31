/** One schema object as written, its keywords checked and typed. */

import type { Pattern } from '../pattern/read-pattern.ts'
import type { JsonValue } from './json-value.ts'
import { TYPE } from './types.ts'

/** `anyOf` or `oneOf`: one of the branches must hold. */
export interface Choice {
  readonly keyword: 'anyOf' | 'oneOf'
  readonly branches: readonly Clause[]
}

/** `enum` or `const`. */
export interface Listing {
  readonly keyword: 'enum' | 'const'
  readonly values: readonly JsonValue[]
  readonly keys: ReadonlySet<string>
}

/**
 * One subschema. Bounds that are not written have their neutral value. `about` has the bits of the types
 * that the written keywords apply to, for schemas without `type`.
 */
export interface Clause {
  readonly id: number
  readonly path: string
  never: boolean
  types: number
  named: readonly number[]
  about: number
  listings: Listing[]
  all: Clause[]
  choices: Choice[]
  minimum: number
  maximum: number
  exclusiveMinimum: number
  exclusiveMaximum: number
  multipleOf: number | undefined
  minLength: number
  maxLength: number
  pattern: Pattern | undefined
  format: string | undefined
  minItems: number
  maxItems: number
  uniqueItems: boolean
  prefixItems: readonly Clause[]
  items: Clause | undefined
  minProperties: number
  maxProperties: number
  properties: ReadonlyMap<string, Clause> | undefined
  required: readonly string[]
  additionalProperties: Clause | undefined
  description: string | undefined
  /** `examples` and then `default`, as written; they may or may not conform. */
  examples: readonly unknown[]
}

/** A clause that says nothing yet. */
export function emptyClause(id: number, path: string): Clause {
  return {
    id,
    path,
    never: false,
    types: TYPE.any,
    named: NONE,
    about: 0,
    listings: [],
    all: [],
    choices: [],
    minimum: -Infinity,
    maximum: Infinity,
    exclusiveMinimum: -Infinity,
    exclusiveMaximum: Infinity,
    multipleOf: undefined,
    minLength: 0,
    maxLength: Infinity,
    pattern: undefined,
    format: undefined,
    minItems: 0,
    maxItems: Infinity,
    uniqueItems: false,
    prefixItems: NONE,
    items: undefined,
    minProperties: 0,
    maxProperties: Infinity,
    properties: undefined,
    required: NONE,
    additionalProperties: undefined,
    description: undefined,
    examples: NONE,
  }
}

const NONE: readonly never[] = []
