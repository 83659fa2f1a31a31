/** One schema object as written, its keywords checked and typed. */
import type { Pattern } from '../pattern/read-pattern.ts'
import { type JsonValue, TYPE } from './json-value.ts'
import type { NumberDraw, NumberRange } from './number-range.ts'
import type { Naming } from './property-naming.ts'
import type { PatternWriter } from './write-pattern.ts'

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

const NONE: readonly never[] = []

/**
 * One subschema; it says nothing until its keywords are read. Bounds that are not written have their neutral
 * value.
 */
export class Clause {
  readonly id: number
  readonly path: string
  never = false
  types: number = TYPE.any
  named: readonly number[] = NONE
  /** The bits of the types that the written keywords apply to, for schemas without `type`. */
  about = 0
  listings: Listing[] = []
  all: Clause[] = []
  choices: Choice[] = []
  minimum = -Infinity
  maximum = Infinity
  exclusiveMinimum = -Infinity
  exclusiveMaximum = Infinity
  multipleOf: number | undefined
  minLength = 0
  maxLength = Infinity
  pattern: Pattern | undefined
  format: string | undefined
  minItems = 0
  maxItems = Infinity
  uniqueItems = false
  prefixItems: readonly Clause[] = NONE
  items: Clause | undefined
  minProperties = 0
  maxProperties = Infinity
  properties: ReadonlyMap<string, Clause> | undefined
  required: readonly string[] = NONE
  additionalProperties: Clause | undefined
  description: string | undefined
  /** `examples` and then `default`, as written; they may or may not conform. */
  examples: readonly unknown[] = NONE

  constructor(id: number, path: string) {
    this.id = id
    this.path = path
  }
}

/** Clauses that apply together, with the `oneOf` branches that must not. */
export interface Alternative {
  readonly clauses: readonly Clause[]
  readonly excluded: readonly Clause[]
  readonly types: number
}

/**
 * One place. A value conforms when it conforms to one of the shapes. Nodes are shared and may refer to
 * themselves.
 */
export interface SchemaNode {
  readonly path: string
  readonly shapes: readonly ValueShape[]
  /** Levels of nesting that the least deep conforming value needs; `Infinity` when there is none. */
  depth: number
  /** Why a shape was left out, for the rejection when none is left. */
  readonly obstacle: Obstacle | undefined
  /**
   * The kinds of thing that the property names of the whole schema mention; only at the root that
   * `readSchema` returns.
   */
  kinds: ReadonlySet<string>
}

export interface Obstacle {
  readonly path: string
  readonly keyword: string
  readonly what: string
}

/** One way to conform: no `anyOf`, `oneOf`, `allOf` or `$ref` is left in it. */
export interface ValueShape {
  readonly path: string
  /** The clauses taken together; their ids tell when filling comes back to the same place. */
  readonly clauses: readonly Clause[]
  /** Bits of the types, one entry per type, in the order to try them: as written, null last. */
  readonly types: readonly number[]
  /** All that an `enum` or `const` leaves, already checked. */
  readonly values: readonly JsonValue[] | undefined
  /** Branches of a `oneOf` that must not hold. */
  readonly excluded: readonly Clause[]
  readonly number: { readonly range: NumberRange; readonly draw: NumberDraw } | undefined
  readonly string: StringShape | undefined
  readonly array: ArrayShape | undefined
  readonly object: ObjectShape | undefined
  readonly description: string | undefined
  /** From `examples` and `default`, conforming ones only. */
  readonly examples: readonly JsonValue[]
  /** As of the node, for this shape alone. */
  depth: number
}

export interface StringShape {
  readonly minLength: number
  readonly maxLength: number
  readonly formats: readonly string[]
  /** For each format that has texts of other lengths than the usual one. */
  readonly formatWriters: readonly (PatternWriter | undefined)[]
  readonly patterns: PatternWriter | undefined
}

export interface ArrayShape {
  readonly minItems: number
  readonly maxItems: number
  readonly unique: boolean
  readonly prefix: readonly SchemaNode[]
  /** Items behind the prefix. */
  readonly rest: SchemaNode
  depth: number
}

export interface ObjectShape {
  readonly properties: readonly Property[]
  readonly minProperties: number
  readonly maxProperties: number
  /** Values of properties that are not declared. */
  readonly extra: SchemaNode
  readonly extraGiven: boolean
  depth: number
  /** The fields that a prompt can speak of, once they were needed (`fieldsOf`). */
  fields?: unknown
}

export interface Property {
  readonly name: string
  readonly node: SchemaNode
  readonly required: boolean
  readonly naming: Naming
}
