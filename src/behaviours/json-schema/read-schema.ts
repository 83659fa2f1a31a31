/** Reads a JSON Schema (2020-12): checks its keywords, and links its subschemas and local `$ref`s. */
import { type Fields, isFields, percentDecoded } from '../../engine/fields.ts'
import { show } from '../../protocol/wording.ts'
import { type Pattern, PatternError, readPattern } from '../pattern.ts'
import { byName } from '../words.ts'
import { textWriter, type WriteText } from '../write-pattern.ts'
import { type JsonType, type JsonValue, jsonKey, jsonTypes, type ValueType } from './json-value.ts'
import { childPath, limits, SchemaRejection } from './schema-rejection.ts'

/** `anyOf` or `oneOf`. */
export interface Choice {
  readonly keyword: 'anyOf' | 'oneOf'
  readonly branches: readonly Subschema[]
}

/** One schema as written, its keywords checked. An absent keyword is undefined. */
export class Subschema {
  readonly id: number
  /** Such as `properties.items.items`; `''` is the root. */
  readonly path: string
  /** Whether it is `false`, which allows no value. */
  readonly never: boolean
  /** The keywords without subschemas. */
  keywords: Keywords = {}
  types: readonly ValueType[] | undefined
  /** The values that `enum` and `const` allow, by their keys. */
  allowed: ReadonlyMap<string, JsonValue> | undefined
  pattern: (Pattern & { readonly write: WriteText }) | undefined
  /** The targets of `$ref`, and the parts of `allOf`. */
  all: readonly Subschema[] = []
  choices: readonly Choice[] = []
  prefixItems: readonly Subschema[] = []
  items: Subschema | undefined
  properties: ReadonlyMap<string, Subschema> = new Map()
  additionalProperties: Subschema | undefined

  constructor(id: number, path: string, never: boolean) {
    this.id = id
    this.path = path
    this.never = never
  }
}

export type Bound =
  | 'minimum'
  | 'maximum'
  | 'exclusiveMinimum'
  | 'exclusiveMaximum'
  | 'multipleOf'
  | `${'min' | 'max'}${'Length' | 'Items'}`

export type Keywords = Readonly<Partial<Record<Bound, number>>> & {
  readonly format?: string
  readonly uniqueItems?: boolean
  readonly required?: readonly string[]
  readonly description?: unknown
  readonly default?: unknown
  readonly example?: unknown
  readonly examples?: unknown
}

const isNumber = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(value)
const isSize = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 0
const isText = (value: unknown): value is string => typeof value === 'string'
const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value)

function isType(value: unknown): boolean {
  const names = isList(value) ? value : [value]
  const isKnown = (name: unknown): boolean => isText(name) && Object.hasOwn(jsonTypes, name)
  return names.length > 0 && names.length <= 20 && names.every(isKnown)
}

/** The form of a keyword's value, and what to write instead of another one. */
interface Form {
  readonly isRight: (value: unknown) => boolean
  readonly write: string
}

const upTo = (most: number): Form => ({
  isRight: (value) => isSize(value) && Number(value) <= most,
  write: `a whole number from 0 to ${most}`,
})
const isShortList = (value: unknown): value is readonly unknown[] =>
  isList(value) && value.length <= limits.list

const forms = byName<Form>([
  ['type', { isRight: isType, write: `one of ${Object.keys(jsonTypes).join(', ')}, or an array of these` }],
  [
    'enum',
    {
      isRight: (value) => isShortList(value) && value.length > 0,
      write: `an array with 1 to ${limits.list} values`,
    },
  ],
  ['$ref', { isRight: isText, write: 'a local pointer, for example "#/$defs/node"' }],
  [
    'allOf anyOf oneOf prefixItems',
    { isRight: (value) => isList(value) && value.length > 0, write: 'an array with at least one schema' },
  ],
  ['minimum maximum exclusiveMinimum exclusiveMaximum', { isRight: isNumber, write: 'a number such as 10' }],
  [
    'multipleOf',
    { isRight: (value) => isNumber(value) && Number(value) > 0, write: 'a number above 0, for example 0.5' },
  ],
  ['maxLength maxItems', { isRight: isSize, write: 'a non-negative integer, for example 1' }],
  ['minLength', upTo(limits.characters)],
  ['minItems', upTo(limits.parts)],
  ['pattern', { isRight: isText, write: 'a regular expression as a string' }],
  ['format', { isRight: isText, write: 'the name of a format, for example "date-time"' }],
  ['uniqueItems', { isRight: (value) => typeof value === 'boolean', write: 'true or false' }],
  ['items', { isRight: (value) => !isList(value), write: 'one schema, or prefixItems for one per position' }],
  ['properties $defs definitions', { isRight: isFields, write: 'an object with a schema for each name' }],
  [
    'required',
    {
      isRight: (value) => isShortList(value) && value.every((name) => isText(name) && name !== '__proto__'),
      write: `an array of at most ${limits.list} property names (none is "__proto__"), next to properties`,
    },
  ],
  // Generators write {"type":"string"} for every map. It has no effect: property names are strings.
  [
    'propertyNames',
    {
      isRight: (value) => value === true || JSON.stringify(value) === '{"type":"string"}',
      write: '{"type":"string"}; list the property names under properties instead',
    },
  ],
])

/** Keywords that the simulator cannot fill, with the remedy. Other unknown keywords are annotations. */
const unsupported = byName([
  ['not', 'describe the allowed values, for example with enum, pattern or anyOf'],
  ['if then else dependentSchemas dependentRequired dependencies', 'write the allowed cases under anyOf'],
  ['patternProperties', 'list the properties under properties'],
  ['minProperties maxProperties', 'list the properties that must be there under required'],
  ['contains minContains maxContains', 'constrain all items with items, or single ones with prefixItems'],
  ['unevaluatedProperties', 'write additionalProperties next to properties'],
  ['unevaluatedItems additionalItems', 'write items next to prefixItems'],
  ['$dynamicRef $recursiveRef $recursiveAnchor', 'write $ref with a local pointer'],
])

/** What is wrong with a keyword or its value; undefined if nothing is. */
function faultOf(keyword: string, value: unknown): string | undefined {
  const remedy = unsupported.get(keyword)
  if (remedy !== undefined) return `not supported by the simulator; ${remedy}`
  const form = forms.get(keyword)
  return form === undefined || form.isRight(value) ? undefined : `got ${show(value)}; write ${form.write}`
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
      const { subschema, raw, depth } = next
      for (const [keyword, value] of Object.entries(raw)) {
        const fault = value === undefined ? undefined : faultOf(keyword, value)
        if (fault !== undefined) throw new SchemaRejection(subschema.path, keyword, fault)
      }
      this.#readKeywords(subschema, raw)
      this.#readParts(subschema, raw, depth + 1)
    }
    return root
  }

  #subschema(raw: unknown, path: string, keyword: string, depth: number): Subschema {
    const before = isFields(raw) ? this.#known.get(raw) : undefined
    if (before !== undefined) return before
    const reject = (what: string): SchemaRejection => new SchemaRejection(path, keyword, what)
    if (!isFields(raw) && typeof raw !== 'boolean')
      throw reject(`got ${show(raw)}; write a schema: an object such as {"type":"string"}, or a boolean`)
    this.#count++
    this.#room.left--
    if (this.#count > limits.subschemas)
      throw reject(`more than ${limits.subschemas} subschemas; write at most ${limits.subschemas}`)
    if (this.#room.left < 0)
      throw reject(`more than ${limits.together} subschemas in this request; send fewer or smaller schemas`)
    if (depth > limits.depth)
      throw reject(`nested more than ${limits.depth} levels deep; write a flatter schema, or use $ref`)
    const subschema = new Subschema(this.#count, path, raw === false)
    if (isFields(raw)) {
      this.#known.set(raw, subschema)
      this.#waiting.push({ subschema, raw, depth })
    }
    return subschema
  }

  #readKeywords(subschema: Subschema, raw: Fields): void {
    const { type, enum: listed, const: constant, pattern } = raw
    subschema.keywords = raw as Keywords
    if (type !== undefined) subschema.types = [type].flat().flatMap((name) => jsonTypes[name as JsonType])
    const values = (listed ?? (constant === undefined ? undefined : [constant])) as JsonValue[] | undefined
    const keyed = values?.map((value) => [jsonKey(value), value] as const)
    const only = constant === undefined ? undefined : jsonKey(constant as JsonValue)
    if (keyed !== undefined)
      subschema.allowed = new Map(keyed.filter(([key]) => only === undefined || key === only))
    if (pattern === undefined) return
    try {
      subschema.pattern = { ...readPattern(pattern as string), write: textWriter(pattern as string) }
    } catch (error) {
      if (!(error instanceof PatternError)) throw error
      throw new SchemaRejection(subschema.path, 'pattern', `got ${show(pattern)}; ${error.message}`)
    }
  }

  #readParts(subschema: Subschema, raw: Fields, depth: number): void {
    const { path } = subschema
    const part = (value: unknown, step: string): Subschema =>
      this.#subschema(value, childPath(path, step), '', depth)
    const list = (keyword: string): Subschema[] =>
      ((raw[keyword] ?? []) as readonly unknown[]).map((value, index) => part(value, `${keyword}.${index}`))
    const target = raw['$ref'] === undefined ? [] : [this.#target(raw['$ref'] as string, path)]
    subschema.all = [...target, ...list('allOf')]
    subschema.choices = (['anyOf', 'oneOf'] as const)
      .map((keyword) => ({ keyword, branches: list(keyword) }))
      .filter(({ branches }) => branches.length > 0)
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

  /** The subschema that a local pointer names, such as `#/$defs/node`. */
  #target(written: string, from: string): Subschema {
    const reject = (what: string): SchemaRejection =>
      new SchemaRejection(from, '$ref', `got ${show(written)}; ${what}`)
    if (!/^(?:#\/|#?$)/.test(written))
      throw reject('only local pointers are supported; move the schema to $defs and write "#/$defs/..."')
    const steps: string[] = []
    let value: unknown = this.#schema
    for (const encoded of written.split('/').slice(1)) {
      const step = percentDecoded(encoded)?.replaceAll('~1', '/').replaceAll('~0', '~')
      if (step === undefined) throw reject('its encoding is invalid; write ~0 for ~, ~1 for / and %25 for %')
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step))
        throw reject('the pointer has no target; write one that exists, for example under $defs')
      value = (value as Fields)[step]
      steps.push(step)
    }
    return this.#subschema(value, steps.join('.'), '', 0)
  }
}
