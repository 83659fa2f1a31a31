/** The page of the settings says in plain words what each one takes. */
import { expect, it } from 'vitest'
import { settingsPage } from '../../tools/generate/settings-page.ts'

it.each([
  ['a duration', { type: ['string', 'number'] }, 'duration'],
  ['plain values', { type: ['string', 'number', 'boolean'] }, 'string, number or boolean'],
  [
    'plain values by name',
    { type: 'object', additionalProperties: { type: ['string', 'boolean'] } },
    'map of string or boolean',
  ],
  ['a list', { type: 'array', items: { type: 'integer' } }, 'list of integers'],
])('%s', (_what, schema, value) => {
  expect(settingsPage({ properties: { it: schema } })).toContain(`\`it\` | ${value} | `)
})
