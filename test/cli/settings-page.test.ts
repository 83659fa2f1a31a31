/** The page of the settings says in plain words what each one takes. */
import { expect, it } from 'vitest'
import { settingsPage } from '../../tools/generate/settings-page.ts'

it.each([
  ['a duration', { type: ['string', 'number'] }, 'duration'],
  ['plain values', { type: ['string', 'number', 'boolean'] }, 'text or number or `true`, `false`'],
  [
    'plain values by name',
    { type: 'object', additionalProperties: { type: ['string', 'boolean'] } },
    'by name: text or `true`, `false`',
  ],
  ['a list', { type: 'array', items: { type: 'integer' } }, 'list of whole number'],
])('%s', (_what, schema, value) => {
  expect(settingsPage({ properties: { it: schema } })).toContain(`| \`it\` | ${value} |`)
})
