/**
 * Merges the schemas that apply to one place (`$ref`, `allOf`, a branch of each `anyOf` and `oneOf`) into
 * shapes without combinations, which can be filled one after another.
 */
import { conforms } from './conforms.ts'
import type { JsonValue, ValueType } from './json-value.ts'
import type { Choice, Subschema } from './read-schema.ts'
import { Budget, limits, SchemaRejection } from './schema-rejection.ts'

/** A place in a value: a value conforms if it conforms to one of the shapes. Places can be recursive. */
export interface SchemaNode {
  readonly path: string
  readonly shapes: Shape[]
  /** The levels of the flattest value; infinite if there is none. */
  depth: number
  /** Why there is no shape. */
  obstacle: SchemaRejection | undefined
}

/** One way to conform. Of `types`, the first is preferred. */
export interface Shape {
  readonly path: string
  readonly schemas: readonly Subschema[]
  /** Branches of `oneOf` that must not hold. */
  readonly excluded: readonly Subschema[]
  readonly types: readonly ValueType[]
  readonly values: readonly JsonValue[] | undefined
  readonly number: NumberShape
  readonly string: StringShape
  readonly array: ArrayShape
  readonly object: ObjectShape
}

export interface NumberShape {
  readonly min: number
  readonly max: number
  readonly aboveMin: boolean
  readonly belowMax: boolean
  /** The values of `multipleOf`. */
  readonly steps: readonly number[]
}

export interface StringShape {
  readonly minLength: number
  readonly maxLength: number
}

export interface ArrayShape {
  readonly minItems: number
  readonly maxItems: number
  readonly unique: boolean
  readonly prefix: readonly SchemaNode[]
  /** The items after the prefix. */
  readonly rest: SchemaNode
}

export interface ObjectShape {
  readonly properties: ReadonlyMap<string, SchemaNode>
  readonly required: ReadonlySet<string>
  readonly minProperties: number
  readonly maxProperties: number
  /** The values of undeclared properties. */
  readonly extra: SchemaNode
}

interface Alternative {
  readonly schemas: readonly Subschema[]
  readonly excluded: readonly Subschema[]
  readonly types: readonly ValueType[]
}

/** Merges a schema. Throws `SchemaRejection` if clearly no value conforms to it. */
export function mergeSchema(root: Subschema): SchemaNode {
  const merger = new Merger()
  const node = merger.node([root])
  merger.mergeAll()
  if (node.depth === Infinity) throw rejectionFor(node)
  if (node.depth > limits.depth)
    throw new SchemaRejection(
      '',
      '$ref',
      `every conforming value has at least ${node.depth} levels; require at most ${limits.depth}`,
    )
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
    const path = schemas[0]?.path ?? ''
    if (this.#known.size >= limits.combinations)
      throw new SchemaRejection(
        path,
        'allOf',
        `more than ${limits.combinations} combinations of schemas; write fewer allOf, anyOf or $ref keywords`,
      )
    const node: SchemaNode = { path, shapes: [], depth: Infinity, obstacle: undefined }
    this.#known.set(key, node)
    this.#waiting.push({ node, schemas: closed })
    return node
  }

  mergeAll(): void {
    for (let next = this.#waiting.pop(); next !== undefined; next = this.#waiting.pop()) {
      const { node, schemas } = next
      const choices = schemas.flatMap((schema) => schema.choices)
      const note = (rejection: SchemaRejection): void => void (node.obstacle ??= rejection)
      for (const alternative of this.#alternatives({ schemas, excluded: [], types: [] }, choices, note)) {
        const shape = this.#shape(alternative, note)
        if (shape !== undefined) node.shapes.push(shape)
        if (node.shapes.length >= limits.alternatives) break
      }
    }
    settleDepths([...this.#known.values()])
  }

  *#alternatives(
    { schemas, excluded }: Alternative,
    choices: readonly Choice[],
    note: (rejection: SchemaRejection) => void,
  ): Generator<Alternative> {
    const path = schemas[0]?.path ?? ''
    this.#budget.spend(path, 1 + schemas.length)
    if (choices.length > limits.alternatives)
      throw new SchemaRejection(
        path,
        choices[0]?.keyword ?? 'anyOf',
        `more than ${limits.alternatives} anyOf and oneOf keywords apply to this value; write fewer`,
      )
    const types = commonTypes(schemas)
    if (types.length === 0) return note(noCommonType(schemas))
    const [choice, ...others] = choices
    if (choice === undefined) return yield { schemas, excluded, types }
    for (const branch of choice.branches) {
      const grown = withReferences([...schemas, branch])
      const added = grown.slice(schemas.length).flatMap((schema) => schema.choices)
      const left = choice.keyword === 'oneOf' ? choice.branches.filter((one) => one !== branch) : []
      const alternative = { schemas: grown, excluded: [...excluded, ...left], types }
      yield* this.#alternatives(alternative, [...others, ...added], note)
    }
  }

  #shape(
    { schemas, excluded, types }: Alternative,
    note: (rejection: SchemaRejection) => void,
  ): Shape | undefined {
    const path = schemas[0]?.path ?? ''
    const values = this.#values(schemas)
    if (values?.length === 0)
      return void note(
        new SchemaRejection(path, 'enum', 'no value of the list conforms; write one that does'),
      )
    const [number, string] = [numberShape(schemas), stringShape(schemas)]
    const [array, object] = [this.#arrayShape(schemas), this.#objectShape(schemas)]
    const contradictions: readonly (readonly [
      isEmpty: boolean,
      types: readonly ValueType[],
      keyword: string,
    ])[] = [
      [isEmptyRange(number), ['integer', 'fraction'], 'minimum'],
      [string.minLength > string.maxLength, ['string'], 'minLength'],
      [array.minItems > array.maxItems, ['array'], 'minItems'],
      [
        Math.max(object.minProperties, object.required.size) > object.maxProperties,
        ['object'],
        'maxProperties',
      ],
    ]
    const impossible = contradictions.flatMap(([isEmpty, ofTypes]) => (isEmpty ? ofTypes : []))
    const possible = types.filter((type) => !impossible.includes(type))
    if (values === undefined && possible.length === 0) {
      const keyword = contradictions.find(
        ([isEmpty, [type]]) => isEmpty && types.includes(type as ValueType),
      )?.[2]
      const what = 'the bounds exclude every value; write bounds that allow one'
      return void note(new SchemaRejection(path, keyword ?? 'type', what))
    }
    return { path, schemas, excluded, types: possible, values, number, string, array, object }
  }

  /** The values that every `enum` and `const` allows, null last. */
  #values(schemas: readonly Subschema[]): readonly JsonValue[] | undefined {
    const listing = schemas.find(({ allowed }) => allowed !== undefined)?.allowed
    if (listing === undefined) return undefined
    const fits = [...listing.values()].filter((value) =>
      schemas.every((schema) => conforms(schema, value, this.#budget)),
    )
    return [...fits.filter((value) => value !== null), ...fits.filter((value) => value === null)]
  }

  #arrayShape(schemas: readonly Subschema[]): ArrayShape {
    const at = (index: number): SchemaNode =>
      this.node(schemas.flatMap(({ prefixItems, items }) => prefixItems[index] ?? items ?? []))
    const positions = Math.max(...schemas.map(({ prefixItems }) => prefixItems.length))
    return {
      minItems: highest(schemas.map(({ keywords }) => keywords.minItems)),
      maxItems: lowest(schemas.map(({ keywords }) => keywords.maxItems)),
      unique: schemas.some(({ keywords }) => keywords.uniqueItems === true),
      prefix: Array.from({ length: positions }, (_, index) => at(index)),
      rest: this.node(schemas.flatMap(({ items }) => items ?? [])),
    }
  }

  #objectShape(schemas: readonly Subschema[]): ObjectShape {
    const required = new Set(schemas.flatMap(({ keywords }) => keywords.required ?? []))
    const names = new Set([...schemas.flatMap(({ properties }) => [...properties.keys()]), ...required])
    const of = (name: string): SchemaNode =>
      this.node(schemas.flatMap((schema) => schema.properties.get(name) ?? schema.additionalProperties ?? []))
    return {
      properties: new Map([...names].map((name) => [name, of(name)])),
      required,
      minProperties: highest(schemas.map(({ keywords }) => keywords.minProperties)),
      maxProperties: lowest(schemas.map(({ keywords }) => keywords.maxProperties)),
      extra: this.node(schemas.flatMap(({ additionalProperties }) => additionalProperties ?? [])),
    }
  }
}

const highest = (numbers: readonly (number | undefined)[], least = 0): number =>
  Math.max(least, ...numbers.map((number) => number ?? -Infinity))
const lowest = (numbers: readonly (number | undefined)[]): number =>
  Math.min(...numbers.map((number) => number ?? Infinity))

function numberShape(schemas: readonly Subschema[]): NumberShape {
  const all = schemas.map(({ keywords }) => keywords)
  const min = highest(
    all.map(({ minimum }) => minimum),
    -Infinity,
  )
  const above = highest(
    all.map(({ exclusiveMinimum }) => exclusiveMinimum),
    -Infinity,
  )
  const max = lowest(all.map(({ maximum }) => maximum))
  const below = lowest(all.map(({ exclusiveMaximum }) => exclusiveMaximum))
  return {
    min: Math.max(min, above),
    max: Math.min(max, below),
    aboveMin: above >= min && above > -Infinity,
    belowMax: below <= max && below < Infinity,
    steps: all.flatMap(({ multipleOf }) => multipleOf ?? []),
  }
}

const isEmptyRange = ({ min, max, aboveMin, belowMax }: NumberShape): boolean =>
  min > max || (min === max && (aboveMin || belowMax))

function stringShape(schemas: readonly Subschema[]): StringShape {
  return {
    minLength: highest(schemas.map(({ keywords }) => keywords.minLength)),
    maxLength: lowest(schemas.map(({ keywords }) => keywords.maxLength)),
  }
}

/** The keywords that suggest a type where none is written. */
const suggestive: readonly (readonly [type: ValueType, keywords: readonly string[]])[] = [
  ['object', ['properties', 'required', 'additionalProperties', 'minProperties', 'maxProperties']],
  ['array', ['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems']],
  ['integer', ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']],
]
const everyType: readonly ValueType[] = [
  'string',
  'integer',
  'fraction',
  'boolean',
  'object',
  'array',
  'null',
]

/** The types that all schemas allow, in the order in which they are tried: null last. */
function commonTypes(schemas: readonly Subschema[]): readonly ValueType[] {
  if (schemas.some(({ never }) => never)) return []
  const written = schemas.flatMap(({ types }) => (types === undefined ? [] : [types]))
  const suggested = suggestive.flatMap(([type, keywords]) =>
    schemas.some((schema) => keywords.some((keyword) => keyword in schema.keywords)) ? [type] : [],
  )
  const first = written[0] ?? [...new Set([...suggested, ...everyType])]
  const common = first.filter((type) => written.every((types) => types.includes(type)))
  return common.toSorted((a, b) => Number(a === 'null') - Number(b === 'null'))
}

function noCommonType(schemas: readonly Subschema[]): SchemaRejection {
  const never = schemas.find((schema) => schema.never)
  if (never !== undefined)
    return new SchemaRejection(never.path, 'false', 'the schema false allows no value; write another schema')
  const typed = schemas.findLast(({ types }) => types !== undefined)
  return new SchemaRejection(
    typed?.path ?? '',
    'type',
    'the schemas for this value have no common type; write types that overlap',
  )
}

/** The schemas, then those that their `$ref` and `allOf` add, each once. */
function withReferences(schemas: readonly Subschema[]): readonly Subschema[] {
  const found = new Set(schemas)
  for (const schema of found) for (const part of schema.all) found.add(part)
  return [...found]
}

/** Rejects a schema that refers to itself at the same place: validators never finish with it. */
function rejectEndlessReferences(schema: Subschema, seen: Set<Subschema>, open: readonly Subschema[]): void {
  if (open.includes(schema))
    throw new SchemaRejection(
      schema.path,
      '$ref',
      'the schema refers to itself without a property or item in between; move the recursion into one',
    )
  if (open.length > limits.depth)
    throw new SchemaRejection(schema.path, '$ref', `more than ${limits.depth} references in a row`)
  if (seen.has(schema)) return
  const inside = [...open, schema]
  const atSamePlace = [...schema.all, ...schema.choices.flatMap(({ branches }) => branches)]
  for (const part of atSamePlace) rejectEndlessReferences(part, seen, inside)
  seen.add(schema)
}

/** Sets the depth of every node: repeated until nothing changes, since nodes can be recursive. */
function settleDepths(nodes: readonly SchemaNode[]): void {
  for (let changed = true; changed; ) {
    changed = false
    // Later nodes are mostly deeper.
    for (const node of nodes.toReversed()) {
      const depth = Math.min(Infinity, ...node.shapes.map(depthOf))
      if (depth >= node.depth) continue
      node.depth = depth
      changed = true
    }
  }
}

/** The levels of the flattest value of a shape. */
export function depthOf({ values, types, array, object }: Shape): number {
  if (values !== undefined || types.some((type) => type !== 'array' && type !== 'object')) return 0
  const depths = types.map((type) => (type === 'array' ? arrayNeeds(array) : objectNeeds(object)))
  return 1 + Math.min(...depths.map((needed) => Math.max(-1, ...needed.map(({ depth }) => depth))))
}

function arrayNeeds({ minItems, prefix, rest }: ArrayShape): readonly SchemaNode[] {
  return minItems > prefix.length ? [...prefix, rest] : prefix.slice(0, minItems)
}

function objectNeeds({ properties, required, minProperties, extra }: ObjectShape): readonly SchemaNode[] {
  const needed = [...required].map((name) => properties.get(name) as SchemaNode)
  const more = minProperties - needed.length
  if (more <= 0) return needed
  const optional = [...properties].filter(([name]) => !required.has(name)).map(([, node]) => node)
  const flattest = [...optional, ...Array.from({ length: Math.min(more, 64) }, () => extra)]
  return [...needed, ...flattest.toSorted((a, b) => a.depth - b.depth).slice(0, more)]
}

/** The first contradiction below a node without a value. */
function rejectionFor(root: SchemaNode): SchemaRejection {
  const seen = new Set<SchemaNode>()
  for (let node: SchemaNode | undefined = root; node !== undefined && !seen.has(node); ) {
    seen.add(node)
    const shape: Shape | undefined = node.shapes[0]
    if (shape === undefined)
      return node.obstacle ?? new SchemaRejection(node.path, 'anyOf', 'no branch can be satisfied')
    const needed: readonly SchemaNode[] = shape.types.includes('array')
      ? arrayNeeds(shape.array)
      : objectNeeds(shape.object)
    node = needed.find(({ depth }) => depth === Infinity)
  }
  return new SchemaRejection(
    root.path,
    '$ref',
    'the recursion never ends; make a property optional, allow null, or allow an empty array',
  )
}
