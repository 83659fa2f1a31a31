/** The types and limits of fields, as the contract shows them. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { type OpenapiDocument, operationsOf } from '../../src/ui/contract/document.ts'
import { valueWords } from '../../src/ui/contract/schema-words.ts'

const document = JSON.parse(
  readFileSync(new URL('../../schema/openapi.json', import.meta.url), 'utf8'),
) as OpenapiDocument
const { schemas } = document.components

const wordsOf = (name: string, field: string): string =>
  valueWords(schemas[name]?.properties?.[field] ?? {}, schemas)

it.each([
  ['ChatRequest', 'temperature', 'number or null (0 to 2)'],
  ['ChatRequest', 'messages', 'array of objects (at least 1 item)'],
  ['ChatRequest', 'model', 'string (1 to 512 characters)'],
  ['ChatRequest', 'stop', 'string or array of strings (at most 4 items) or null'],
  ['ChatRequest', 'verbosity', '"low", "medium", "high" or null'],
  // A limit of 64 bits is none for a number of JavaScript.
  ['ChatRequest', 'seed', 'integer or null'],
  ['PanRequest', 'callback', 'not allowed'],
  ['VideoRequest', 'seconds', '"4", "8", "12" or 4, 8, 12 or null'],
])('%s.%s is %s', (name, field, words) => {
  expect(wordsOf(name, field)).toBe(words)
})

it('every field of every request body has words', () => {
  const bodies = operationsOf(document).flatMap((operation) => operation.bodies)
  const names = bodies.flatMap(({ schema: { $ref = '' } }) => $ref.slice($ref.lastIndexOf('/') + 1) || [])
  const fields = names.flatMap((name) =>
    Object.keys(schemas[name]?.properties ?? {}).map((field) => `${name}.${field}: ${wordsOf(name, field)}`),
  )
  expect(fields.length).toBeGreaterThan(150)
  expect(fields.filter((one) => /undefined|: $|\(\)/.test(one))).toEqual([])
})
