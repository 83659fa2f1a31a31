/** docs/reference/scenario-format.md names every key, with an example that the schema accepts. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { keyAndValue, linesOf, placesOf, scenarioExamples } from '../../tools/generate/scenario-reference.ts'
import type { TypedSchema } from '../../tools/generate/schema-type.ts'
import { root } from '../_built.ts'

const page = readFileSync(join(root, 'docs/reference/scenario-format.md'), 'utf8')
const schema = JSON.parse(readFileSync(join(root, 'schema/scenario.schema.json'), 'utf8')) as TypedSchema & {
  readonly $defs: Readonly<Record<string, TypedSchema>>
}
const ajv = new Ajv2020({ strict: false, validateFormats: false }).addSchema(schema, 'scenario')

/** The same schema with its references pointing into the whole. */
const absolute = (part: TypedSchema): TypedSchema =>
  JSON.parse(JSON.stringify(part).replaceAll('"#/$defs/', '"scenario#/$defs/')) as TypedSchema

describe.each(scenarioExamples.map((section) => [section.heading, section] as const))('%s', (_, section) => {
  it.each(linesOf(section.lines))('%s', (line) => {
    const [key, value] = keyAndValue(line)
    const places = placesOf(key, section.of, schema)
    expect(places.some((place) => ajv.validate(absolute(place.schema), value) === true)).toBe(true)
  })
})

/** Every key below a schema; faults and settings have pages themselves. */
function keysBelow(part: TypedSchema): string[] {
  const { properties = {}, anyOf = [], oneOf = [], items, additionalProperties } = part
  return [
    ...Object.entries(properties).flatMap(([name, inner]) => [
      name,
      ...(['clock', 'keys', 'models', 'limits'].includes(name) ? [] : keysBelow(inner)),
    ]),
    ...[...anyOf, ...oneOf].flatMap(keysBelow),
    ...(items === undefined ? [] : keysBelow(items)),
    ...(typeof additionalProperties === 'object' ? keysBelow(additionalProperties) : []),
  ]
}

it('names every key', () => {
  const definitions = Object.entries(schema.$defs).filter(([name]) => !/^(?:Stream)?Fault/.test(name))
  const keys = new Set([schema, ...definitions.map(([, one]) => one)].flatMap(keysBelow))
  expect(keys.size).toBeGreaterThan(150)
  expect(
    [...keys].filter((key) => !new RegExp(`(?<![\\w@])${key.replace('$', '\\$')}(?!\\w)`).test(page)),
  ).toEqual([])
})
