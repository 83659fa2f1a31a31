/**
 * Every keyword of docs/scenarios/structured-output.md: what a filled value looks like, and that it stays the
 * same. That values conform, whatever the keywords, is proved by json-schema-conformance.property.test.ts.
 */
import { describe, expect, it } from 'vitest'
import type { JsonValue } from '../../src/behaviours/json-schema/json-value.ts'
import { fill } from './_fill.ts'

/** Values for many keys, for what has to hold whatever is drawn. */
const fills = (schema: unknown): JsonValue[] => Array.from({ length: 40 }, (_, i) => fill(schema, `key ${i}`))
const different = (values: unknown): unknown[] => [...new Set(values as unknown[])]
const object = (properties: object, more: object = {}): object => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...more,
})
const array = (items: unknown, more: object = {}): object => ({ type: 'array', items, ...more })
const one = { const: 1 }

describe('determinism', () => {
  const schema = object({
    name: { type: 'string' },
    age: { type: 'integer' },
    tags: array({ type: 'string' }),
    choice: { anyOf: [{ type: 'string' }, { type: 'number' }] },
  })

  it('the same schema and key give the same value', () => {
    expect(fill(schema)).toEqual(fill(schema))
  })

  it('another key gives another value', () => {
    expect(new Set(fills(schema).map((value) => JSON.stringify(value))).size).toBeGreaterThan(30)
  })

  it('a new property does not change what the others get', () => {
    const properties = { city: { type: 'string' }, price: { type: 'number' } }
    expect(fill(object({ extra: { type: 'string' }, ...properties }))).toMatchObject(
      fill(object(properties)) as object,
    )
  })

  it('hands out copies, so that changing a value changes no schema', () => {
    const schema = { const: { list: [1] } }
    const value = fill(schema) as { list: number[] }
    value.list.push(2)
    expect(schema.const.list).toEqual([1])
  })
})

const number = expect.any(Number)
const text = expect.any(String)

it.each<[string, unknown, unknown]>([
  ['string', { type: 'string' }, text],
  ['number', { type: 'number' }, number],
  ['boolean', { type: 'boolean' }, true],
  ['null', { type: 'null' }, null],
  ['object', { type: 'object' }, {}],
  ['array', array({ type: 'boolean' }), expect.arrayContaining([true])],
  ['the first type that is not null', { type: ['null', 'integer', 'string'] }, number],
  ['a type by properties', { properties: { a: one } }, { a: 1 }],
  ['a type by items', { items: one, minItems: 2 }, [1, 1]],
  ['a type by minimum', { minimum: 3 }, number],
  ['a type by minLength', { minLength: 3 }, text],
  ['nothing said at all', {}, text],
  ['true', true, text],
  ['const of whatever type', { const: { a: [1, null] } }, { a: [1, null] }],
  ['null where nothing else is left of an enum', { enum: [null, 'a'], type: 'null' }, null],
  ['what two enums have both', { allOf: [{ enum: ['a', 'b'] }, { enum: ['b', 'c'] }] }, 'b'],
  ['nothing undeclared', { type: 'object', properties: { a: one } }, { a: 1 }],
  [
    'what is required though not declared',
    { type: 'object', required: ['x'], additionalProperties: { const: 7 } },
    { x: 7 },
  ],
  ['no optional property without a value', { type: 'object', properties: { a: one, b: false } }, { a: 1 }],
  [
    'names that every JavaScript object has',
    object({ constructor: one, toString: one, hasOwnProperty: one }),
    { constructor: 1, toString: 1, hasOwnProperty: 1 },
  ],
  ['minItems', array(one, { minItems: 7 }), [1, 1, 1, 1, 1, 1, 1]],
  ['maxItems 0', array({}, { maxItems: 0 }), []],
  ['prefixItems', { type: 'array', prefixItems: [one, { const: 'b' }], items: false }, [1, 'b']],
  ['items behind prefixItems', array({ const: 2 }, { prefixItems: [one], minItems: 3 }), [1, 2, 2]],
  ['no position without a value', { type: 'array', prefixItems: [one, false] }, [1]],
  ['an unknown format as an annotation', { type: 'string', format: 'phone-of-home' }, text],
  [
    'patterns together',
    { type: 'string', allOf: [{ pattern: '^ab.*' }, { pattern: '.*z$' }, { pattern: 'q' }] },
    expect.stringMatching(/^ab.*q.*z$/),
  ],
  [
    'only what the strictest part of allOf declares',
    {
      allOf: [
        { properties: { a: one }, additionalProperties: false },
        { properties: { a: {}, b: { const: 2 } } },
      ],
    },
    { a: 1 },
  ],
  [
    'bounds, properties, items and required of all parts of allOf',
    {
      allOf: [
        object(
          { n: { type: 'integer', minimum: 3 }, list: array({ type: 'integer' }) },
          {
            additionalProperties: true,
            required: ['n'],
          },
        ),
        {
          properties: {
            n: { maximum: 3 },
            list: { items: { enum: [9, 'x'] }, maxItems: 1 },
            more: { const: true },
          },
          required: ['more'],
        },
      ],
    },
    { n: 3, list: [9], more: true },
  ],
  ['$ref together with its neighbours', { $ref: '#/$defs/n', maximum: 3, $defs: { n: { minimum: 3 } } }, 3],
  ['an unused definition is not read', { const: 1, $defs: { unused: { not: {} } } }, 1],
  ['an example', { type: 'string', examples: ['Oslo'] }, 'Oslo'],
  ['a default', { type: 'boolean', default: false }, false],
  ['a default of an enum', { enum: ['a', 'b', 'c'], default: 'b' }, 'b'],
  [
    'an example of an object',
    { type: 'object', properties: { a: { type: 'string' } }, examples: [{ a: 'x' }] },
    { a: 'x' },
  ],
  [
    'no example that does not conform',
    { type: 'integer', minimum: 5, maximum: 5, examples: [1, 'x'], default: null },
    5,
  ],
  ['text before a default null', { type: ['string', 'null'], default: null }, text],
  [
    'examples one after another',
    array({ type: 'string', examples: ['a', 'b'] }, { minItems: 2, maxItems: 2 }),
    ['a', 'b'],
  ],
  ['never -0', { type: 'number', minimum: -0.0001, maximum: 0, multipleOf: 1 }, 0],
])('gives %s', (_, schema, expected) => {
  expect(fill(schema)).toStrictEqual(expected)
})

describe('objects and arrays', () => {
  it('have their properties in declared order, optional ones too', () => {
    const schema = { type: 'object', properties: { b: {}, a: {}, c: {} }, required: ['c'] }
    expect(Object.keys(fill(schema) as object)).toEqual(['b', 'a', 'c'])
  })

  it('that are maps get two entries', () => {
    const map = { type: 'object', additionalProperties: { type: 'integer' } }
    expect(Object.values(fill(map) as object)).toEqual([number, number])
  })

  it('have two or three items unless told otherwise', () => {
    const lengths = fills(array({ type: 'number' })).map((value) => (value as []).length)
    expect(different(lengths).sort()).toEqual([2, 3])
  })

  it.each<[object, number]>([
    [{ enum: ['a', 'b', 'c'] }, 3],
    [{ type: ['boolean', 'null'] }, 3],
    [{ type: 'integer', minimum: 1, maximum: 100 }, 100],
    [{ type: 'string', maxLength: 1 }, 8],
    [object({ on: { type: 'boolean' }, off: { type: 'boolean' } }), 4],
  ])('uniqueItems uses every value of %j', (items, minItems) => {
    const values = fill(array(items, { minItems, uniqueItems: true })) as unknown[]
    expect(different(values.map((value) => JSON.stringify(value)))).toHaveLength(minItems)
  })

  it('do not repeat plain items even where they may', () => {
    for (const value of fills(array({ type: 'string' }, { minItems: 5 })))
      expect(different(value)).toHaveLength(5)
  })
})

it.each<[string, unknown, readonly unknown[]]>([
  ['each value of an enum', { enum: ['a1', 'b2', 'c3'] }, ['a1', 'b2', 'c3']],
  [
    'the values that other keywords leave',
    { enum: ['a', 1, 12, 'long', null], type: ['string', 'integer'], minimum: 5, minLength: 2 },
    [12, 'long'],
  ],
  ['null only where it must', { enum: [null, 'a'] }, ['a']],
  [
    'whole branches that a const tells apart',
    { anyOf: [object({ kind: { const: 'circle' }, r: one }), object({ kind: { const: 'square' }, a: one })] },
    [
      { kind: 'circle', r: 1 },
      { kind: 'square', a: 1 },
    ],
  ],
  [
    'what exactly one branch of oneOf requires',
    {
      type: 'object',
      properties: { a: one, b: one },
      oneOf: [{ required: ['a'] }, { required: ['b'] }],
    },
    [{ a: 1 }, { b: 1 }],
  ],
])('in time gives %s, and nothing else', (_, schema, expected) => {
  const values = different(fills(schema).map((value) => JSON.stringify(value)))
  expect(values.sort()).toEqual(expected.map((value) => JSON.stringify(value)).sort())
})

it('anyOf takes each branch in time, but null only where it must', () => {
  const values = fills({ anyOf: [{ type: 'boolean' }, { type: 'number' }, { type: 'null' }] })
  expect(different(values.map((value) => typeof value)).sort()).toEqual(['boolean', 'number'])
})

describe('strings', () => {
  it.each<[object, RegExp]>([
    [{ format: 'date-time' }, /^2026-\d\d-\d\dT\d\d:\d\d:\d\dZ$/],
    [{ format: 'date' }, /^2026-\d\d-\d\d$/],
    [{ format: 'time' }, /^\d\d:\d\d:\d\dZ$/],
    [{ format: 'duration' }, /^PT\d+M$/],
    [{ format: 'email' }, /^[a-z.]+@example\.com$/],
    [{ format: 'hostname' }, /^[a-z]+\.example\.com$/],
    [{ format: 'ipv4' }, /^192\.0\.2\.\d{1,3}$/],
    [{ format: 'ipv6' }, /^2001:db8::[0-9a-f]{1,4}$/],
    [{ format: 'uuid' }, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/],
    [{ format: 'uri' }, /^https:\/\/example\.com\//],
    [{ pattern: '^[A-Z]{2}-\\d{3,5}$' }, /^[A-Z]{2}-\d{3,5}$/],
    // Escapes that are invalid with the flag `u`.
    [{ pattern: '^[\\w\\!\\#]{6}\\_$' }, /^[\w!#]{6}_$/],
    [
      {
        // As schema generators write it.
        format: 'email',
        maxLength: 30,
        pattern: "^(?:[A-Za-z0-9_'+-]+\\.)*[A-Za-z0-9_+-]+@(?:[A-Za-z0-9][A-Za-z0-9-]*\\.)+[A-Za-z]{2,}$",
      },
      /^[a-z.]+@example\.com$/,
    ],
  ])('of %j', (keywords, pattern) => {
    for (const value of fills({ type: 'string', ...keywords })) expect(value).toMatch(pattern)
  })
})

it.each([
  [{ enum: ['a', 'b'], minLength: 5 }, 'enum: no listed value conforms to minLength 5; list one that does'],
  [{ const: 1, type: 'string' }, 'const: no listed value conforms to the other keywords; list one that does'],
  [
    { type: 'integer', minimum: 5, maximum: 3 },
    'minimum: no value was found that conforms to minimum 5, maximum 3; write wider bounds, or a simpler ' +
      'combination of keywords',
  ],
  [
    array(one, { minItems: 4, maxItems: 2 }),
    'minItems: no value was found that conforms to minItems 4, maxItems 2; write wider bounds, or a simpler',
  ],
  [
    { type: 'object', properties: { a: one }, required: ['b'], additionalProperties: false },
    'additionalProperties: got false, but "b" is required; add it to properties',
  ],
  [
    { type: 'object', allOf: [{ properties: { b: one }, required: ['b'] }, { additionalProperties: false }] },
    'allOf.1.additionalProperties: got false, but "b" is required; add it to properties',
  ],
  [array({}, { minItems: 9000 }), /^minItems: the value would have more than 100000 characters; write sm/],
  [array(one, { minItems: 10_000 }), /^minItems: the value would have more than 10000 parts; write smaller/],
  [{ pattern: '(?i)a' }, 'pattern: got "(?i)a"; write a regular expression that is valid in JavaScript'],
])('%j is rejected, with a remedy', (schema, message) => {
  expect(() => fill(schema)).toThrow(message)
})

describe('recursion', () => {
  const depthOf = (value: JsonValue): number =>
    typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0
  const root = (a: unknown, more: object = {}): object => ({ $ref: '#/$defs/a', $defs: { a, ...more } })
  const a = { $ref: '#/$defs/a' }

  it('a tree gets children, and they get none', () => {
    const value = fill(object({ value: one, children: array({ $ref: '#' }) })) as { children: object[] }
    expect(value.children.length).toBeGreaterThan(1)
    for (const child of value.children) expect(child).toEqual({ value: 1, children: [] })
  })

  it('a list gets a second entry, and that one null or nothing', () => {
    const list = object({ value: one, next: { anyOf: [a, { type: 'null' }] } })
    expect(fill(root(list))).toMatchObject({ value: 1, next: { value: 1 } })
    const open = { type: 'object', properties: { value: one, next: { $ref: '#' } } }
    expect(fill(open)).toMatchObject({ value: 1, next: { value: 1 } })
  })

  it.each<[string, object, number]>([
    [
      'two schemas that refer to each other',
      root(object({ b: { $ref: '#/$defs/b' } }), {
        b: object({ a: { type: ['object', 'null'], properties: { b: { $ref: '#/$defs/b' } } } }),
      }),
      8,
    ],
    [
      'an expression, in literals',
      root({
        anyOf: [
          object({ op: { enum: ['+', '*'] }, left: a, right: a }),
          object({ literal: { type: 'number' } }),
        ],
      }),
      5,
    ],
    [
      'branches that grow, in the one that ends',
      root({ anyOf: [array(a, { minItems: 2 }), object({ a }), { const: 'end' }] }),
      8,
    ],
  ])('ends: %s', (_, schema, most) => {
    for (const value of fills(schema)) expect(depthOf(value)).toBeLessThan(most)
  })
})
