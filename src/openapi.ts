/**
 * The entry `gateway-sim/openapi`: the contract as an OpenAPI document and as JSON Schema. Both are excerpts
 * of files that `npm run generate` writes from the schemas for requests and responses (tools/openapi).
 */
import { readFileSync } from 'node:fs'

export interface DescribeOptions {
  /** Ids of the operations to describe (`chat.create`). Default: all. */
  readonly operations?: readonly string[]
  /**
   * Whether to omit everything that is not in the gateway's contract, including the control API, and to
   * describe responses by the contract instead of the simulator's implementation. Default: false.
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

/** A JSON Schema (draft 2020-12) with definitions. */
export interface JsonSchemaDocument {
  readonly $schema: string
  readonly $id: string
  /**
   * By name, and by operation: `chat.create.request`, `.form`, `.response`, `.event`, `.streamError`,
   * `.error`.
   */
  readonly $defs: Readonly<Record<string, unknown>>
  readonly [keyword: string]: unknown
}

/**
 * The OpenAPI document. Its examples are real responses of the simulator. Throws `TypeError` for an unknown
 * operation.
 *
 * @example
 * const document = await openapi({ server: 'https://gateway.example', contractOnly: true })
 */
export async function openapi(options: OpenapiOptions = {}): Promise<OpenapiDocument> {
  const { server } = options
  if (server !== undefined && !URL.canParse(server))
    throw new TypeError(
      `server: expected a URL such as https://gateway.example, got ${JSON.stringify(server)}`,
    )
  const document = chosen(options)
  if (server === undefined) return document
  const [{ url: before }] = document.servers as [Server]
  return {
    ...document,
    servers: document.servers.map((one) => ({
      ...one,
      url: one.url.replace(before, server.replace(/\/+$/, '')),
    })),
  }
}

/**
 * All requests, responses, events and errors as definitions of one JSON Schema. Throws `TypeError` for an
 * unknown operation.
 *
 * @example
 * const { $defs } = jsonSchema({ contractOnly: true })
 */
export function jsonSchema(options: DescribeOptions = {}): JsonSchemaDocument {
  const document = chosen(options)
  const { info, tags, components } = document
  const named = operationsOf(document).flatMap(({ operation }) => {
    const tag = tags.find(({ name }) => operation.tags.includes(name))
    return Object.entries({ ...messagesOf(operation), error: tag?.['x-error-schema'] })
      .filter(([, schema]) => schema !== undefined)
      .map(([part, schema]) => [`${operation.operationId}.${part}`, schema] as const)
  })
  const schemas = reached('schemas', components.schemas, named)
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'https://gateway-sim.invalid/gateway.schema.json',
    title: info.title,
    $comment: [
      `gateway-sim ${info.version}. Each operation has its own definitions: <operation>.request, .form,`,
      '.response, .event, .streamError, .error.',
    ].join(' '),
    $defs: plainDefinitions({ ...schemas, ...Object.fromEntries(named) }) as Record<string, unknown>,
  }
}

interface Server {
  readonly url: string
}

interface MediaType {
  readonly schema: unknown
  readonly 'x-event-schema'?: unknown
  readonly 'x-event-error-schema'?: unknown
}

interface Operation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly security: readonly object[]
  readonly 'x-not-in-contract'?: boolean
  readonly requestBody?: { readonly content: Readonly<Record<string, MediaType>> }
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, MediaType>> }>>
}

/** The document as `npm run generate` writes it. */
interface WholeDocument extends OpenapiDocument {
  readonly servers: readonly Server[]
  readonly tags: readonly { readonly name: string; readonly 'x-error-schema'?: unknown }[]
  readonly components: {
    readonly schemas: Readonly<Record<string, unknown>>
    readonly headers: Readonly<Record<string, unknown>>
    readonly responses: Readonly<Record<string, unknown>>
    readonly securitySchemes: Readonly<Record<string, unknown>>
  }
}

const read = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../schema/${name}`, import.meta.url), 'utf8'))

function operationsOf({ paths }: OpenapiDocument): { path: string; method: string; operation: Operation }[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      path,
      method,
      operation: operation as Operation,
    })),
  )
}

/** The document with only the requested operations and their components. */
function chosen({ operations, contractOnly = false }: DescribeOptions): WholeDocument {
  const whole = read('openapi.json') as WholeDocument
  const all = operationsOf(whole)
  const known = new Set(all.map(({ operation }) => operation.operationId))
  const unknown = (operations ?? []).filter((id) => !known.has(id)).map((id) => JSON.stringify(id))
  if (unknown.length > 0)
    throw new TypeError(`operations: expected ids such as chat.create, got ${unknown.join(', ')}`)
  if (operations === undefined && !contractOnly) return whole
  const kept = all.filter(
    ({ operation }) =>
      (operations === undefined || operations.includes(operation.operationId)) &&
      !(contractOnly && operation['x-not-in-contract'] === true),
  )
  const paths: Record<string, Record<string, unknown>> = {}
  for (const { path, method, operation } of kept) paths[path] = { ...paths[path], [method]: operation }
  const tags = whole.tags.filter(({ name }) => kept.some(({ operation }) => operation.tags.includes(name)))
  const credentials = new Set(kept.flatMap(({ operation: { security } }) => security.flatMap(Object.keys)))
  const { components } = whole
  const responses = reached('responses', components.responses, paths)
  const schemas = contractOnly ? inContract(components.schemas) : components.schemas
  return {
    ...whole,
    tags,
    paths,
    components: {
      ...components,
      securitySchemes: only(components.securitySchemes, (name) => credentials.has(name)),
      headers: reached('headers', components.headers, [paths, responses]),
      responses,
      schemas: reached('schemas', schemas, [paths, responses, tags]),
    },
  }
}

/** With the schemas that describe responses as the contract does; sorted by name, as the others are. */
function inContract(schemas: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { schemas: other } = read('contract.schemas.json') as { schemas: Readonly<Record<string, unknown>> }
  const all = Object.entries({ ...schemas, ...other })
  return Object.fromEntries(all.sort(([one], [two]) => (one < two ? -1 : 1)))
}

function only<Value>(
  all: Readonly<Record<string, Value>>,
  isKept: (name: string) => boolean,
): Record<string, Value> {
  return Object.fromEntries(Object.entries(all).filter(([name]) => isKept(name)))
}

/** The components of one kind that are referenced, directly or indirectly. */
function reached(
  kind: keyof WholeDocument['components'],
  components: Readonly<Record<string, unknown>>,
  from: unknown,
): Record<string, unknown> {
  const prefix = `#/components/${kind}/`
  const names = new Set<string>()
  const follow = (value: unknown): void => {
    if (value === null || typeof value !== 'object') return
    for (const inner of Object.values(value)) follow(inner)
    const { $ref } = value as { readonly $ref?: unknown }
    if (typeof $ref !== 'string' || !$ref.startsWith(prefix)) return
    const name = $ref.slice(prefix.length)
    if (names.has(name)) return
    names.add(name)
    follow(components[name])
  }
  follow(from)
  return only(components, (name) => names.has(name))
}

/** The schemas of one operation, by the suffix of their definitions. */
function messagesOf({ requestBody, responses }: Operation): Readonly<Record<string, unknown>> {
  const taken = requestBody?.content ?? {}
  const answered = Object.entries(responses).find(([status]) => Number(status) < 300)?.[1].content ?? {}
  const stream = answered['text/event-stream']
  return {
    request: taken['application/json']?.schema,
    form: taken['multipart/form-data']?.schema,
    response: answered['application/json']?.schema,
    event: stream?.['x-event-schema'],
    streamError: stream?.['x-event-error-schema'],
  }
}

/** Definitions instead of components, without keywords that only OpenAPI has. */
function plainDefinitions(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plainDefinitions)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => {
      if (name === 'discriminator' && typeof (inner as { propertyName?: unknown }).propertyName === 'string')
        return []
      if (name === '$ref' && typeof inner === 'string')
        return [[name, inner.replace('#/components/schemas/', '#/$defs/')]]
      if (name === 'format' && inner === 'binary') return []
      return [[name, plainDefinitions(inner)]]
    }),
  )
}
