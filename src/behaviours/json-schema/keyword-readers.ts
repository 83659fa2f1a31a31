/** Reads the value of each keyword into a clause, or rejects it with a remedy. */
import { type Fields, isFields } from '../../engine/fields.ts'
import { unusableName, unusableNames } from '../../protocol/client-names.ts'
import type { PatternPart } from '../pattern/characters.ts'
import { type Pattern, PatternProblem, readPattern } from '../pattern/read-pattern.ts'
import type { Choice, Clause, Listing } from './clause.ts'
import { isModestJson, type JsonValue, jsonKey, TYPE, TYPE_NAMES } from './json-value.ts'
import { describeValue, LIMITS, SchemaRejection } from './schema-rejection.ts'

/** Many strings are tried for one schema. */
const maxSteps = 1_000_000

/**
 * Reads a pattern as ECMAScript with the `u` flag, as JSON Schema requires; if that fails, without it. Throws
 * `PatternProblem`.
 */
export function readSchemaPattern(source: string): Pattern {
  let problem: unknown
  for (const unicode of [true, false]) {
    try {
      const pattern = readPattern(source, unicode)
      if (looksBehind(pattern.root))
        throw new PatternProblem(
          'lookbehind is not supported by the simulator; write the pattern without (?<= or (?<!',
        )
      return { ...pattern, matches: (text) => pattern.matches(text, maxSteps) }
    } catch (error) {
      if (error instanceof PatternProblem) throw error
      problem ??= error
    }
  }
  const why = problem instanceof Error ? problem.message.replace(/^.*: /su, '') : 'invalid syntax'
  throw new PatternProblem(`write a valid ECMAScript regular expression (${why})`)
}

function looksBehind(part: PatternPart): boolean {
  if (part.kind === 'look') return part.behind || looksBehind(part.part)
  if (part.kind === 'repeat') return looksBehind(part.part)
  return (part.kind === 'sequence' || part.kind === 'either') && part.parts.some(looksBehind)
}

/** The functions that the reader of a keyword can use. */
export interface KeywordContext {
  /** The clause of the subschema at `clause.path` + `step`. */
  sub(raw: unknown, step: string, keyword: string): Clause
  /** The clause that a `$ref` of this clause points to. */
  refer(pointer: string): Clause
}

export type KeywordReader = (clause: Clause, value: unknown, reading: KeywordContext) => void

const rejected = (clause: Clause, keyword: string, got: unknown, write: string): SchemaRejection =>
  new SchemaRejection(clause.path, keyword, `got ${describeValue(got)}; write ${write}`)

/** The form of a keyword's value, and the remedy for other values. */
interface Form<Value> {
  readonly is: (value: unknown) => value is Value
  readonly write: string | ((got: unknown) => string)
}

/** A keyword whose value must have one form. `about` has the bits of the types that it applies to. */
const reader = <Value>(
  keyword: string,
  { is, write }: Form<Value>,
  about: number,
  read: (clause: Clause, value: Value, reading: KeywordContext) => void,
): [string, KeywordReader] => [
  keyword,
  (clause, value, reading) => {
    if (!is(value)) throw rejected(clause, keyword, value, typeof write === 'string' ? write : write(value))
    read(clause, value, reading)
    clause.about |= about
  },
]

/** A keyword whose value is stored in the clause unchanged. */
const plain = <Keyword extends keyof Clause & string>(
  keyword: Keyword,
  form: Form<NonNullable<Clause[Keyword]>>,
  about: number,
): [string, KeywordReader] => reader(keyword, form, about, (clause, value) => void (clause[keyword] = value))

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)
const isSize = (value: unknown): value is number => Number.isInteger(value) && (value as number) >= 0
const isFlag = (value: unknown): value is boolean => typeof value === 'boolean'
const isText = (value: unknown): value is string => typeof value === 'string'
const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value)
const isFilled = (value: unknown): value is readonly unknown[] => isList(value) && value.length > 0
const isOne = (value: unknown): value is unknown => !isList(value)

const aNumber: Form<number> = {
  is: isNumber,
  write: (got) =>
    isFlag(got) ? 'a number (the boolean form is JSON Schema draft 4)' : 'a number, for example 10',
}
const aStep: Form<number> = {
  is: (value): value is number => isNumber(value) && value > 0,
  write: 'a number above 0, for example 0.5',
}
/** A length or a count; `most` is the maximum of a filled value. */
const aSize = (most = Infinity): Form<number> => ({
  is: (value): value is number => isSize(value) && value <= most,
  write: (got) =>
    isSize(got) ? `at most ${most}, the limit for generated values` : 'a non-negative integer, for example 1',
})

/** A list of subschemas. */
const schemas = (
  keyword: string,
  about: number,
  read: (clause: Clause, parts: readonly Clause[]) => void,
): [string, KeywordReader] =>
  reader(
    keyword,
    { is: isFilled, write: 'an array with at least one schema' },
    about,
    (clause, value, reading) => {
      const { subschemas } = LIMITS
      if (value.length > subschemas)
        throw new SchemaRejection(
          clause.path,
          keyword,
          `more than ${subschemas} subschemas; write at most ${subschemas}`,
        )
      const sub = (part: unknown, index: number): Clause => reading.sub(part, `${keyword}.${index}`, keyword)
      read(clause, Array.from(value, sub))
    },
  )

const choice = (keyword: Choice['keyword']): [string, KeywordReader] =>
  schemas(keyword, 0, (clause, branches) => void clause.choices.push({ keyword, branches }))

function checkCount(clause: Clause, keyword: string, { length }: readonly unknown[], of: string): void {
  if (length > LIMITS.list)
    throw new SchemaRejection(clause.path, keyword, `got ${length} ${of}; write at most ${LIMITS.list}`)
}

function addListing(clause: Clause, keyword: Listing['keyword'], values: readonly unknown[]): void {
  checkCount(clause, keyword, values, 'values')
  const wrong = values.findIndex((value) => !isModestJson(value))
  if (wrong >= 0) {
    const value = values[wrong]
    if (unusableNames(value).length > 0) throw new SchemaRejection(clause.path, keyword, unusableName)
    throw rejected(clause, keyword, value, 'smaller and less nested JSON values')
  }
  const modest = values as readonly JsonValue[]
  clause.listings.push({ keyword, values: modest, keys: new Set(modest.map(jsonKey)) })
}

function readType(clause: Clause, value: unknown): void {
  const names: readonly unknown[] = isList(value) ? value.slice(0, 20) : [value]
  const bits = Array.from(names, (name) =>
    isText(name) && Object.hasOwn(TYPE_NAMES, name) ? (TYPE_NAMES[name] as number) : 0,
  )
  if (bits.length === 0 || bits.includes(0)) {
    const wrong = isFilled(value) ? names[bits.indexOf(0)] : value
    const types = Object.keys(TYPE_NAMES).join(', ')
    throw rejected(clause, 'type', wrong, `one of ${types}, or an array of these types`)
  }
  clause.types = bits.reduce((all, bit) => all | bit, 0)
  clause.named = bits
}

function readPatternOf(clause: Clause, value: string): void {
  try {
    clause.pattern = readSchemaPattern(value)
  } catch (problem) {
    if (!(problem instanceof PatternProblem)) throw problem
    throw new SchemaRejection(clause.path, 'pattern', `got ${describeValue(value)}; ${problem.message}`)
  }
}

function readRequired(clause: Clause, value: readonly unknown[]): void {
  checkCount(clause, 'required', value, 'names')
  for (const name of value)
    if (name === '__proto__') throw new SchemaRejection(clause.path, 'required', unusableName)
    else if (!isText(name)) throw rejected(clause, 'required', name, 'property names as strings')
  clause.required = value as readonly string[]
}

function readProperties(clause: Clause, value: Fields, reading: KeywordContext): void {
  const properties = new Map<string, Clause>()
  for (const name of Object.keys(value)) {
    if (name === '__proto__') throw new SchemaRejection(clause.path, 'properties', unusableName)
    properties.set(name, reading.sub(value[name], `properties.${name}`, 'properties'))
  }
  clause.properties = properties
}

const { array, integer, object, string } = TYPE

/** The reader of each supported keyword. It checks the form of the value and stores it in the clause. */
export const READERS: ReadonlyMap<string, KeywordReader> = new Map<string, KeywordReader>([
  ['type', readType],
  reader('enum', { is: isFilled, write: 'an array with at least one value' }, 0, (clause, value) =>
    addListing(clause, 'enum', value),
  ),
  ['const', (clause, value) => addListing(clause, 'const', [value])],
  reader(
    '$ref',
    { is: isText, write: 'a local pointer, for example "#/$defs/node"' },
    0,
    (clause, value, reading) => void clause.all.push(reading.refer(value)),
  ),
  schemas('allOf', 0, (clause, parts) => void clause.all.push(...parts)),
  choice('anyOf'),
  choice('oneOf'),
  plain('minimum', aNumber, integer),
  plain('maximum', aNumber, integer),
  plain('exclusiveMinimum', aNumber, integer),
  plain('exclusiveMaximum', aNumber, integer),
  plain('multipleOf', aStep, integer),
  plain('minLength', aSize(LIMITS.characters), string),
  plain('maxLength', aSize(), string),
  reader('pattern', { is: isText, write: 'a regular expression as a string' }, string, readPatternOf),
  plain('format', { is: isText, write: 'the name of a format, for example "date-time"' }, 0),
  plain('minItems', aSize(LIMITS.parts), array),
  plain('maxItems', aSize(), array),
  plain('uniqueItems', { is: isFlag, write: 'true or false' }, array),
  schemas('prefixItems', array, (clause, parts) => void (clause.prefixItems = parts)),
  reader(
    'items',
    { is: isOne, write: 'one schema; for a schema per position, write prefixItems' },
    array,
    (clause, value, reading) => void (clause.items = reading.sub(value, 'items', 'items')),
  ),
  plain('minProperties', aSize(LIMITS.parts), object),
  plain('maxProperties', aSize(), object),
  reader(
    'properties',
    { is: isFields, write: 'an object with a schema for each property' },
    object,
    readProperties,
  ),
  reader(
    'required',
    { is: isList, write: 'an array of property names, next to properties' },
    object,
    readRequired,
  ),
  [
    'additionalProperties',
    (clause, value, reading) => {
      if (value !== true)
        clause.additionalProperties = reading.sub(value, 'additionalProperties', 'additionalProperties')
      clause.about |= object
    },
  ],
  // Generators write {"type":"string"} for every map. It has no effect: property names are strings.
  [
    'propertyNames',
    (clause, value) => {
      const isPlain =
        isFields(value) && Object.entries(value).every(([key, of]) => key === 'type' && of === 'string')
      if (value === true || isPlain) return
      throw new SchemaRejection(
        clause.path,
        'propertyNames',
        'not supported by the simulator, except {"type":"string"}; list the property names under ' +
          'properties instead',
      )
    },
  ],
  [
    'description',
    (clause, value) => void (clause.description = isText(value) ? value.slice(0, 2_000) : undefined),
  ],
  [
    'examples',
    (clause, value) => {
      if (isList(value)) clause.examples = [...value.slice(0, 20), ...clause.examples]
    },
  ],
  ['default', (clause, value) => void (clause.examples = [...clause.examples, value])],
  ...['$defs', 'definitions'].map((keyword) =>
    reader(keyword, { is: isFields, write: 'an object with a schema for each name' }, 0, () => {}),
  ),
])
