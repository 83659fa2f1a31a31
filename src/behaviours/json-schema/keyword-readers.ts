/** Reads the value of each keyword into a clause, or refuses it with what to write instead. */
import { unusableName, unusableNames } from '../../protocol/client-names.ts'
import type { PatternPart } from '../pattern/characters.ts'
import { type Pattern, PatternProblem, readPattern } from '../pattern/read-pattern.ts'
import type { Choice, Clause } from './clause.ts'
import { isModestJson, type JsonValue, jsonKey, TYPE, TYPE_NAMES } from './json-value.ts'
import { describeValue, LIMITS, SchemaRefusal } from './schema-refusal.ts'

/** Many texts are tried for one schema. */
const MOST_STEPS = 1_000_000

/**
 * Reads a pattern as ECMAScript with the `u` flag, as JSON Schema says, or else without. Throws
 * `PatternProblem`.
 */
export function readSchemaPattern(source: string): Pattern {
  let problem: unknown
  for (const unicode of [true, false]) {
    try {
      const pattern = readPattern(source, unicode)
      if (looksBehind(pattern.root))
        throw new PatternProblem(
          'lookbehind is not supported by the simulator; write the pattern without (?<= and (?<!',
        )
      return { ...pattern, matches: (text) => pattern.matches(text, MOST_STEPS) }
    } catch (error) {
      if (error instanceof PatternProblem) throw error
      problem ??= error
    }
  }
  const why = problem instanceof Error ? problem.message.replace(/^.*: /su, '') : 'it does not parse'
  throw new PatternProblem(`write a regular expression that ECMAScript accepts (${why})`)
}

function looksBehind(part: PatternPart): boolean {
  if (part.kind === 'look') return part.behind || looksBehind(part.part)
  if (part.kind === 'repeat') return looksBehind(part.part)
  return (part.kind === 'sequence' || part.kind === 'either') && part.parts.some(looksBehind)
}

type Raw = Readonly<Record<string, unknown>>

/** What a keyword's reader may ask for. */
export interface KeywordContext {
  /** The clause of a subschema that stands at `clause.path` + `step`. */
  sub(raw: unknown, step: string, keyword: string): Clause
  /** The clause that a `$ref` of this clause means. */
  refer(pointer: string): Clause
}

export type KeywordReader = (clause: Clause, value: unknown, reading: KeywordContext) => void

const refused = (clause: Clause, keyword: string, got: unknown, write: string): SchemaRefusal =>
  new SchemaRefusal(clause.path, keyword, `got ${describeValue(got)}; write ${write}`)

/** A bound on a number. */
const bound = (
  keyword: 'minimum' | 'maximum' | 'exclusiveMinimum' | 'exclusiveMaximum',
): [string, KeywordReader] => [
  keyword,
  (clause, value) => {
    if (typeof value === 'boolean')
      throw refused(clause, keyword, value, 'a number (the boolean form is of JSON Schema draft 4)')
    if (typeof value !== 'number' || !Number.isFinite(value))
      throw refused(clause, keyword, value, 'a number, for example 10')
    clause[keyword] = value
    clause.about |= TYPE.integer
  },
]

/** A bound on a length or a count; `most` is what a filled value could ever hold. */
const size = (
  keyword: 'minLength' | 'maxLength' | 'minItems' | 'maxItems' | 'minProperties' | 'maxProperties',
  about: number,
  most: number = Infinity,
): [string, KeywordReader] => [
  keyword,
  (clause, value) => {
    if (typeof value !== 'number' || !Number.isInteger(value) || value < 0) {
      throw refused(clause, keyword, value, 'a whole number that is not negative, for example 1')
    }
    if (value > most)
      throw new SchemaRefusal(
        clause.path,
        keyword,
        `got ${value}; write at most ${most}, the most that a filled value may hold`,
      )
    clause[keyword] = value
    clause.about |= about
  },
]

const subschemas = (clause: Clause, keyword: string, value: unknown, reading: KeywordContext): Clause[] => {
  if (!Array.isArray(value) || value.length === 0)
    throw refused(clause, keyword, value, 'an array of at least one schema')
  if (value.length > LIMITS.subschemas)
    throw new SchemaRefusal(
      clause.path,
      keyword,
      `more than ${LIMITS.subschemas} subschemas; write a smaller schema`,
    )
  return Array.from(value, (part, index) => reading.sub(part, `${keyword}.${index}`, keyword))
}

const choice = (keyword: Choice['keyword']): [string, KeywordReader] => [
  keyword,
  (clause, value, reading) =>
    void clause.choices.push({ keyword, branches: subschemas(clause, keyword, value, reading) }),
]

const listing = (clause: Clause, keyword: 'enum' | 'const', values: readonly unknown[]): void => {
  if (values.length > LIMITS.list)
    throw new SchemaRefusal(clause.path, keyword, `got ${values.length} values; write at most ${LIMITS.list}`)
  const modest: JsonValue[] = []
  for (const value of values) {
    if (!isModestJson(value)) {
      if (unusableNames(value).length > 0) throw new SchemaRefusal(clause.path, keyword, unusableName)
      throw refused(clause, keyword, value, 'JSON values of modest size and depth')
    }
    modest.push(value)
  }
  clause.listings.push({ keyword, values: modest, keys: new Set(modest.map(jsonKey)) })
}

/** The reader of each keyword that is followed; it checks the value's form and writes it into the clause. */
export const READERS: ReadonlyMap<string, KeywordReader> = new Map<string, KeywordReader>([
  [
    'type',
    (clause, value) => {
      const names: readonly unknown[] = Array.isArray(value) ? value.slice(0, 20) : [value]
      const bits = Array.from(names, (name) =>
        typeof name === 'string' && Object.hasOwn(TYPE_NAMES, name) ? (TYPE_NAMES[name] as number) : 0,
      )
      if (bits.length === 0 || bits.includes(0)) {
        const wrong = Array.isArray(value) && bits.length > 0 ? names[bits.indexOf(0)] : value
        throw refused(
          clause,
          'type',
          wrong,
          `one of ${Object.keys(TYPE_NAMES).join(', ')}, or an array of them`,
        )
      }
      clause.types = bits.reduce((all, bit) => all | bit, 0)
      clause.named = bits
    },
  ],
  [
    'enum',
    (clause, value) => {
      if (!Array.isArray(value) || value.length === 0)
        throw refused(clause, 'enum', value, 'an array of at least one value')
      listing(clause, 'enum', value)
    },
  ],
  ['const', (clause, value) => listing(clause, 'const', [value])],
  [
    '$ref',
    (clause, value, reading) => {
      if (typeof value !== 'string')
        throw refused(clause, '$ref', value, 'a local pointer, for example "#/$defs/node"')
      clause.all.push(reading.refer(value))
    },
  ],
  ['allOf', (clause, value, reading) => void clause.all.push(...subschemas(clause, 'allOf', value, reading))],
  choice('anyOf'),
  choice('oneOf'),
  bound('minimum'),
  bound('maximum'),
  bound('exclusiveMinimum'),
  bound('exclusiveMaximum'),
  [
    'multipleOf',
    (clause, value) => {
      if (typeof value !== 'number' || !Number.isFinite(value) || value <= 0)
        throw refused(clause, 'multipleOf', value, 'a number above 0, for example 0.5')
      clause.multipleOf = value
      clause.about |= TYPE.integer
    },
  ],
  size('minLength', TYPE.string, LIMITS.characters),
  size('maxLength', TYPE.string),
  [
    'pattern',
    (clause, value) => {
      if (typeof value !== 'string')
        throw refused(clause, 'pattern', value, 'a regular expression as a string')
      try {
        clause.pattern = readSchemaPattern(value)
      } catch (problem) {
        if (problem instanceof PatternProblem)
          throw new SchemaRefusal(clause.path, 'pattern', `got ${describeValue(value)}; ${problem.message}`)
        throw problem
      }
      clause.about |= TYPE.string
    },
  ],
  [
    'format',
    (clause, value) => {
      if (typeof value !== 'string')
        throw refused(clause, 'format', value, 'the name of a format, for example "date-time"')
      clause.format = value
    },
  ],
  size('minItems', TYPE.array, LIMITS.parts),
  size('maxItems', TYPE.array),
  [
    'uniqueItems',
    (clause, value) => {
      if (typeof value !== 'boolean') throw refused(clause, 'uniqueItems', value, 'true or false')
      clause.uniqueItems = value
      clause.about |= TYPE.array
    },
  ],
  [
    'prefixItems',
    (clause, value, reading) => {
      clause.prefixItems = subschemas(clause, 'prefixItems', value, reading)
      clause.about |= TYPE.array
    },
  ],
  [
    'items',
    (clause, value, reading) => {
      if (Array.isArray(value))
        throw refused(clause, 'items', value, 'one schema; for a schema per position write prefixItems')
      clause.items = reading.sub(value, 'items', 'items')
      clause.about |= TYPE.array
    },
  ],
  size('minProperties', TYPE.object, LIMITS.parts),
  size('maxProperties', TYPE.object),
  [
    'properties',
    (clause, value, reading) => {
      if (typeof value !== 'object' || value === null || Array.isArray(value))
        throw refused(clause, 'properties', value, 'an object with a schema per property')
      const properties = new Map<string, Clause>()
      for (const name of Object.keys(value)) {
        if (name === '__proto__') throw new SchemaRefusal(clause.path, 'properties', unusableName)
        properties.set(name, reading.sub((value as Raw)[name], `properties.${name}`, 'properties'))
      }
      clause.properties = properties
      clause.about |= TYPE.object
    },
  ],
  [
    'required',
    (clause, value) => {
      if (!Array.isArray(value))
        throw refused(clause, 'required', value, 'an array of property names beside properties')
      if (value.length > LIMITS.list)
        throw new SchemaRefusal(
          clause.path,
          'required',
          `got ${value.length} names; write at most ${LIMITS.list}`,
        )
      for (const name of value)
        if (name === '__proto__') throw new SchemaRefusal(clause.path, 'required', unusableName)
        else if (typeof name !== 'string') throw refused(clause, 'required', name, 'the names of properties')
      clause.required = value as string[]
      clause.about |= TYPE.object
    },
  ],
  [
    'additionalProperties',
    (clause, value, reading) => {
      if (value !== true)
        clause.additionalProperties = reading.sub(value, 'additionalProperties', 'additionalProperties')
      clause.about |= TYPE.object
    },
  ],
  // Generators write this beside additionalProperties; it has no effect, since every property name is a
  // string.
  [
    'propertyNames',
    (clause, value) => {
      if (
        value === true ||
        (typeof value === 'object' &&
          value !== null &&
          Object.entries(value).every(([k, v]) => k === 'type' && v === 'string'))
      )
        return
      throw new SchemaRefusal(
        clause.path,
        'propertyNames',
        'not supported by the simulator, except as {"type":"string"}; name the properties under ' +
          'properties instead',
      )
    },
  ],
  ['description', (clause, value) => void (clause.description = textOf(value))],
  [
    'examples',
    (clause, value) => {
      if (Array.isArray(value)) clause.examples = [...value.slice(0, 20), ...clause.examples]
    },
  ],
  ['default', (clause, value) => void (clause.examples = [...clause.examples, value])],
  ...['$defs', 'definitions'].map((keyword): [string, KeywordReader] => [
    keyword,
    (clause, value) => {
      if (typeof value !== 'object' || value === null || Array.isArray(value))
        throw refused(clause, keyword, value, 'an object with a schema per name')
    },
  ]),
])

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value.slice(0, 2_000) : undefined
