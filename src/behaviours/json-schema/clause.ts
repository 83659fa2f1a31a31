/** One schema object as written, with its keywords checked and typed. */
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
 * One subschema. It has no constraints until its keywords are read. Bounds that are not written have neutral
 * values.
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
  /** `examples`, then `default`, as written. They may not conform. */
  examples: readonly unknown[] = NONE

  constructor(id: number, path: string) {
    this.id = id
    this.path = path
  }
}

/** Clauses that apply together, and the `oneOf` branches that must not apply. */
export interface Alternative {
  readonly clauses: readonly Clause[]
  readonly excluded: readonly Clause[]
  readonly types: number
}

/**
 * One place. A value conforms if it conforms to one of the shapes. Nodes are shared and may refer to
 * themselves.
 */
export interface SchemaNode {
  readonly path: string
  readonly shapes: readonly ValueShape[]
  /** The nesting depth of the flattest conforming value; `Infinity` if there is none. */
  depth: number
  /** Why a shape was omitted, for the rejection if no shape is left. */
  readonly obstacle: Obstacle | undefined
  /**
   * The kinds that the property names of the whole schema mention; only at the root that `readSchema`
   * returns.
   */
  kinds: ReadonlySet<string>
}

export interface Obstacle {
  readonly path: string
  readonly keyword: string
  readonly what: string
}

/** One way to conform, without `anyOf`, `oneOf`, `allOf` or `$ref`. */
export interface ValueShape {
  readonly path: string
  /** The merged clauses. Their ids show when filling returns to the same place. */
  readonly clauses: readonly Clause[]
  /** The bits of the types, in the order in which they are tried: as written, null last. */
  readonly types: readonly number[]
  /** The values that an `enum` or `const` allows, already checked. */
  readonly values: readonly JsonValue[] | undefined
  /** Branches of a `oneOf` that must not hold. */
  readonly excluded: readonly Clause[]
  readonly number: { readonly range: NumberRange; readonly draw: NumberDraw } | undefined
  readonly string: StringShape | undefined
  readonly array: ArrayShape | undefined
  readonly object: ObjectShape | undefined
  readonly description: string | undefined
  /** The conforming values of `examples` and `default`. */
  readonly examples: readonly JsonValue[]
  /** Like `depth` of the node, for this shape alone. */
  depth: number
}

export interface StringShape {
  readonly minLength: number
  readonly maxLength: number
  readonly formats: readonly string[]
  /** For each format with strings of several lengths. */
  readonly formatWriters: readonly (PatternWriter | undefined)[]
  readonly patterns: PatternWriter | undefined
}

export interface ArrayShape {
  readonly minItems: number
  readonly maxItems: number
  readonly unique: boolean
  readonly prefix: readonly SchemaNode[]
  /** Items after the prefix. */
  readonly rest: SchemaNode
  depth: number
}

export interface ObjectShape {
  readonly properties: readonly Property[]
  readonly minProperties: number
  readonly maxProperties: number
  /** Values of undeclared properties. */
  readonly extra: SchemaNode
  readonly extraGiven: boolean
  depth: number
  /** The fields that a prompt can mention, cached by `fieldsOf`. */
  fields?: unknown
}

export interface Property {
  readonly name: string
  readonly node: SchemaNode
  readonly required: boolean
  readonly naming: Naming
}
