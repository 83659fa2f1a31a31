/** The schemas of a call, from the filler that is loaded with its data on first use. */
import { type Context, loaded } from '../../protocol/endpoint.ts'
import type { Schemas } from '../json-schema/schemas.ts'
import { Words } from '../words.ts'

/** The schemas of a call with tools or a schema, which has declared the need `schemas`. */
export function schemasOf({ facilities }: Pick<Context, 'facilities'>): Schemas {
  return (loaded(facilities, 'schemas') as () => Schemas)()
}

/** The schemas of a call that has none, and of sample calls: all values are empty objects. */
export const noSchemas: Schemas = {
  check() {},
  properties: () => [],
  fill: () => ({}),
  words: (text) => new Words(text),
}
