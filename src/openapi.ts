/**
 * The entry `gateway-sim/openapi`: the contract as an OpenAPI document and as JSON Schema, from the schemas
 * that validate calls and replies. A simulator that serves never loads this.
 */

import { everyRoute, jsonSchemaDocument, openapiDocument } from './openapi/document.ts'
import { version } from './text/version.ts'

export interface DescribeOptions {
  /** Ids of the operations to describe (`chat.create`). Default: all. */
  readonly operations?: readonly string[]
  /**
   * True to leave out what the gateway's contract does not name, the control API included, and to describe
   * replies as the contract does instead of as the simulator sends them.
   */
  readonly contractOnly?: boolean
}

export interface OpenapiOptions extends DescribeOptions {
  /** The URL listed under `servers`. Default: `http://127.0.0.1:4010`. */
  readonly server?: string
}

/** An OpenAPI 3.1 document. */
export interface OpenapiDocument {
  readonly openapi: string
  readonly info: { readonly title: string; readonly version: string; readonly [field: string]: unknown }
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, unknown>>
    readonly [kind: string]: unknown
  }
  readonly [field: string]: unknown
}

/** A JSON Schema of draft 2020-12 that holds definitions. */
export interface JsonSchemaDocument {
  readonly $schema: string
  readonly $id: string
  /**
   * By name, and by operation: `chat.create.request`, `.form`, `.reply`, `.event`, `.streamError`, `.error`.
   */
  readonly $defs: Readonly<Record<string, unknown>>
  readonly [keyword: string]: unknown
}

/**
 * Generates the OpenAPI document. Its examples are real replies of an in-process simulator, so the same
 * version always gives the same document. Throws `TypeError` for an unknown operation.
 *
 * @example
 * const document = await openapi({ server: 'https://gateway.example', contractOnly: true })
 */
export async function openapi(options: OpenapiOptions = {}): Promise<OpenapiDocument> {
  const { server } = options
  if (server !== undefined && !URL.canParse(server))
    throw new TypeError(
      `server: expected an address such as https://gateway.example, got ${JSON.stringify(server)}`,
    )
  return (await openapiDocument(chosen(options), {
    version,
    contractOnly: options.contractOnly ?? false,
    ...(server === undefined ? {} : { server: server.replace(/\/+$/, '') }),
  })) as unknown as OpenapiDocument
}

/**
 * All requests, replies, events and errors as definitions of one JSON Schema. Throws `TypeError` for an
 * unknown operation.
 *
 * @example
 * const { $defs } = jsonSchema({ contractOnly: true })
 */
export function jsonSchema(options: DescribeOptions = {}): JsonSchemaDocument {
  return jsonSchemaDocument(chosen(options), {
    version,
    contractOnly: options.contractOnly ?? false,
  }) as unknown as JsonSchemaDocument
}

function chosen({ operations, contractOnly = false }: DescribeOptions): ReturnType<typeof everyRoute> {
  const routes = everyRoute()
  const unknown = (operations ?? []).filter((id) => !routes.some(({ endpoint }) => endpoint.operation === id))
  if (unknown.length > 0)
    throw new TypeError(
      [
        'operations: expected ids such as chat.create, got',
        `${unknown.map((id) => JSON.stringify(id)).join(', ')}`,
      ].join(' '),
    )
  return routes.filter(
    ({ endpoint }) =>
      (operations === undefined || operations.includes(endpoint.operation)) &&
      !(contractOnly && endpoint.extension !== undefined),
  )
}
