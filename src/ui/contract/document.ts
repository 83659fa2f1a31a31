/** The OpenAPI document as the page shows it. */
import type { Schema, Schemas } from './schema-words.ts'

interface Example {
  readonly summary?: string
  readonly value: unknown
}

/** A media type of a request, with its examples by name. */
export interface BodyType {
  readonly type: string
  readonly examples: Readonly<Record<string, Example>>
  readonly schema: Schema
  /** Those that `schema` refers to. */
  readonly schemas: Schemas
}

export interface Operation {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly group: string
  readonly summary: string
  readonly description: string
  /** The header that carries the API key; undefined if the operation needs none. */
  readonly keyHeader: string | undefined
  readonly bodies: readonly BodyType[]
}

interface WrittenOperation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary?: string
  readonly description?: string
  readonly security?: readonly Readonly<Record<string, unknown>>[]
  readonly requestBody?: {
    readonly content: Readonly<
      Record<string, { readonly examples?: BodyType['examples']; readonly schema: Schema }>
    >
  }
}

export interface OpenapiDocument {
  readonly tags: readonly { readonly name: string; readonly 'x-displayName'?: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, WrittenOperation>>>>
  readonly components: { readonly schemas: Schemas }
}

/** The operations in the order of the document. */
export function operationsOf({ paths, tags, components: { schemas } }: OpenapiDocument): Operation[] {
  const titles = new Map(tags.map(({ name, 'x-displayName': title }) => [name, title ?? name]))
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, written]): Operation => {
      const { operationId: id, tags: [tag = ''] = [], summary = '', description = '' } = written
      const scheme = Object.keys(written.security?.[0] ?? {})[0]
      return {
        id,
        path,
        summary,
        description,
        method: method.toUpperCase(),
        group: titles.get(tag) ?? tag,
        keyHeader: scheme === 'bearer' ? 'authorization' : scheme,
        bodies: Object.entries(written.requestBody?.content ?? {}).map(
          ([type, { examples = {}, schema }]) => ({ type, examples, schema, schemas }),
        ),
      }
    }),
  )
}

export function matches({ id, method, path, summary }: Operation, filter: string): boolean {
  const text = `${id} ${method} ${path} ${summary}`.toLowerCase()
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}
