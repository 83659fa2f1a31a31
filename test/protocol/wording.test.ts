import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { fieldErrors } from '../../src/protocol/field-errors.ts'
import { fieldPath, show } from '../../src/protocol/wording.ts'

const worded = (schema: z.ZodType, input: unknown): string[] => {
  const result = schema.safeParse(input)
  return result.success
    ? []
    : fieldErrors(result.error, input).map(({ field, message }) => `${field}: ${message}`)
}

const either = z.object({ a: z.union([z.string(), z.array(z.string())]) })
const role = z.discriminatedUnion('role', [
  z.object({ role: z.literal('user') }),
  z.object({ role: z.literal('tool') }),
])
const kinds = z.object({
  a: z.union([
    z.union([
      z.enum(['x', 'y']),
      z.discriminatedUnion('kind', [
        z.object({ kind: z.literal('x'), n: z.int() }),
        z.object({ kind: z.literal('y') }),
      ]),
    ]),
    z.array(z.string()),
  ]),
})

describe('a rejection says where, what was expected and what was got', () => {
  it.each([
    [z.object({ a: z.string() }), {}, ['a: is required: expected a string']],
    [z.object({ a: z.string() }), { a: 5 }, ['a: expected a string, got 5']],
    [z.object({ a: z.int() }), { a: 1.5 }, ['a: expected a whole number, got 1.5']],
    [z.object({ a: z.object({}) }), { a: null }, ['a: expected an object, got null']],
    [z.object({ a: z.number().min(1).max(3) }), { a: 0 }, ['a: expected at least 1, got 0']],
    [z.object({ a: z.number().gt(1) }), { a: 1 }, ['a: expected more than 1, got 1']],
    [z.object({ a: z.number().max(3) }), { a: 4 }, ['a: expected at most 3, got 4']],
    [
      z.object({ a: z.string().min(1) }),
      { a: '' },
      ['a: expected at least 1 character, got an empty string'],
    ],
    [z.object({ a: z.array(z.int()).min(6) }), { a: [1, 2] }, ['a: expected at least 6 items, got 2']],
    [z.object({ a: z.enum(['x', 'y']) }), { a: 'z' }, ['a: expected one of "x", "y", got "z"']],
    [z.object({ a: z.literal('x') }), {}, ['a: is required: expected "x"']],
    [z.strictObject({ a: z.string() }), { a: 'x', b: 1 }, ['b: is not a known field: remove it']],
    [
      z.object({ a: z.array(z.object({ b: z.string() })) }),
      { a: [{ b: 'x' }, { b: [] }] },
      ['a[1].b: expected a string, got an empty array'],
    ],
    [either, { a: 5 }, ['a: expected a string or an array, got 5']],
    [either, { a: ['x', 5] }, ['a[1]: expected a string, got 5']],
    [role, { role: 'x' }, ['role: expected one of "user", "tool", got "x"']],
    [role, {}, ['role: is required: expected one of "user", "tool"']],
    [kinds, { a: { kind: 'z' } }, ['a.kind: expected one of "x", "y", got "z"']],
    [kinds, { a: { kind: 'x', n: 'many' } }, ['a.n: expected a number, got "many"']],
    [z.object({ a: z.string() }), 'text', [': expected an object, got "text"']],
  ])('%#', (schema, input, expected) => {
    expect(worded(schema, input)).toEqual(expected)
  })

  it('paths read as they are written in code', () => {
    expect(fieldPath(['messages', 0, 'content', 2, 'text'])).toBe('messages[0].content[2].text')
  })

  it('a long value is shown by its beginning', () => {
    expect(show('x'.repeat(1000)).length).toBeLessThan(61)
    expect(show(undefined)).toBe('nothing')
    expect(show({})).toBe('an object')
  })

  it('errors are bounded', () => {
    const input = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`extra${index}`, 1]))
    expect(worded(z.strictObject({}), input).length).toBe(20)
  })
})
