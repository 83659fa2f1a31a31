/** The page of the settings says in plain words what each one takes. */
import { expect, it } from 'vitest'
import { settingsPage } from '../../tools/generate/settings-page.ts'

it.each([
  ['a duration', { type: ['string', 'number'] }, ''],
  ['plain values', { type: ['string', 'number', 'boolean'] }, ' (string, number or boolean)'],
  [
    'plain values by name',
    { type: 'object', additionalProperties: { type: ['string', 'boolean'] } },
    ' (map of string or boolean)',
  ],
  ['a list', { type: 'array', items: { type: 'integer' } }, ' (list of integers)'],
  ['a list of strings', { type: 'array', items: { type: 'string' } }, ''],
  ['values', { enum: ['a', 'b'], default: 'a' }, ' (`a`, `b`)'],
])('%s', (_what, schema, value) => {
  const page = settingsPage({ properties: { it: { ...schema, description: 'The value. It is used.' } } })
  expect(page).toContain(` | The value${value}. It is used.\n`)
})
