/**
 * Every keyword of docs/structured-output.md: what a filled value looks like, and that it stays the
 * same.
 */
import { faker } from '@faker-js/faker/locale/en'
import { describe, expect, it } from 'vitest'
import { createFakes } from '../../src/behaviours/json-schema/fakes.ts'
import { readSchema } from '../../src/behaviours/json-schema/read-schema.ts'
import { fillSchema, type JsonValue } from '../../src/behaviours/json-schema/schemas.ts'
import { readPromptFacts } from '../../src/behaviours/prompt/facts.ts'
import { randomFrom } from '../../src/engine/random.ts'

const fakes = createFakes(faker)
const fill = (schema: unknown, key = 'k', prompt = ''): JsonValue =>
  fillSchema(readSchema(schema), { random: randomFrom(key), facts: readPromptFacts(prompt), fakes })
/** Values for many keys, for what has to hold whatever is drawn. */
const fills = (schema: unknown, prompt = ''): JsonValue[] =>
  Array.from({ length: 40 }, (_, i) => fill(schema, `key ${i}`, prompt))
const object = (properties: object, more: object = {}): object => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...more,
})

describe('determinism', () => {
  const schema = object({
    name: { type: 'string' },
    age: { type: 'integer' },
    tags: { type: 'array', items: { type: 'string' } },
    choice: { anyOf: [{ type: 'string' }, { type: 'number' }] },
  })

  it('the same schema, prompt and key give the same value', () => {
    expect(fill(schema, 'k', 'Find Ada')).toEqual(fill(schema, 'k', 'Find Ada'))
  })

  it('a node can be kept and filled again', () => {
    const node = readSchema(schema)
    const once = (): JsonValue =>
      fillSchema(node, { random: randomFrom('k'), facts: readPromptFacts('x'), fakes })
    expect(once()).toEqual(once())
    expect(once()).toEqual(fill(schema, 'k', 'x'))
  })

  it('another key gives another value', () => {
    expect(new Set(fills(schema).map((value) => JSON.stringify(value))).size).toBeGreaterThan(30)
  })

  it('a new property does not change what the others get', () => {
    const [a, b] = [
      fill(object({ city: { type: 'string' }, price: { type: 'number' } })),
      fill(object({ extra: { type: 'string' }, city: { type: 'string' }, price: { type: 'number' } })),
    ]
    expect(b).toMatchObject(a as object)
  })

  it('does not depend on what was drawn from the faker before', () => {
    const before = fill(schema)
    faker.seed(5)
    faker.person.fullName()
    expect(fill(schema)).toEqual(before)
  })

  it('hands out copies, so that changing a value changes no schema', () => {
    const schema = { const: { list: [1] } }
    const node = readSchema(schema)
    const first = fillSchema(node, { random: randomFrom('k'), facts: readPromptFacts(''), fakes }) as {
      list: number[]
    }
    first.list.push(2)
    expect(schema.const.list).toEqual([1])
    expect(fillSchema(node, { random: randomFrom('k'), facts: readPromptFacts(''), fakes })).toEqual({
      list: [1],
    })
  })
})

describe('type', () => {
  it.each([
    ['string', 'string'],
    ['number', 'number'],
    ['boolean', 'boolean'],
    ['object', 'object'],
  ])('%s', (type, expected) => {
    expect(typeof fill({ type })).toBe(expected)
  })

  it('integer is whole', () => {
    for (const value of fills({ type: 'integer' })) expect(value).toSatisfy(Number.isInteger)
  })

  it('null', () => {
    expect(fill({ type: 'null' })).toBeNull()
  })

  it('array', () => {
    expect(fill({ type: 'array', items: { type: 'boolean' } })).toEqual(expect.arrayContaining([true]))
  })

  it('a list of types gives the first that is not null', () => {
    expect(typeof fill({ type: ['null', 'integer', 'string'] })).toBe('number')
    expect(typeof fill({ type: ['string', 'null'] })).toBe('string')
  })

  it('left out is taken from the other keywords', () => {
    expect(fill({ properties: { a: { const: 1 } } })).toEqual({ a: 1 })
    expect(fill({ items: { const: 1 }, minItems: 2 })).toEqual([1, 1])
    expect(typeof fill({ minimum: 3 })).toBe('number')
    expect(typeof fill({ minLength: 3 })).toBe('string')
  })

  it('nothing said at all gives a text', () => {
    expect(typeof fill({})).toBe('string')
    expect(typeof fill(true)).toBe('string')
  })
})

describe('enum and const', () => {
  it('const is the value, of whatever type', () => {
    expect(fill({ const: { a: [1, null] } })).toEqual({ a: [1, null] })
  })

  it('enum gives one of its values, in time each', () => {
    expect(new Set(fills({ enum: ['a1', 'b2', 'c3'] }))).toEqual(new Set(['a1', 'b2', 'c3']))
  })

  it('values that the other keywords rule out are left out', () => {
    expect(
      new Set(
        fills({ enum: ['a', 1, 12, 'long', null], type: ['string', 'integer'], minimum: 5, minLength: 2 }),
      ),
    ).toEqual(new Set([12, 'long']))
  })

  it('null among the values comes only when nothing else is left', () => {
    expect(fills({ enum: [null, 'a'] })).not.toContain(null)
    expect(fill({ enum: [null, 'a'], type: 'null' })).toBeNull()
  })

  it('of two enums together only what both have', () => {
    expect(fill({ allOf: [{ enum: ['a', 'b'] }, { enum: ['b', 'c'] }] })).toBe('b')
  })
})

describe('objects', () => {
  it('have their properties in declared order, optional ones too', () => {
    expect(
      Object.keys(fill({ type: 'object', properties: { b: {}, a: {}, c: {} }, required: ['c'] }) as object),
    ).toEqual(['b', 'a', 'c'])
  })

  it('have nothing undeclared, whether additionalProperties is false or not', () => {
    expect(fill(object({ a: { const: 1 } }))).toEqual({ a: 1 })
    expect(fill({ type: 'object', properties: { a: { const: 1 } } })).toEqual({ a: 1 })
    expect(fill({ type: 'object' })).toEqual({})
  })

  it('have what is required though not declared, by the schema of additionalProperties', () => {
    expect(fill({ type: 'object', required: ['x'], additionalProperties: { const: 7 } })).toEqual({ x: 7 })
  })

  it('that are maps get two entries', () => {
    const value = fill({ type: 'object', additionalProperties: { type: 'integer' } }) as object
    expect(Object.values(value)).toHaveLength(2)
    for (const one of Object.values(value)) expect(one).toSatisfy(Number.isInteger)
  })

  it('keep to minProperties and maxProperties', () => {
    const properties = { a: { const: 1 }, b: { const: 2 }, c: { const: 3 } }
    expect(fill({ type: 'object', properties, required: ['c'], maxProperties: 2 })).toEqual({ a: 1, c: 3 })
    expect(Object.keys(fill({ type: 'object', properties, minProperties: 5 }) as object)).toHaveLength(5)
  })

  it('leave out an optional property that can have no value', () => {
    expect(fill({ type: 'object', properties: { a: { const: 1 }, b: false } })).toEqual({ a: 1 })
  })

  it('may have properties named like what every JavaScript object has', () => {
    expect(
      fill(object({ constructor: { const: 1 }, toString: { const: 2 }, hasOwnProperty: { const: 3 } })),
    ).toEqual({ constructor: 1, toString: 2, hasOwnProperty: 3 })
  })
})

describe('arrays', () => {
  it('have two or three items unless told otherwise', () => {
    expect(
      new Set(fills({ type: 'array', items: { type: 'number' } }).map((value) => (value as []).length)),
    ).toEqual(new Set([2, 3]))
  })

  it('keep to minItems and maxItems', () => {
    expect(fill({ type: 'array', items: {}, minItems: 7 })).toHaveLength(7)
    expect(fill({ type: 'array', items: {}, maxItems: 1 })).toHaveLength(1)
    expect(fill({ type: 'array', items: {}, maxItems: 0 })).toEqual([])
  })

  it('follow prefixItems position by position', () => {
    expect(fill({ type: 'array', prefixItems: [{ const: 1 }, { const: 'b' }], items: false })).toEqual([
      1,
      'b',
    ])
    expect(fill({ type: 'array', prefixItems: [{ const: 1 }], items: { const: 2 }, minItems: 3 })).toEqual([
      1, 2, 2,
    ])
  })

  it('stop before a position that can have no value', () => {
    expect(fill({ type: 'array', prefixItems: [{ const: 1 }, false] })).toEqual([1])
  })

  it('uniqueItems uses every value of a small choice', () => {
    expect(
      new Set(
        fill({ type: 'array', items: { enum: ['a', 'b', 'c'] }, minItems: 3, uniqueItems: true }) as string[],
      ),
    ).toEqual(new Set(['a', 'b', 'c']))
    expect(
      new Set(
        fill({
          type: 'array',
          items: { type: ['boolean', 'null'] },
          minItems: 3,
          uniqueItems: true,
        }) as unknown[],
      ),
    ).toEqual(new Set([true, false, null]))
    expect(
      new Set(
        fill({
          type: 'array',
          items: { type: 'integer', minimum: 1, maximum: 100 },
          minItems: 100,
          uniqueItems: true,
        }) as number[],
      ).size,
    ).toBe(100)
    expect(
      new Set(
        fill({
          type: 'array',
          items: { type: 'string', maxLength: 1 },
          minItems: 20,
          uniqueItems: true,
        }) as string[],
      ).size,
    ).toBe(20)
  })

  it('uniqueItems holds for objects too', () => {
    const items = object({ on: { type: 'boolean' }, off: { type: 'boolean' } })
    expect(
      new Set(
        (fill({ type: 'array', items, minItems: 4, uniqueItems: true }) as object[]).map((item) =>
          JSON.stringify(item),
        ),
      ).size,
    ).toBe(4)
  })

  it('do not repeat plain items even where they may', () => {
    for (const value of fills({ type: 'array', items: { type: 'string' }, minItems: 5 }))
      expect(new Set(value as string[]).size).toBe(5)
  })
})

describe('numbers', () => {
  it.each<[object, (x: number) => boolean]>([
    [{ type: 'integer', minimum: 5, maximum: 7 }, (x) => x >= 5 && x <= 7],
    [{ type: 'integer', exclusiveMinimum: 5, exclusiveMaximum: 7 }, (x) => x === 6],
    [{ type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 }, (x) => x > 0 && x < 1],
    [{ type: 'number', exclusiveMinimum: 0, maximum: 1e-10 }, (x) => x > 0 && x <= 1e-10],
    [{ type: 'number', minimum: 1e300 }, (x) => x >= 1e300],
    [{ type: 'number', maximum: -1e300 }, (x) => x <= -1e300],
    [{ type: 'integer', multipleOf: 7 }, (x) => x % 7 === 0],
    [{ type: 'number', multipleOf: 0.5 }, (x) => Number.isInteger(x * 2)],
    [{ type: 'number', multipleOf: 0.1 }, (x) => Number.isInteger(x / 0.1)],
    [
      { type: 'number', multipleOf: 0.01, minimum: 0, maximum: 1 },
      (x) => Number.isInteger(x / 0.01) && x >= 0 && x <= 1,
    ],
    [{ type: 'integer', multipleOf: 2.5 }, (x) => x % 5 === 0],
    [
      { allOf: [{ multipleOf: 4 }, { multipleOf: 6 }], type: 'integer', minimum: 1 },
      (x) => x % 12 === 0 && x > 0,
    ],
    [{ type: 'integer', minimum: -9007199254740991, maximum: 9007199254740991 }, (x) => x >= 1 && x <= 100],
    [{ type: 'integer', minimum: 1e17 }, (x) => x >= 1e17],
    [{ type: 'number', minimum: 0.3, maximum: 0.3 }, (x) => x === 0.3],
  ])('%j', (schema, holds) => {
    for (const value of fills(schema)) expect(value).toSatisfy(holds)
  })

  it('a multiple that only decimals know is given when there is no other', () => {
    expect(fill({ type: 'number', multipleOf: 0.1, minimum: 0.25, maximum: 0.35 })).toBe(0.3)
  })

  it('0 is never -0', () => {
    expect(Object.is(fill({ type: 'number', minimum: -0.0001, maximum: 0, multipleOf: 1 }), 0)).toBe(true)
  })
})

describe('strings', () => {
  it('keep to minLength and maxLength', () => {
    for (const [minLength, maxLength] of [
      [0, 0],
      [1, 1],
      [3, 5],
      [10, 12],
      [40, 45],
      [500, 500],
      [5000, 6000],
    ] as const) {
      for (const value of fills({ type: 'string', minLength, maxLength })) {
        expect((value as string).length).toBeGreaterThanOrEqual(minLength)
        expect((value as string).length).toBeLessThanOrEqual(maxLength)
      }
    }
  })

  it('are counted in code points', () => {
    expect(fill({ type: 'string', maxLength: 3 }, 'k', 'Say "😀😀😀"')).toBe('😀😀😀')
  })

  it.each<[string, RegExp]>([
    ['date-time', /^2026-\d\d-\d\dT\d\d:\d\d:\d\dZ$/],
    ['date', /^2026-\d\d-\d\d$/],
    ['time', /^\d\d:\d\d:\d\dZ$/],
    ['duration', /^PT\d+M$/],
    ['email', /^[a-z.]+@example\.com$/],
    ['hostname', /^[a-z]+\.example\.com$/],
    ['ipv4', /^192\.0\.2\.\d{1,3}$/],
    ['ipv6', /^2001:db8::[0-9a-f]{3}$/],
    ['uuid', /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/],
    ['uri', /^https:\/\/example\.com\//],
  ])('of the format %s read %s', (format, pattern) => {
    for (const value of fills({ type: 'string', format })) expect(value).toMatch(pattern)
  })

  it('an unknown format is an annotation', () => {
    expect(typeof fill({ type: 'string', format: 'phone-of-home' })).toBe('string')
  })

  it('match their pattern', () => {
    for (const value of fills({ type: 'string', pattern: '^[A-Z]{2}-\\d{3,5}$' }))
      expect(value).toMatch(/^[A-Z]{2}-\d{3,5}$/)
  })

  it('match pattern, format and length together, as schema generators write them', () => {
    const email = {
      type: 'string',
      format: 'email',
      maxLength: 30,
      pattern:
        "^(?:[A-Za-z0-9_'+\\-]+\\.)*[A-Za-z0-9_'+\\-]*[A-Za-z0-9_+-]@(?:[A-Za-z0-9][A-Za-z0-9\\-]*\\.)+[A-Za-z]{2,}$",
    }
    for (const value of fills(email)) expect(value).toMatch(/^[a-z.]+@example\.com$/)
    expect(
      fill({ type: 'string', allOf: [{ pattern: '^ab.*' }, { pattern: '.*z$' }, { pattern: 'q' }] }),
    ).toMatch(/^ab.*q.*z$/)
  })
})

describe('anyOf, oneOf, allOf', () => {
  it('anyOf takes a branch, in time each, but null only where it must', () => {
    expect(
      new Set(
        fills({ anyOf: [{ type: 'boolean' }, { type: 'number' }, { type: 'null' }] }).map(
          (value) => typeof value,
        ),
      ),
    ).toEqual(new Set(['boolean', 'number']))
  })

  it('keywords beside anyOf hold in every branch', () => {
    for (const value of fills({
      type: 'integer',
      minimum: 10,
      anyOf: [{ maximum: 12 }, { multipleOf: 50 }, { maximum: 3 }],
    })) {
      expect(value).toSatisfy((x: number) => x >= 10 && (x <= 12 || x % 50 === 0))
    }
  })

  it('oneOf holds for exactly one branch, though branches overlap', () => {
    for (const value of fills({ oneOf: [{ type: 'integer' }, { type: 'number', minimum: 10 }] })) {
      expect(value).toSatisfy((x: number) => Number.isInteger(x) !== x >= 10)
    }
    for (const value of fills({
      type: 'object',
      properties: { a: { const: 1 }, b: { const: 2 } },
      oneOf: [{ required: ['a'] }, { required: ['b'] }],
    }))
      expect([{ a: 1 }, { b: 2 }]).toContainEqual(value)
  })

  it('branches told apart by a const come whole', () => {
    const shapes = {
      anyOf: [
        object({ kind: { const: 'circle' }, radius: { const: 1 } }),
        object({ kind: { const: 'square' }, side: { const: 2 } }),
      ],
    }
    for (const value of fills(shapes))
      expect([
        { kind: 'circle', radius: 1 },
        { kind: 'square', side: 2 },
      ]).toContainEqual(value)
  })

  it('allOf merges bounds, properties, items and required', () => {
    const schema = {
      allOf: [
        {
          type: 'object',
          properties: {
            n: { type: 'integer', minimum: 3 },
            list: { type: 'array', items: { type: 'integer' }, minItems: 1 },
          },
          required: ['n'],
        },
        {
          properties: {
            n: { maximum: 3 },
            list: { items: { enum: [9, 'x'] }, maxItems: 1 },
            more: { const: true },
          },
          required: ['more'],
        },
      ],
    }
    expect(fill(schema)).toEqual({ n: 3, list: [9], more: true })
  })

  it('additionalProperties of one part of allOf holds for what only another part declares', () => {
    expect(
      fill({
        allOf: [
          { properties: { a: { const: 1 } }, additionalProperties: false },
          { properties: { a: {}, b: { const: 2 } } },
        ],
      }),
    ).toEqual({ a: 1 })
  })
})

describe('$ref', () => {
  it.each([
    ['#/$defs/a', { $defs: { a: { const: 1 } } }],
    ['#/definitions/a', { definitions: { a: { const: 1 } } }],
    ['#/properties/other', { properties: { other: { const: 1 } } }],
    ['#/$defs/a~1b~0c%25', { $defs: { 'a/b~c%': { const: 1 } } }],
    ['#/$defs/list/prefixItems/1', { $defs: { list: { prefixItems: [{}, { const: 1 }] } } }],
  ])('%s', (pointer, rest) => {
    expect(fill({ type: 'array', minItems: 1, maxItems: 1, items: { $ref: pointer }, ...rest })).toEqual([1])
  })

  it('holds together with what stands beside it', () => {
    expect(fill({ $ref: '#/$defs/n', maximum: 3, $defs: { n: { type: 'integer', minimum: 3 } } })).toBe(3)
  })

  it('a definition that nothing refers to is not read', () => {
    expect(fill({ const: 1, $defs: { unused: { not: {} } } })).toBe(1)
  })
})

describe('recursion', () => {
  const depthOf = (value: JsonValue): number =>
    typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0

  it('a tree gets children, and they get none', () => {
    const tree = object({ value: { const: 1 }, children: { type: 'array', items: { $ref: '#' } } })
    const value = fill(tree) as { children: object[] }
    expect(value.children.length).toBeGreaterThan(1)
    for (const child of value.children) expect(child).toEqual({ value: 1, children: [] })
  })

  it('a list gets a second entry, and that one null', () => {
    const list = {
      $ref: '#/$defs/node',
      $defs: {
        node: object({ value: { const: 1 }, next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] } }),
      },
    }
    expect(fill(list)).toEqual({ value: 1, next: { value: 1, next: null } })
  })

  it('an optional property ends it by being left out', () => {
    expect(fill({ type: 'object', properties: { value: { const: 1 }, next: { $ref: '#' } } })).toEqual({
      value: 1,
      next: { value: 1 },
    })
  })

  it('two schemas that refer to each other end', () => {
    const $defs = {
      a: object({ b: { $ref: '#/$defs/b' } }),
      b: object({
        a: { type: ['object', 'null'], properties: { b: { $ref: '#/$defs/b' } }, required: ['b'] },
      }),
    }
    for (const value of fills({ $ref: '#/$defs/a', $defs })) expect(depthOf(value)).toBeLessThan(8)
  })

  it('an expression ends in literals', () => {
    const $defs = {
      expr: {
        anyOf: [
          object({
            op: { enum: ['+', '*'] },
            left: { $ref: '#/$defs/expr' },
            right: { $ref: '#/$defs/expr' },
          }),
          object({ literal: { type: 'number' } }),
        ],
      },
    }
    for (const value of fills({ $ref: '#/$defs/expr', $defs })) expect(depthOf(value)).toBeLessThan(5)
  })

  it('where branches grow without end, the one that ends is found', () => {
    const $defs = {
      a: {
        anyOf: [
          { type: 'array', minItems: 2, items: { $ref: '#/$defs/a' } },
          object({ a: { $ref: '#/$defs/a' } }),
          { const: 'end' },
        ],
      },
    }
    for (const value of fills({ $ref: '#/$defs/a', $defs })) expect(JSON.stringify(value)).toContain('end')
  })
})

describe('examples and default', () => {
  it('are used where they conform', () => {
    expect(fill({ type: 'string', examples: ['Oslo'] })).toBe('Oslo')
    expect(fill({ type: 'integer', default: 12 })).toBe(12)
    expect(fill({ type: 'boolean', default: false })).toBe(false)
    expect(fill({ enum: ['a', 'b', 'c'], default: 'b' })).toBe('b')
    expect(fill({ type: 'object', properties: { a: { type: 'string' } }, examples: [{ a: 'x' }] })).toEqual({
      a: 'x',
    })
  })

  it('are passed over where they do not', () => {
    expect(fill({ type: 'integer', minimum: 5, maximum: 6, examples: [1, 'x'], default: null })).toBeOneOf([
      5, 6,
    ])
    expect(fill({ type: ['string', 'null'], default: null })).toBeTypeOf('string')
    expect(fill({ type: 'array', items: { const: 1 }, default: [] })).not.toEqual([])
  })

  it('come one after another in an array', () => {
    expect(
      fill({ type: 'array', minItems: 2, maxItems: 2, items: { type: 'string', examples: ['a', 'b'] } }),
    ).toEqual(['a', 'b'])
  })
})
