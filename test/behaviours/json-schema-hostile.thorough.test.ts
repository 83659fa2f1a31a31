/**
 * Schemas that are no schemas, or that ask for far too much: each is rejected by name, none crashes or hangs.
 */

import { faker } from '@faker-js/faker/locale/en'
import { describe, expect, it } from 'vitest'
import { SchemaRejection } from '../../src/behaviours/json-schema/schema-rejection.ts'
import { schemaFiller } from '../../src/behaviours/json-schema/schemas.ts'
import { fill } from './_fill.ts'

/** The refusal of a schema; a filled value is an error of the test. */
function refusal(schema: unknown): SchemaRejection {
  try {
    fill(schema)
  } catch (error) {
    if (error instanceof SchemaRejection) return error
    throw error
  }
  throw new Error('the schema was filled')
}

const nested = (depth: number, wrap: (inner: unknown) => unknown, inner: unknown): unknown => {
  let schema = inner
  for (let i = 0; i < depth; i++) schema = wrap(schema)
  return schema
}
const chain = (length: number, link: (next: object) => object): object => ({
  $ref: '#/$defs/n0',
  $defs: Object.fromEntries(
    Array.from({ length }, (_, i) => [
      `n${i}`,
      i === length - 1 ? { type: 'string' } : link({ $ref: `#/$defs/n${i + 1}` }),
    ]),
  ),
})

describe('a schema that asks for too much', () => {
  it.each<[string, unknown, string]>([
    ['minItems: 1e9', { type: 'array', minItems: 1e9 }, 'minItems'],
    ['minLength: 1e9', { type: 'string', minLength: 1e9 }, 'minLength'],
    [
      'arrays of arrays of arrays',
      nested(4, (items) => ({ type: 'array', minItems: 100, items }), { type: 'integer' }),
      'minItems',
    ],
    [
      'many long strings',
      { type: 'array', minItems: 200, items: { type: 'string', minLength: 1000 } },
      'minLength',
    ],
    [
      'a thousand unique booleans',
      { type: 'array', minItems: 1000, uniqueItems: true, items: { type: 'boolean' } },
      'uniqueItems',
    ],
    ['65 levels', nested(65, (items) => ({ type: 'array', items }), {}), ''],
    ['65 levels of properties', nested(65, (a) => ({ properties: { a } }), {}), ''],
    [
      '6,000 subschemas',
      {
        type: 'object',
        properties: Object.fromEntries(Array.from({ length: 6000 }, (_, i) => [`p${i}`, {}])),
      },
      '',
    ],
    ['3,000 enum values', { enum: Array.from({ length: 3000 }, (_, i) => i) }, 'enum'],
    [
      '20 contradicting anyOfs',
      {
        allOf: Array.from({ length: 20 }, () => ({
          anyOf: Array.from({ length: 4 }, (_, j) => ({ minimum: j })),
        })),
        type: 'string',
        anyOf: [{ type: 'number' }],
      },
      'type',
    ],
    [
      '20 anyOfs whose branches contradict each other',
      {
        type: 'integer',
        allOf: [
          ...Array.from({ length: 20 }, () => ({ anyOf: [{ minimum: 1 }, { minimum: 2 }] })),
          { anyOf: [{ type: 'string' }] },
        ],
      },
      'allOf',
    ],
    ['300 anyOfs in one place', { allOf: Array.from({ length: 300 }, () => ({ anyOf: [{}] })) }, 'anyOf'],
    ['allOf doubling 30 times', chain(31, (next) => ({ allOf: [next, next], enum: ['a'] })), 'allOf'],
    ['1,000 references in a row', chain(1000, (next) => ({ allOf: [next] })), '$ref'],
    [
      '1,000 required levels by reference',
      chain(1000, (a) => ({ type: 'object', required: ['a'], properties: { a } })),
      '$ref',
    ],
    ['a pattern that repeats a million times', { type: 'string', pattern: '^(?:a{1000}){1000}$' }, 'pattern'],
    ['a pattern of 100,000 characters', { type: 'string', pattern: 'a'.repeat(100_000) }, 'pattern'],
  ])('%s is refused', (_, schema, keyword) => {
    expect(refusal(schema).keyword).toBe(keyword)
  })

  it.each<[string, unknown]>([
    [
      '10 anyOfs of 10',
      {
        allOf: Array.from({ length: 10 }, (_, i) => ({
          anyOf: Array.from({ length: 10 }, (_, j) => ({ properties: { [`p${i}`]: { const: j } } })),
        })),
      },
    ],
    [
      '1,000 required levels where text will do as well',
      {
        ...chain(1000, (a) => ({ type: 'object', required: ['a'], properties: { a } })),
        $ref: undefined,
        anyOf: [{ $ref: '#/$defs/n0' }, { type: 'string' }],
      },
    ],
    ['1,000 optional levels by reference', chain(1000, (a) => ({ type: 'object', properties: { a } }))],
    [
      'ten to the sixth optional properties',
      chain(7, (a) => ({
        type: 'object',
        properties: Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`p${i}`, a])),
      })),
    ],
    ['a deep const', { const: nested(100, (inner) => [inner], 1) }],
    ['an exponential pattern', { type: 'string', pattern: '^(a+)+$', minLength: 40 }],
    ['a polynomial pattern', { type: 'string', pattern: '^.*.*.*.*.*=.*$', minLength: 300 }],
    ['60 levels', nested(60, (items) => ({ type: 'array', minItems: 1, items }), { type: 'string' })],
    ['every level twice, optional', chain(40, (a) => ({ type: 'object', properties: { a, b: a } }))],
    [
      'an array without bounds of an array without bounds',
      nested(20, (items) => ({ type: 'array', items }), { type: 'string' }),
    ],
    [
      'bounds at the ends of what a double can hold',
      {
        type: 'array',
        minItems: 1,
        items: { type: 'number', minimum: -1.7e308, maximum: 1.7e308, multipleOf: 5e-324 },
      },
    ],
    ['the least double above zero', { type: 'number', exclusiveMinimum: 0, maximum: 5e-324 }],
  ])('%s is filled', (_, schema) => {
    expect(JSON.stringify(fill(schema)).length).toBeLessThan(200_000)
  })
})

describe('a schema that is malformed', () => {
  it.each<[unknown, string, string]>([
    [null, '', 'schema'],
    [5, '', 'schema'],
    ['string', '', 'schema'],
    [[], '', 'schema'],
    [undefined, '', 'schema'],
    [{ type: 'strnig' }, '', 'type'],
    [{ type: [] }, '', 'type'],
    [{ type: ['string', 5] }, '', 'type'],
    [{ type: 'constructor' }, '', 'type'],
    [{ properties: 5 }, '', 'properties'],
    [{ properties: [] }, '', 'properties'],
    [{ properties: { a: 5 } }, 'properties.a', ''],
    [{ required: 'a' }, '', 'required'],
    [{ required: true }, '', 'required'],
    [{ required: [1] }, '', 'required'],
    [{ required: ['__proto__'] }, '', 'required'],
    [{ additionalProperties: 'no' }, 'additionalProperties', ''],
    [{ items: [{}] }, '', 'items'],
    [{ items: 'string' }, 'items', ''],
    [{ prefixItems: {} }, '', 'prefixItems'],
    [{ prefixItems: [] }, '', 'prefixItems'],
    [{ enum: [] }, '', 'enum'],
    [{ enum: 'a' }, '', 'enum'],
    [{ anyOf: [] }, '', 'anyOf'],
    [{ anyOf: {} }, '', 'anyOf'],
    [{ oneOf: [3] }, 'oneOf.0', ''],
    [{ allOf: [] }, '', 'allOf'],
    [{ $ref: 5 }, '', '$ref'],
    [{ $ref: '#/$defs/none' }, '', '$ref'],
    [{ $ref: 'https://example.com/schema.json' }, '', '$ref'],
    [{ $ref: '#/%E0%A4%A' }, '', '$ref'],
    [{ $ref: '#/title', title: 'not a schema' }, 'title', ''],
    [{ $defs: 5 }, '', '$defs'],
    [{ minimum: 'x' }, '', 'minimum'],
    [{ minimum: 3, exclusiveMinimum: true }, '', 'exclusiveMinimum'],
    [{ multipleOf: 0 }, '', 'multipleOf'],
    [{ multipleOf: -1 }, '', 'multipleOf'],
    [{ minLength: -1 }, '', 'minLength'],
    [{ maxItems: 1.5 }, '', 'maxItems'],
    [{ uniqueItems: 'yes' }, '', 'uniqueItems'],
    [{ pattern: 5 }, '', 'pattern'],
    [{ pattern: '(' }, '', 'pattern'],
    [{ format: {} }, '', 'format'],
    [{ properties: { items: { items: { minimum: 'x' } } } }, 'properties.items.items', 'minimum'],
    [
      { $ref: '#/$defs/a', $defs: { a: { prefixItems: [{}, { type: 'x' }] } } },
      '$defs.a.prefixItems.1',
      'type',
    ],
  ])('%j is refused at "%s", naming %s', (schema, path, keyword) => {
    const { path: at, keyword: named, message } = refusal(schema)
    expect([at, named]).toEqual([path, keyword])
    expect(message).toMatch(/write|has no target/)
    expect(message.startsWith([path, keyword].filter((part) => part !== '').join('.'))).toBe(true)
  })

  it('annotations of any shape are passed over', () => {
    expect(
      fill({
        type: 'boolean',
        title: 5,
        description: [],
        examples: 'x',
        default: { a: 1 },
        deprecated: 1,
        $comment: {},
        'x-order': 3,
        nullable: true,
      }),
    ).toBe(true)
  })
})

describe('a schema that constrains with a keyword that is not supported', () => {
  const unsupported =
    'not if then else patternProperties dependentSchemas dependentRequired dependencies contains minContains ' +
    'maxContains minProperties maxProperties unevaluatedProperties unevaluatedItems additionalItems $dynamicRef $recursiveRef'
  it.each(unsupported.split(' '))('%s is refused by name, with what to write instead', (keyword) => {
    const rejected = refusal({ type: 'object', properties: { a: { [keyword]: {} } } })
    expect([rejected.path, rejected.keyword]).toEqual(['properties.a', keyword])
    expect(rejected.message).toMatch(
      /not supported by the simulator; (?:write|name|constrain|describe|list) /,
    )
  })

  it('propertyNames is let through only where it says nothing, as generators write it', () => {
    expect(
      fill({ type: 'object', propertyNames: { type: 'string' }, additionalProperties: { type: 'integer' } }),
    ).toBeTypeOf('object')
    expect(refusal({ propertyNames: { pattern: '^a' } }).keyword).toBe('propertyNames')
  })
})

it.each([1500, 4000])('the schemas of one request have a limit together, read before or not: %i', (width) => {
  const makeSchemas = schemaFiller(faker)
  const wide = (name: string): object => ({
    type: 'object',
    properties: Object.fromEntries(Array.from({ length: width }, (_, i) => [`${name}${i}`, {}])),
  })
  const fitting = Math.floor(10_000 / width)
  for (let request = 0; request < 2; request++) {
    const schemas = makeSchemas()
    for (let i = 0; i < fitting; i++) schemas.check(wide(`p${i}_`), 'tools[0]')
    expect(() => schemas.check(wide('last'), 'tools[1]')).toThrow(
      'more than 10000 subschemas in this request; send fewer or smaller schemas',
    )
  }
})
