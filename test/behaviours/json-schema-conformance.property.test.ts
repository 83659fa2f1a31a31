/** Random schemas within the documented keywords, each made for a value: what fills them is judged by ajv. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { suggestionsFrom } from '../../src/behaviours/answers/suggest.ts'
import { tokensIn } from '../../src/behaviours/answers/tokens-in.ts'
import type { JsonValue } from '../../src/behaviours/json-schema/json-value.ts'
import { Words } from '../../src/behaviours/words.ts'
import { count } from '../_counts.ts'
import { fill } from './_fill.ts'

type Schema = boolean | { [keyword: string]: unknown }

const RUNS = count(600)
const ajv = new Ajv2020({ strict: false, logger: false, ownProperties: true })
;(addFormats as unknown as (ajv: Ajv2020) => void)(ajv)

/** What ajv says of a value: undefined when it conforms. */
function judge(schema: Schema, value: JsonValue): string | undefined {
  const validate = ajv.compile(schema)
  if (typeof schema === 'object') ajv.removeSchema(schema)
  return validate(value) ? undefined : ajv.errorsText(validate.errors)
}

const PROMPTS = [
  '',
  'Book 3 tickets from Paris to "New York" for Ada Lovelace on 2026-03-05 at 3pm, under $120.50, no smoking',
  'name: ab-12, a: 7, b is red. Mail bob@example.com, see https://example.com/x?y=1 and 192.0.2.7; "KTX-4821" "x"',
]

type Draw = <T>(arbitrary: fc.Arbitrary<T>) => T

/** A schema that `value` conforms to, made of the documented keywords. */
function schemaFor(value: JsonValue, draw: Draw, defs: { [name: string]: Schema }, depth = 0): Schema {
  const form = depth > 4 ? 0 : draw(fc.nat({ max: 9 }))
  switch (form) {
    case 5:
      return { allOf: [schemaFor(value, draw, defs, depth + 1), schemaFor(value, draw, defs, depth + 1)] }
    case 6: {
      const branches = draw(fc.array(fc.constantFrom<Schema>(...JUNK), { maxLength: 2 }))
      const at = draw(fc.nat({ max: branches.length }))
      return {
        anyOf: [...branches.slice(0, at), schemaFor(value, draw, defs, depth + 1), ...branches.slice(at)],
      }
    }
    case 7: {
      // Branches that tell themselves apart: by a type that the value does not have.
      const other = TYPES.filter((type) => !(typesOf(value) as string[]).includes(type) && type !== 'integer')
      return {
        oneOf: [
          { type: draw(fc.constantFrom(...other)) },
          { allOf: [{ type: typesOf(value).at(-1) }, schemaFor(value, draw, defs, depth + 1)] },
        ],
      }
    }
    case 8: {
      const name = `def ${Object.keys(defs).length}/~%`
      defs[name] = true
      defs[name] = schemaFor(value, draw, defs, depth + 1)
      return {
        $ref: `#/$defs/${encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))}`,
        ...(draw(fc.boolean()) ? (plain(value, draw, defs, depth) as object) : {}),
      }
    }
    case 9:
      return draw(
        fc.constantFrom<() => Schema>(
          () => ({ const: value }),
          () => ({
            enum: [
              ...draw(fc.array(fc.constantFrom<JsonValue>('red', 1, null, [], 'Paris'), { maxLength: 3 })),
              value,
            ],
          }),
          () => true,
          () => ({}),
        ),
      )()
    default:
      return plain(value, draw, defs, depth)
  }
}

const TYPES = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object']
const JUNK: Schema[] = [
  false,
  true,
  { type: 'null' },
  { type: 'string', minLength: 5, maxLength: 3 },
  { type: 'integer', minimum: 3 },
  { const: 'x' },
  { type: 'array', items: false },
  { required: ['zz'] },
  { type: 'object', required: ['q'], properties: { q: false } },
]
const PATTERNS = [
  '^[A-Z]{3}-\\d{4}$',
  '^[a-z]+$',
  '\\d',
  '^\\S+@\\S+$',
  '-',
  '^.{1,40}$',
  '^[^A-Z]*$',
  '^(red|green|blue)$',
  '^\\w+([ -]\\w+)*$',
  'x?',
]
const FORMATS = ['date-time', 'date', 'time', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid', 'uri']
const WORDS = [
  '',
  'a',
  'red',
  'Paris',
  'KTX-4821',
  'new york',
  '2026-01-31',
  '2026-01-31T10:00:00Z',
  '10:00:00Z',
  'PT5M',
  'a@example.com',
  'example.com',
  '192.0.2.1',
  '2001:db8::1',
  '123e4567-e89b-42d3-a456-426614174000',
  'https://example.com/a',
  'ünïcode',
  '😀 smile',
  'x'.repeat(40),
]

const HAS_FORMAT = new Map(FORMATS.map((format) => [format, ajv.compile({ format })]))

const typesOf = (value: JsonValue): string[] =>
  value === null
    ? ['null']
    : Array.isArray(value)
      ? ['array']
      : typeof value === 'number'
        ? Number.isInteger(value)
          ? ['integer', 'number']
          : ['number']
        : [typeof value]

function plain(value: JsonValue, draw: Draw, defs: { [name: string]: Schema }, depth: number): Schema {
  const schema: { [keyword: string]: unknown } = {}
  const maybe = (keyword: string, make: () => unknown): void => {
    if (draw(fc.nat({ max: 2 })) === 0) schema[keyword] = make()
  }
  const types = typesOf(value)
  if (draw(fc.nat({ max: 3 })) > 0) {
    const type = draw(fc.constantFrom(...types))
    schema.type = draw(fc.boolean())
      ? type
      : [...draw(fc.subarray(TYPES)), type].filter((one, index, all) => all.indexOf(one) === index)
  }
  if (typeof value === 'string') {
    const length = [...value].length
    maybe('minLength', () => length - draw(fc.nat({ max: Math.min(length, 5) })))
    maybe('maxLength', () => length + draw(fc.nat({ max: 20 })))
    maybe('pattern', () =>
      draw(fc.constantFrom(...PATTERNS.filter((pattern) => new RegExp(pattern, 'u').test(value)))),
    )
    const fits = (format: string) => length < (format === 'hostname' ? 13 : 37)
    const formats = FORMATS.filter((format) => fits(format) && HAS_FORMAT.get(format)?.(value) === true)
    if (formats.length > 0) maybe('format', () => draw(fc.constantFrom(...formats)))
  } else if (typeof value === 'number') {
    const gap = draw(fc.constantFrom(0, 0, 0.001, 1, 10, 1e6))
    maybe('minimum', () => value - gap)
    maybe('maximum', () => value + gap)
    if (value - 0.5 < value) maybe('exclusiveMinimum', () => value - gap - 0.5)
    if (value + 0.5 > value) maybe('exclusiveMaximum', () => value + gap + 0.5)
    const steps = [0.1, 0.25, 0.01, 1, 3, 7.5, 1e-5].filter(
      (step) => Number.isInteger(value / step) && Math.abs(value / step) < 1e15,
    )
    if (steps.length > 0) maybe('multipleOf', () => draw(fc.constantFrom(...steps)))
  } else if (Array.isArray(value)) {
    const prefix = draw(fc.nat({ max: Math.min(value.length, 2) }))
    if (prefix > 0)
      schema.prefixItems = value.slice(0, prefix).map((item) => schemaFor(item, draw, defs, depth + 1))
    const rest = value.slice(prefix)
    maybe('items', () =>
      rest.length === 0
        ? false
        : rest.length === 1
          ? schemaFor(rest[0] as JsonValue, draw, defs, depth + 1)
          : { anyOf: rest.map((item) => schemaFor(item, draw, defs, depth + 1)) },
    )
    maybe('minItems', () => value.length - draw(fc.nat({ max: value.length })))
    maybe('maxItems', () => value.length + draw(fc.nat({ max: 3 })))
    if (new Set(value.map((item) => JSON.stringify(item))).size === value.length)
      maybe('uniqueItems', () => true)
  } else if (typeof value === 'object' && value !== null) {
    const names = Object.keys(value)
    const declared = draw(fc.subarray(names))
    schema.properties = Object.fromEntries(
      declared.map((name) => [name, schemaFor(value[name] as JsonValue, draw, defs, depth + 1)]),
    )
    if (draw(fc.boolean()))
      (schema.properties as { [name: string]: unknown }).optional = draw(fc.constantFrom<Schema>(...JUNK))
    maybe('required', () => draw(fc.subarray(names)))
    const rest = names.filter((name) => !declared.includes(name))
    maybe('additionalProperties', () =>
      rest.length === 0
        ? false
        : rest.length === 1
          ? schemaFor(value[rest[0] as string] as JsonValue, draw, defs, depth + 1)
          : { anyOf: rest.map((name) => schemaFor(value[name] as JsonValue, draw, defs, depth + 1)) },
    )
  }
  if (draw(fc.nat({ max: 5 })) === 0)
    schema.examples = draw(fc.array(fc.constantFrom<JsonValue>('red', 5, value, null), { maxLength: 3 }))
  if (draw(fc.nat({ max: 5 })) === 0) schema.default = draw(fc.constantFrom<JsonValue>('red', 5, value, null))
  return schema
}

const NAMES = ['name', 'city', 'a', 'count', 'email', 'tags', 'isPrototypeOf', 'is_ok', 'from', 'x y']
const { value: valueArbitrary } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom<JsonValue>(...WORDS),
    fc.constantFrom<JsonValue>(0, 1, -3, 42, 0.5, 2.25, -0.75, 1e6, 9007199254740991, 1e21, 0.3, 12.34),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...NAMES), tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
}))

/** The value for a schema, judged; the schema stands in the message of a failure. */
function fillAndJudge(schema: Schema, prompt: string, key: string): void {
  const suggest = suggestionsFrom(new Words(prompt), tokensIn(prompt))
  const filled = fill(schema, key, suggest)
  expect(judge(schema, filled), `${JSON.stringify(filled)} for ${JSON.stringify(schema)}`).toBeUndefined()
  expect(fill(schema, key, suggest)).toEqual(filled)
}

// Shrinking replays all draws of a schema and takes for ever; the message has the schema.
const settings = { numRuns: RUNS, endOnFailure: true }

describe('filling random schemas', () => {
  it('finds a conforming value for every schema that is known to have one', () => {
    fc.assert(
      fc.property(
        valueArbitrary,
        fc.gen(),
        fc.constantFrom(...PROMPTS),
        fc.nat({ max: 3 }),
        (value, g, prompt, key) => {
          const defs: { [name: string]: Schema } = {}
          const inner = schemaFor(value, (arbitrary) => g(() => arbitrary), defs)
          const schema: Schema = typeof inner === 'boolean' ? inner : { ...inner, $defs: defs }
          expect(
            judge(schema, value),
            `the test itself: ${JSON.stringify(schema)} must allow ${JSON.stringify(value)}`,
          ).toBeUndefined()
          fillAndJudge(schema, prompt, String(key))
        },
      ),
      settings,
    )
  })
})
