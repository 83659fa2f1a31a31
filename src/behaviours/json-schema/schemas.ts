/** The JSON Schemas of a call: reads them once, and fills them. Rejections become 400s with the path. */
import { BoundedMap } from '../../engine/bounded-map.ts'
import { ApiError } from '../../protocol/errors.ts'
import { Words } from '../words.ts'
import { type FakerLike, Fakes } from './fakes.ts'
import { type FillOptions, fillSchema } from './fill.ts'
import type { JsonValue } from './json-value.ts'
import { mergeSchema, type Place, type SchemaNode } from './merge-schema.ts'
import { readSchema } from './read-schema.ts'
import { limits, SchemaRejection } from './schema-rejection.ts'

export interface Schemas {
  /** Throws a 400 for a schema that is unsupported, or that clearly no value conforms to. */
  check(schema: unknown, path: string): void
  /** The top-level properties, the required ones first. Throws like `check`. */
  properties(schema: unknown, path: string): readonly Place[]
  /** A conforming value. Throws a 400 if the schema has none. */
  fill(schema: unknown, path: string, options: Omit<FillOptions, 'fakes'>): JsonValue
  /** The words of a description, which are kept: clients send it with each request. */
  words(text: string): Words
}

/** The characters of kept schemas and descriptions: of one, and of all. */
const kept = { each: 20_000, all: 200_000 }

/** Makes the schemas of each call, with the fakes of one faker. Earlier schemas are kept by their JSON. */
export function schemaFiller(faker: FakerLike): () => Schemas {
  const fakes = new Fakes(faker)
  const earlier = new BoundedMap<{ node: SchemaNode; count: number }>({ size: kept.all })
  const earlierWords = new BoundedMap<Words>({ size: kept.all })
  return () => {
    const ofCall = new Map<unknown, SchemaNode>()
    const room = { left: limits.together as number }
    const nodeOf = (schema: unknown, path: string): SchemaNode => {
      const ofThisCall = ofCall.get(schema)
      if (ofThisCall !== undefined) return ofThisCall
      const text = JSON.stringify(schema) ?? ''
      const known = earlier.use(text)
      const before = room.left
      const isKnown = known !== undefined && known.count <= before
      if (isKnown) room.left -= known.count
      const node = isKnown ? known.node : rejectingAt(path, () => mergeSchema(readSchema(schema, room)))
      if (!isKnown && text.length <= kept.each)
        earlier.set(text, { node, count: before - room.left }, text.length)
      ofCall.set(schema, node)
      return node
    }
    return {
      check: (schema, path) => void nodeOf(schema, path),
      properties: (schema, path) => propertiesOf(nodeOf(schema, path)),
      fill(schema, path, options) {
        const node = nodeOf(schema, path)
        return rejectingAt(path, () => fillSchema(node, { ...options, fakes }))
      },
      words(text) {
        const known = earlierWords.use(text)
        if (known !== undefined) return known
        const words = new Words(text)
        if (text.length <= kept.each) earlierWords.set(text, words, text.length)
        return words
      },
    }
  }
}

function propertiesOf({ shapes }: SchemaNode): readonly Place[] {
  const { properties = [] } = shapes.find(({ types }) => types.includes('object')) ?? {}
  return properties
    .filter(({ node }) => node.shapes.length > 0)
    .toSorted((a, b) => Number(b.required) - Number(a.required))
}

function rejectingAt<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof SchemaRejection)) throw error
    throw new ApiError('invalid_request_error', `Invalid schema at \`${path}\`: ${error.message}.`, {
      param: error.path === '' ? path : `${path}.${error.path}`,
    })
  }
}
