/** Fills schemas without a call. */
import { faker } from '@faker-js/faker/locale/en'
import { Fakes } from '../../src/behaviours/json-schema/fakes.ts'
import { fillSchema, type Suggest } from '../../src/behaviours/json-schema/fill.ts'
import type { JsonValue } from '../../src/behaviours/json-schema/json-value.ts'
import { mergeSchema } from '../../src/behaviours/json-schema/merge-schema.ts'
import { readSchema } from '../../src/behaviours/json-schema/read-schema.ts'
import { randomFrom } from '../../src/engine/random.ts'

const fakes = new Fakes(faker)

/** The value for a schema and a key of randomness. Throws `SchemaRejection`. */
export function fill(schema: unknown, key = 'k', suggest?: Suggest): JsonValue {
  const node = mergeSchema(readSchema(schema, { left: 10_000 }))
  return fillSchema(node, { random: randomFrom(key), fakes, suggest })
}
