/** A form as the conditions of rules see it. */
import { describe, expect, it } from 'vitest'
import type { FormField } from '../../src/protocol/call.ts'
import { bodyOf } from '../../src/scenario/condition-facts.ts'

describe('the fields of a form', () => {
  it('are values by name; `name[]` and repeated names are lists', () => {
    const fields = [
      { name: 'one', value: 'a' },
      { name: 'two', value: 'b' },
      { name: 'two', value: 'c' },
      { name: 'list[]', value: 'd' },
      { name: 'mixed', value: 'e' },
      { name: 'mixed[]', value: 'f' },
      { name: '__proto__', value: 'g' },
    ]
    expect(Object.entries(bodyOf({ kind: 'form', fields }) as object)).toEqual([
      ['one', 'a'],
      ['two', ['b', 'c']],
      ['list', ['d']],
      ['mixed', ['e', 'f']],
      ['__proto__', 'g'],
    ])
  })

  it('are each read once, however many there are', () => {
    let looks = 0
    const fields = Array.from({ length: 1000 }, (_, index): FormField => {
      const name = `field-${index}`
      const field = { value: '' }
      return Object.defineProperty(field, 'name', { get: () => (looks++, name) }) as FormField
    })
    bodyOf({ kind: 'form', fields })
    expect(looks).toBeLessThanOrEqual(2 * fields.length)
  })
})
