/** Reads a JSON Schema (2020-12): checks its keywords, and links its subschemas and local `$ref`s. */
import { type Fields, isFields, percentDecoded } from '../../engine/fields.ts'
import { type Pattern, PatternError, readPattern } from '../pattern.ts'
import {
  isModestJson,
  type JsonType,
  type JsonValue,
  jsonKey,
  jsonTypes,
  type ValueType,
} from './json-value.ts'
import { childPath, describeValue, limits, SchemaRejection } from './schema-rejection.ts'

/** `anyOf` or `oneOf`. */
export interface Choice {
  readonly keyword: 'anyOf' | 'oneOf'
  readonly branches: readonly Subschema[]
}

/** One schema as written, its keywords checked. An absent keyword is undefined. */
export interface Subschema {
  readonly id: number
  /** Such as `properties.items.items`; `''` is the root. */
  readonly path: string
  /** Whether it is `false`, which allows no value. */
  never: boolean
  /** The keywords without subschemas. */
  keywords: Keywords
  types: readonly ValueType[] | undefined
  /** The keys of the values that `enum` and `const` allow. */
  allowed: ReadonlyMap<string, JsonValue> | undefined
  pattern: Pattern | undefined
  /** The targets of `$ref`, and the parts of `allOf`. */
  all: Subschema[]
  choices: Choice[]
  prefixItems: readonly Subschema[]
  items: Subschema | undefined
  properties: ReadonlyMap<string, Subschema>
  additionalProperties: Subschema | undefined
}

export interface Keywords {
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly exclusiveMaximum?: number
  readonly multipleOf?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly format?: string
  readonly minItems?: number
  readonly maxItems?: number
  readonly uniqueItems?: boolean
  readonly minProperties?: number
  readonly maxProperties?: number
  readonly required?: readonly string[]
  readonly title?: unknown
  readonly description?: unknown
  readonly default?: unknown
  readonly example?: unknown
  readonly examples?: unknown
}

const isNumber = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(value)
const isSize = (value: unknown): value is number => Number.isInteger(value) && (value as number) >= 0
const isText = (value: unknown): value is string => typeof value === 'string'
const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value)
const isShortList = (value: unknown): value is readonly unknown[] =>
  isList(value) && value.length <= limits.list

const aNumber = [isNumber, 'a number, for example 10'] as const
const aSize = [isSize, 'a non-negative integer, for example 1'] as const
const someSchemas = [
  (value: unknown): boolean => isList(value) && value.length > 0,
  'an array with at least one schema',
] as const
// An object in JavaScript cannot have a property of that name.
const isName = (name: unknown): boolean => isText(name) && name !== '__proto__'
const schemasByName = [
  (value: unknown): boolean => isFields(value) && Object.keys(value).every(isName),
  'an object with a schema for each name except "__proto__"',
] as const
const upTo = (most: number) =>
  [(value: unknown) => isSize(value) && value <= most, `a whole number from 0 to ${most}`] as const

/** The form of each supported keyword's value, and what to write instead of another one. */
const forms: Readonly<Record<string, readonly [isRight: (value: unknown) => boolean, write: string]>> = {
  type: [isType, `one of ${Object.keys(jsonTypes).join(', ')}, or an array of these types`],
  enum: [
    (value) => isShortList(value) && value.length > 0 && value.every(isModestJson),
    `an array with 1 to ${limits.list} values of moderate size, without the key "__proto__"`,
  ],
  const: [isModestJson, 'a JSON value of moderate size, without the key "__proto__"'],
  $ref: [isText, 'a local pointer, for example "#/$defs/node"'],
  allOf: someSchemas,
  anyOf: someSchemas,
  oneOf: someSchemas,
  minimum: aNumber,
  maximum: aNumber,
  exclusiveMinimum: aNumber,
  exclusiveMaximum: aNumber,
  multipleOf: [(value) => isNumber(value) && Number(value) > 0, 'a number above 0, for example 0.5'],
  minLength: upTo(limits.characters),
  maxLength: aSize,
  pattern: [isText, 'a regular expression as a string'],
  format: [isText, 'the name of a format, for example "date-time"'],
  minItems: upTo(limits.parts),
  maxItems: aSize,
  uniqueItems: [(value) => typeof value === 'boolean', 'true or false'],
  prefixItems: someSchemas,
  items: [(value) => !isList(value), 'one schema; for a schema per position, write prefixItems'],
  minProperties: upTo(limits.parts),
  maxProperties: aSize,
  properties: schemasByName,
  $defs: schemasByName,
  definitions: schemasByName,
  required: [
    (value) => isShortList(value) && value.every(isName),
    `an array of at most ${limits.list} property names (none is "__proto__"), next to properties`,
  ],
  additionalProperties: [() => true, ''],
  // Generators write {"type":"string"} for every map. It has no effect: property names are strings.
  propertyNames: [
    (value) => value === true || JSON.stringify(value) === '{"type":"string"}',
    '{"type":"string"}; list the property names under properties instead',
  ],
}

const cases = 'write the allowed cases under anyOf'
const positions = 'constrain all items with items, or single positions with prefixItems'
const pointer = 'write $ref with a local pointer'

/** Keywords that the simulator cannot fill, with the remedy. Other unknown keywords are annotations. */
const unsupported: Readonly<Record<string, string>> = {
  not: 'describe the allowed values, for example with enum, pattern or anyOf',
  if: cases,
  then: cases,
  else: cases,
  dependentSchemas: cases,
  dependentRequired: cases,
  dependencies: cases,
  patternProperties: 'list the properties under properties',
  contains: positions,
  minContains: positions,
  maxContains: positions,
  unevaluatedProperties: 'write additionalProperties next to properties',
  unevaluatedItems: 'write items next to prefixItems',
  additionalItems: 'write prefixItems and items instead',
  $dynamicRef: pointer,
  $recursiveRef: pointer,
  $recursiveAnchor: pointer,
  extends: 'write allOf',
  disallow: 'write the allowed types under type',
}

function isType(value: unknown): boolean {
  const names = isList(value) ? value : [value]
  return (
    names.length > 0 &&
    names.length <= 20 &&
    names.every((name) => isText(name) && Object.hasOwn(jsonTypes, name))
  )
}

/** The subschemas that the schemas of one request may still have. */
export interface SchemaRoom {
  left: number
}

/** Reads a schema. Throws `SchemaRejection` for a malformed or unsupported keyword, and beyond the limits. */
export function readSchema(schema: unknown, room: SchemaRoom): Subschema {
  return new SchemaReader(schema, room).read()
}

class SchemaReader {
  readonly #schema: unknown
  readonly #room: SchemaRoom
  readonly #known = new Map<object, Subschema>()
  // A list instead of recursion: a chain of thousands of references must not overflow the stack.
  readonly #waiting: { subschema: Subschema; raw: Fields; depth: number }[] = []
  #count = 0

  constructor(schema: unknown, room: SchemaRoom) {
    this.#schema = schema
    this.#room = room
  }

  read(): Subschema {
    const root = this.#subschema(this.#schema, '', 'schema', 0)
    for (let next = this.#waiting.pop(); next !== undefined; next = this.#waiting.pop()) {
      checkForms(next.raw, next.subschema.path)
      this.#readKeywords(next.subschema, next.raw)
      this.#readParts(next.subschema, next.raw, next.depth + 1)
    }
    return root
  }

  #subschema(raw: unknown, path: string, keyword: string, depth: number): Subschema {
    const before = isFields(raw) ? this.#known.get(raw) : undefined
    if (before !== undefined) return before
    const reject = (what: string): SchemaRejection => new SchemaRejection(path, keyword, what)
    if (!isFields(raw) && typeof raw !== 'boolean')
      throw reject(
        `got ${describeValue(raw)}; write a schema: an object such as {"type":"string"}, or a boolean`,
      )
    this.#count++
    this.#room.left--
    if (this.#count > limits.subschemas)
      throw reject(`more than ${limits.subschemas} subschemas; write at most ${limits.subschemas}`)
    if (this.#room.left < 0)
      throw reject(`more than ${limits.together} subschemas in this request; send fewer or smaller schemas`)
    if (depth > limits.depth)
      throw reject(`nested more than ${limits.depth} levels deep; write a flatter schema, or use $ref`)
    const subschema: Subschema = {
      id: this.#count,
      path,
      never: raw === false,
      keywords: {},
      types: undefined,
      allowed: undefined,
      pattern: undefined,
      all: [],
      choices: [],
      prefixItems: [],
      items: undefined,
      properties: new Map(),
      additionalProperties: undefined,
    }
    if (isFields(raw)) {
      this.#known.set(raw, subschema)
      this.#waiting.push({ subschema, raw, depth })
    }
    return subschema
  }

  #readKeywords(subschema: Subschema, raw: Fields): void {
    const { path } = subschema
    subschema.keywords = raw as Keywords
    const { type } = raw
    if (type !== undefined) subschema.types = [type].flat().flatMap((name) => jsonTypes[name as JsonType])
    const listed = [raw['enum'], raw['const'] === undefined ? undefined : [raw['const']]] as const
    for (const values of listed as readonly (readonly JsonValue[] | undefined)[]) {
      if (values === undefined) continue
      const keyed = values.map((value) => [jsonKey(value), value] as const)
      const { allowed } = subschema
      subschema.allowed = new Map(allowed === undefined ? keyed : keyed.filter(([key]) => allowed.has(key)))
    }
    if (raw['pattern'] === undefined) return
    try {
      subschema.pattern = readPattern(raw['pattern'] as string)
    } catch (error) {
      if (!(error instanceof PatternError)) throw error
      throw new SchemaRejection(path, 'pattern', `got ${describeValue(raw['pattern'])}; ${error.message}`)
    }
  }

  #readParts(subschema: Subschema, raw: Fields, depth: number): void {
    const { path } = subschema
    const part = (value: unknown, step: string): Subschema =>
      this.#subschema(value, childPath(path, step), '', depth)
    const list = (keyword: string): Subschema[] =>
      ((raw[keyword] ?? []) as readonly unknown[]).map((value, index) => part(value, `${keyword}.${index}`))
    if (raw['$ref'] !== undefined) {
      const target = this.#target(raw['$ref'] as string, path)
      subschema.all.push(this.#subschema(target.value, target.path, '', 0))
    }
    subschema.all.push(...list('allOf'))
    for (const keyword of ['anyOf', 'oneOf'] as const)
      if (raw[keyword] !== undefined) subschema.choices.push({ keyword, branches: list(keyword) })
    subschema.prefixItems = list('prefixItems')
    if (raw['items'] !== undefined) subschema.items = part(raw['items'], 'items')
    const properties = Object.entries((raw['properties'] ?? {}) as Fields)
    subschema.properties = new Map(
      properties.map(([name, value]) => [name, part(value, `properties.${name}`)]),
    )
    const additional = raw['additionalProperties']
    if (additional !== undefined && additional !== true)
      subschema.additionalProperties = part(additional, 'additionalProperties')
  }

  /** The value that a local pointer names, such as `#/$defs/node`. */
  #target(written: string, from: string): { value: unknown; path: string } {
    const reject = (what: string): SchemaRejection =>
      new SchemaRejection(from, '$ref', `got ${describeValue(written)}; ${what}`)
    if (written === '' || written === '#') return { value: this.#schema, path: '' }
    if (!written.startsWith('#/'))
      throw reject('only local pointers are supported; move the schema to $defs and write "#/$defs/..."')
    const steps = written
      .slice(2)
      .split('/')
      .map((step) => percentDecoded(step)?.replaceAll('~1', '/').replaceAll('~0', '~'))
    let value: unknown = this.#schema
    for (const step of steps) {
      if (step === undefined) throw reject('its encoding is invalid; write ~0 for ~, ~1 for / and %25 for %')
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step))
        throw reject(`the pointer has no target; ${definitions(this.#schema)}`)
      value = (value as Fields)[step]
    }
    return { value, path: steps.join('.') }
  }
}

function checkForms(raw: Fields, path: string): void {
  for (const [keyword, value] of Object.entries(raw)) {
    if (value === undefined) continue
    const remedy = Object.hasOwn(unsupported, keyword) ? unsupported[keyword] : undefined
    if (remedy !== undefined)
      throw new SchemaRejection(path, keyword, `not supported by the simulator; ${remedy}`)
    const form = Object.hasOwn(forms, keyword) ? forms[keyword] : undefined
    if (form !== undefined && !form[0](value))
      throw new SchemaRejection(path, keyword, `got ${describeValue(value)}; write ${form[1]}`)
  }
}

function definitions(schema: unknown): string {
  const names = ['$defs', 'definitions'].flatMap((home) => {
    const held = isFields(schema) ? schema[home] : undefined
    return isFields(held) ? Object.keys(held).map((name) => `#/${home}/${name}`) : []
  })
  if (names.length === 0) return 'the schema has no $defs'
  return `the schema defines ${names.slice(0, 8).join(', ')}`
}
