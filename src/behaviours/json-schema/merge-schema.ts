/**
 * Merges the schemas that apply to one place (`$ref`, `allOf`, a branch of each `anyOf` and `oneOf`) into
 * shapes without combinations, which can be filled one after another.
 */

import { show } from '../../protocol/wording.ts'
import { Words } from '../words.ts'
import { type JsonType, type JsonValue, jsonTypes, type ValueType } from './json-value.ts'
import type { Bound, Choice, Subschema } from './read-schema.ts'
import { Budget, limits, SchemaRejection } from './schema-rejection.ts'

/** The schemas of one place, merged. Nodes can be recursive. */
export class SchemaNode {
  readonly path: string
  /** A value conforms if it conforms to all of these. */
  readonly schemas: readonly Subschema[]
  /** The ways to conform. */
  readonly shapes: Shape[] = []
  /** The levels of the flattest value; infinite if there is none. */
  depth = Infinity
  /** Why there is no shape. */
  obstacle: SchemaRejection | undefined
  #description: Description | undefined
  #subjects: ReadonlySet<string> | undefined

  constructor(schemas: readonly Subschema[]) {
    this.path = schemas[0]?.path ?? ''
    this.schemas = schemas
  }

  get description(): Description {
    return (this.#description ??= describe(this.shapes))
  }

  /** The subjects of the values in the description. */
  get subjects(): ReadonlySet<string> {
    const { values = [] } = this.description
    return (this.#subjects ??= new Set(values.flatMap(({ words }) => [...words.subjects])))
  }
}

/** What those who suggest values want to know of a node. */
export interface Description {
  readonly description: Words
  readonly types: ReadonlySet<JsonType>
  readonly format: string | undefined
  /** The values of `enum` or `const`, and the words of those that are texts. */
  readonly values: readonly { readonly value: JsonValue; readonly words: Words }[] | undefined
}

/** A place in a value. */
export interface Place {
  /** The property's name; that of the array for an item; empty at the root. */
  readonly name: Words
  readonly node: SchemaNode
  /** Whether the value must be there: a required property or the root. */
  readonly required: boolean
  /** The position of an array's item; undefined elsewhere. */
  readonly index: number | undefined
}

/** One way to conform. Of `types`, the first is preferred. */
export interface Shape {
  readonly schemas: readonly Subschema[]
  readonly types: readonly ValueType[]
  /** Those that `enum` or `const` allows. */
  readonly values: readonly JsonValue[] | undefined
  /** The first items of an array, and the others. */
  readonly prefix: readonly SchemaNode[]
  readonly rest: SchemaNode
  /** The declared and required properties of an object, and the values of others. */
  readonly properties: readonly Place[]
  readonly extra: SchemaNode
}

type Alternative = Pick<Shape, 'schemas' | 'types'>

/** Merges a schema. Throws `SchemaRejection` if clearly no value conforms to it. */
export function mergeSchema(root: Subschema): SchemaNode {
  const merger = new Merger()
  const node = merger.node([root])
  merger.mergeAll()
  if (node.depth === Infinity) throw rejectionFor(node)
  return node
}

class Merger {
  readonly #budget = new Budget()
  /** The schemas that end. */
  readonly #finite = new Set<Subschema>()
  readonly #known = new Map<string, SchemaNode>()
  readonly #waiting: { node: SchemaNode; schemas: readonly Subschema[] }[] = []

  node(schemas: readonly Subschema[]): SchemaNode {
    for (const schema of schemas) rejectEndlessReferences(schema, this.#finite, [])
    const closed = withReferences(schemas)
    const key = closed
      .map(({ id }) => id)
      .sort((a, b) => a - b)
      .join()
    const before = this.#known.get(key)
    if (before !== undefined) return before
    const node = new SchemaNode(schemas)
    const what = `more than ${limits.combinations} combinations of schemas; write fewer allOf, anyOf or $ref`
    if (this.#known.size >= limits.combinations) throw new SchemaRejection(node.path, 'allOf', what)
    this.#known.set(key, node)
    this.#waiting.push({ node, schemas: closed })
    return node
  }

  mergeAll(): void {
    for (let next = this.#waiting.pop(); next !== undefined; next = this.#waiting.pop()) {
      const { node, schemas } = next
      const choices = schemas.flatMap((schema) => schema.choices)
      for (const alternative of this.#alternatives(schemas, choices, node)) {
        node.shapes.push(this.#shape(alternative))
        if (node.shapes.length >= limits.alternatives) break
      }
    }
    settleDepths([...this.#known.values()])
  }

  /** The combinations of branches whose types overlap. */
  *#alternatives(
    schemas: readonly Subschema[],
    choices: readonly Choice[],
    node: SchemaNode,
  ): Generator<Alternative> {
    const path = schemas[0]?.path ?? ''
    this.#budget.spend(path, 1 + schemas.length)
    const [choice, ...others] = choices
    const what = `more than ${limits.alternatives} anyOf and oneOf keywords apply to this value; write fewer`
    if (choice !== undefined && choices.length > limits.alternatives)
      throw new SchemaRejection(path, choice.keyword, what)
    const types = commonTypes(schemas)
    if (types.length === 0) return void (node.obstacle ??= noCommonType(schemas))
    if (choice === undefined) return yield { schemas, types }
    for (const branch of choice.branches) {
      const grown = withReferences([...schemas, branch])
      const added = grown.slice(schemas.length).flatMap((schema) => schema.choices)
      yield* this.#alternatives(grown, [...others, ...added], node)
    }
  }

  #shape({ schemas, types }: Alternative): Shape {
    const listed = schemas.find(({ allowed }) => allowed !== undefined)?.allowed
    const positions = Math.max(...schemas.map(({ prefixItems }) => prefixItems.length))
    const prefix = Array.from({ length: positions }, (_, index) =>
      this.node(schemas.flatMap(({ prefixItems, items }) => prefixItems[index] ?? items ?? [])),
    )
    return {
      schemas,
      types,
      values: listed && [...listed.values()],
      prefix,
      rest: this.node(schemas.flatMap(({ items }) => items ?? [])),
      properties: this.#properties(schemas),
      extra: this.node(schemas.flatMap(({ additionalProperties }) => additionalProperties ?? [])),
    }
  }

  #properties(schemas: readonly Subschema[]): readonly Place[] {
    const required = new Set(schemas.flatMap(({ keywords }) => keywords.required ?? []))
    const names = new Set([...schemas.flatMap(({ properties }) => [...properties.keys()]), ...required])
    return [...names].map((name) => {
      const own = schemas.flatMap((one) => one.properties.get(name) ?? one.additionalProperties ?? [])
      const place = { name: new Words(name), node: this.node(own), required: required.has(name) }
      const closed = schemas.find((one) => one.additionalProperties?.never && !one.properties.has(name))
      const what = `got false, but ${show(name)} is required; add it to properties`
      if (place.required && closed !== undefined)
        place.node.obstacle ??= new SchemaRejection(closed.path, 'additionalProperties', what)
      return { ...place, index: undefined }
    })
  }
}

/** What the schemas of a place write for a keyword. */
export function written(schemas: readonly Subschema[], keyword: Bound): readonly number[] {
  return schemas.flatMap(({ keywords }) => keywords[keyword] ?? [])
}

export const least = ({ schemas }: Shape, keyword: Bound): number => Math.max(0, ...written(schemas, keyword))
export const most = ({ schemas }: Shape, keyword: Bound): number => Math.min(...written(schemas, keyword))

function describe(shapes: readonly Shape[]): Description {
  const keywords = shapes.flatMap(({ schemas }) => schemas.map((schema) => schema.keywords))
  const text = (keyword: 'description' | 'format'): string | undefined =>
    keywords.map((one) => one[keyword]).find((one) => typeof one === 'string')
  const types = shapes.flatMap((shape) => shape.types)
  const values = shapes
    .flatMap((shape) => shape.values ?? [])
    .map((value) => ({ value, words: new Words(typeof value === 'string' ? value : '') }))
  return {
    description: new Words(text('description') ?? ''),
    types: new Set(types.map((type) => (type === 'fraction' ? 'number' : type))),
    format: text('format'),
    values: values.length > 0 ? values : undefined,
  }
}

/** The keywords that suggest a type where none is written. */
const suggestive: readonly (readonly [type: ValueType, keywords: RegExp])[] = [
  ['object', /^(?:properties|required|additionalProperties)$/],
  ['array', /^(?:items|prefixItems|minItems|maxItems|uniqueItems)$/],
  ['integer', /^(?:minimum|maximum|exclusiveMinimum|exclusiveMaximum|multipleOf)$/],
]

/** The types that all schemas allow, in the order in which they are tried: null last. */
function commonTypes(schemas: readonly Subschema[]): readonly ValueType[] {
  if (schemas.some(({ never }) => never)) return []
  const typed = schemas.flatMap(({ types }) => (types === undefined ? [] : [types]))
  const common = (typed[0] ?? suggestedTypes(schemas)).filter((type) =>
    typed.every((types) => types.includes(type)),
  )
  return common.toSorted((a, b) => Number(a === 'null') - Number(b === 'null'))
}

function suggestedTypes(schemas: readonly Subschema[]): readonly ValueType[] {
  const keywords = schemas.flatMap((schema) => Object.keys(schema.keywords))
  const suggested = suggestive.filter(([, suggests]) => keywords.some((keyword) => suggests.test(keyword)))
  return [...new Set([...suggested.map(([type]) => type), ...Object.values(jsonTypes).flat()])]
}

function noCommonType(schemas: readonly Subschema[]): SchemaRejection {
  const never = schemas.find((schema) => schema.never)
  const isFalse = 'the schema `false` allows no value; write another schema'
  if (never !== undefined) return new SchemaRejection(never.path, 'false', isFalse)
  const typed = schemas.findLast(({ types }) => types !== undefined)
  const what = 'the schemas for this value have no common type; write types that overlap'
  return new SchemaRejection(typed?.path ?? '', 'type', what)
}

/** The schemas, then those that their `$ref` and `allOf` add, each once. */
function withReferences(schemas: readonly Subschema[]): readonly Subschema[] {
  const found = new Set(schemas)
  for (const schema of found) for (const part of schema.all) found.add(part)
  return [...found]
}

/** Rejects a schema that refers to itself at the same place: validators never finish with it. */
function rejectEndlessReferences(schema: Subschema, seen: Set<Subschema>, open: readonly Subschema[]): void {
  const reject = (what: string): SchemaRejection => new SchemaRejection(schema.path, '$ref', what)
  if (open.includes(schema))
    throw reject('the schema refers to itself without a property or item in between; move it into one')
  if (open.length > limits.depth) throw reject(`more than ${limits.depth} references in a row`)
  if (seen.has(schema)) return
  const atSamePlace = [...schema.all, ...schema.choices.flatMap(({ branches }) => branches)]
  for (const part of atSamePlace) rejectEndlessReferences(part, seen, [...open, schema])
  seen.add(schema)
}

/** Sets the depth of every node: repeated until nothing changes, since nodes can be recursive. */
function settleDepths(nodes: readonly SchemaNode[]): void {
  // Later nodes are mostly deeper.
  const deepestFirst = nodes.toReversed()
  for (let changed = true; changed; ) {
    changed = false
    for (const node of deepestFirst) {
      const depth = Math.min(Infinity, ...node.shapes.map(depthOf))
      changed ||= depth < node.depth
      node.depth = Math.min(depth, node.depth)
    }
  }
}

/** The levels of the flattest value of a shape. */
export function depthOf(shape: Shape): number {
  const { values, types } = shape
  if (values !== undefined || types.some((type) => type !== 'array' && type !== 'object')) return 0
  const depths = types.map((type) => Math.max(-1, ...neededBy(shape, type).map(({ depth }) => depth)))
  return 1 + Math.min(...depths)
}

/** The items or properties that an array or object has at least. */
function neededBy(shape: Shape, type: ValueType): readonly SchemaNode[] {
  const { prefix, rest, properties } = shape
  if (type === 'object') return properties.filter(({ required }) => required).map(({ node }) => node)
  const minItems = least(shape, 'minItems')
  return minItems > prefix.length ? [...prefix, rest] : prefix.slice(0, minItems)
}

/** The first contradiction below a node without a value. */
function rejectionFor(root: SchemaNode): SchemaRejection {
  const seen = new Set([root])
  for (const node of seen) {
    const [shape] = node.shapes
    if (shape === undefined)
      return node.obstacle ?? new SchemaRejection(node.path, 'anyOf', 'no branch can be satisfied')
    const hopeless = shape.types.flatMap((type) => neededBy(shape, type))
    const next = hopeless.find(({ depth }) => depth === Infinity)
    if (next !== undefined) seen.add(next)
  }
  const what = 'the recursion never ends; make a property optional, allow null, or allow an empty array'
  return new SchemaRejection(root.path, '$ref', what)
}
