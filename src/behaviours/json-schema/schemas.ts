/**
 * The JSON Schemas of one call: read once, refused with their path in the request, filled for each answer.
 */
import type { Random } from '../../engine/random.ts'
import { ApiError } from '../../protocol/errors.ts'
import type { PromptFacts } from '../prompt/facts.ts'
import type { Fakes } from './fakes.ts'
import { fillSchema, type JsonValue } from './fill-schema.ts'
import { emptyRoom } from './limits.ts'
import { readSchema, type SchemaNode } from './read-schema.ts'
import { SchemaRefusal } from './schema-refusal.ts'

export interface Schemas {
  /** Reads the schema at `path` in the request. Throws 400 for one that cannot be followed. */
  check(schema: unknown, path: string): void
  /** A value that conforms. Throws 400 for a schema that has none or cannot be followed. */
  fill(
    schema: unknown,
    path: string,
    from: {
      readonly facts: PromptFacts
      readonly random: Random
      readonly fakes: Fakes
      readonly sparing?: boolean
    },
  ): JsonValue
}

/** The schemas of a call that has none. */
export const noSchemas: Schemas = {
  check() {},
  fill() {
    throw new Error('a call without schemas is answered by one')
  },
}

/** The schemas of a call, none read yet. */
export function createSchemas(): Schemas {
  let known: Map<unknown, SchemaNode> | undefined
  const room = emptyRoom()

  const read = (schema: unknown): SchemaNode => {
    known ??= new Map()
    const node = known.get(schema) ?? readSchema(schema, room)
    known.set(schema, node)
    return node
  }
  return {
    check: (schema, path) => void refusingAt(path, () => read(schema)),
    fill: (schema, path, from) => refusingAt(path, () => fillSchema(read(schema), from)),
  }
}

function refusingAt<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof SchemaRefusal)) throw error
    // The message of a SchemaRefusal begins with the path and keyword inside the schema.
    throw new ApiError('invalid_request_error', `Invalid schema at \`${path}\`: ${error.message}.`, {
      param: error.path === '' ? path : `${path}.${error.path}`,
    })
  }
}
