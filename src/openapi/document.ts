/**
 * The contract as one OpenAPI 3.1 document, or as one JSON Schema with a definition for everything that is
 * sent.
 */
import type * as z from 'zod'
import { serviceGroups } from '../endpoints/registry.ts'
import { createSimulator } from '../index.ts'
import { contractReading } from '../protocol/contract-reading.ts'
import type { EndpointGroup } from '../protocol/endpoint.ts'
import type { Route } from '../protocol/router.ts'
import { type Components, componentsOf, pascal, type Root, refTo } from './components.ts'
import { envelopeOf, streamEnvelopeOf } from './envelopes.ts'
import { defaultServer, type Surveyed, survey } from './example-calls.ts'
import { introduction } from './introduction.ts'
import { jsonSchemaOf, type Schema } from './json-schema.ts'
import { withFiles, withoutFiles } from './media-types.ts'
import { groupNotes } from './notes/all.ts'
import type { GroupNotes } from './notes/notes.ts'
import { operationObject, type Part, placeOf, schemeName } from './operation.ts'
import { type ErrorNames, responsesOf } from './responses.ts'

/** Every operation of a simulator, in the order of its groups. */
export function everyRoute(groups: readonly EndpointGroup[] = serviceGroups): readonly Route[] {
  return createSimulator({}, groups).routes
}

const notesOfGroup = (name: string): GroupNotes | undefined => groupNotes[name]

/** The schemas of some operations as named components; with `contractOnly`, replies as the contract says. */
export function schemasOf(
  routes: readonly Route[],
  { contractOnly = false }: Pick<DocumentOptions, 'contractOnly'> = {},
): Components & { readonly unstated: readonly string[]; errorsOf(group: string): ErrorNames } {
  const unstated: string[] = []
  const roots: Root[] = []
  const add = (
    place: string,
    name: string,
    schema: z.ZodType | undefined,
    change: (schema: Schema) => Schema = (same) => same,
  ): void => {
    if (schema === undefined) return
    const found: string[] = []
    roots.push({ place, name, schema: change(jsonSchemaOf(schema, found)) })
    unstated.push(...found.map((path) => `${place}: ${path}`))
  }
  const answered = (schema: z.ZodType | undefined): z.ZodType | undefined =>
    contractOnly && schema !== undefined ? contractReading(schema) : schema
  for (const { endpoint } of routes) {
    const name = pascal(endpoint.operation)
    if (endpoint.accepts.includes('json'))
      add(placeOf(endpoint, 'json'), `${name}Request`, endpoint.body, withoutFiles)
    if (endpoint.accepts.includes('form'))
      add(
        placeOf(endpoint, 'form'),
        endpoint.accepts.includes('json') ? `${name}Form` : `${name}Request`,
        endpoint.body,
        withFiles,
      )
    add(`${endpoint.operation} reply`, `${name}Reply`, answered(endpoint.reply))
    add(`${endpoint.operation} event`, `${name}Event`, answered(endpoint.event))
  }
  const groups = [...new Set(routes.map(({ group }) => group.name))]
  const streams = (group: string): boolean =>
    routes.some((route) => route.group.name === group && route.endpoint.event !== undefined)
  for (const group of groups) {
    const [body, stream] = [envelopeOf(group), streamEnvelopeOf(group)]
    add(`${group} error`, body.name, answered(body.schema))
    add(`${group} stream error`, stream.name, streams(group) ? answered(stream.schema) : undefined)
  }
  const names = Object.assign({}, ...groups.map((group) => notesOfGroup(group)?.names ?? {})) as Record<
    string,
    string
  >
  const components = componentsOf(roots, names)
  const schemas = Object.fromEntries(
    Object.entries(components.schemas).map(([name, schema]) => [name, described(name, schema, groups)]),
  )
  return {
    ...components,
    schemas,
    unstated,
    errorsOf: (group) => ({
      body: components.nameOf(`${group} error`),
      stream: components.nameOf(streams(group) ? `${group} stream error` : `${group} error`),
    }),
  }
}

// The notes say what the schemas do not say themselves.
function described(name: string, schema: Schema, groups: readonly string[]): Schema {
  const fields: Readonly<Record<string, string>> = Object.assign(
    {},
    ...groups.map((group) => notesOfGroup(group)?.fields ?? {}),
  )
  const properties = schema['properties'] as Readonly<Record<string, Schema>> | undefined
  const own = schema['description'] ?? fields[name]
  return {
    ...(own === undefined ? {} : { description: own }),
    ...schema,
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([field, value]) => [
              field,
              value['description'] !== undefined || fields[`${name}.${field}`] === undefined
                ? value
                : { ...value, description: fields[`${name}.${field}`] },
            ]),
          ),
        }),
  }
}

/** The schemas that something leads to, directly or through others. */
function reachable(
  schemas: Readonly<Record<string, Schema>>,
  from: unknown,
): Readonly<Record<string, Schema>> {
  const reached = new Set<string>()
  const follow = (value: unknown): void => {
    if (value === null || typeof value !== 'object') return
    for (const inner of Object.values(value)) follow(inner)
    const { $ref } = value as { readonly $ref?: unknown }
    const name =
      typeof $ref === 'string' && $ref.startsWith(refTo('')) ? $ref.slice(refTo('').length) : undefined
    if (name === undefined || reached.has(name)) return
    reached.add(name)
    follow(schemas[name])
  }
  follow(from)
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => reached.has(name)))
}

export interface DocumentOptions {
  /** Written into `info.version`. */
  readonly version: string
  /** Where the API is to be found. */
  readonly server?: string
  /** The groups of the service; those that there are unless given. */
  readonly groups?: readonly EndpointGroup[]
  /** True for what the contract says of replies, instead of what the simulator sends. */
  readonly contractOnly?: boolean
}

/** The OpenAPI document of some operations. */
export async function openapiDocument(
  routes: readonly Route[],
  { version, server = defaultServer, groups = serviceGroups, contractOnly = false }: DocumentOptions,
): Promise<Part> {
  // Of every operation, so that a name does not depend on what is chosen.
  const components = schemasOf(everyRoute(groups), { contractOnly })
  const surveyed = await survey(
    routes,
    groups,
    ({ endpoint, group }) => notesOfGroup(group.name)?.operations[endpoint.operation],
  )
  const responses = responsesOf(surveyed, components, components.errorsOf)
  const described = [...new Set(routes.map(({ group }) => group))]
  const paths = pathsOf(surveyed, components, responses.byOperation)
  return {
    openapi: '3.1.1',
    info: {
      title: 'Model gateway',
      version,
      summary: 'A gateway to several model families behind one address.',
      description: introduction,
      license: { name: 'MIT', identifier: 'MIT' },
      'x-contract': { paths: ['/v1', '/v1beta'], imageJobs: '1.0.0' },
    },
    servers: serversOf(server),
    tags: described.map(({ name }) => ({
      name,
      'x-displayName': notesOfGroup(name)?.title ?? name,
      description: notesOfGroup(name)?.description ?? `The operations of ${name}.`,
    })),
    paths,
    components: {
      securitySchemes: Object.fromEntries(
        described.flatMap(({ credentials }) =>
          credentials.map((credential) => [schemeName(credential), securityScheme(credential)]),
        ),
      ),
      headers: responses.headers,
      responses: responses.shared,
      schemas: reachable(components.schemas, [paths, responses.shared]),
    },
  }
}

function pathsOf(
  surveyed: readonly Surveyed[],
  components: Components,
  responses: Readonly<Record<string, Part>>,
): Part {
  const paths: Record<string, Part> = {}
  for (const one of surveyed) {
    const { endpoint, group } = one.route
    const query = endpoint.query === undefined ? undefined : jsonSchemaOf(endpoint.query)
    const operation = operationObject(one, {
      components,
      group: notesOfGroup(group.name),
      query,
      responses: responses[endpoint.operation] ?? {},
    })
    paths[endpoint.path] = { ...paths[endpoint.path], [endpoint.method.toLowerCase()]: operation }
  }
  return paths
}

function serversOf(server: string): Part[] {
  return [
    { url: server, description: 'gateway-sim serve' },
    {
      url: `${server}/s/{session}`,
      description: 'The same in a session of its own: another clock, other jobs.',
      variables: {
        session: { default: 'my-test', description: '1 to 32 small letters, digits and dashes.' },
      },
    },
  ]
}

function securityScheme({ header, scheme }: Route['group']['credentials'][number]): Part {
  if (header === 'authorization' && scheme !== undefined)
    return {
      type: 'http',
      scheme: scheme.toLowerCase(),
      description: `\`Authorization: ${scheme} <API_KEY>\``,
    }
  return {
    type: 'apiKey',
    in: 'header',
    name: header,
    description: `\`${header}: ${scheme === undefined ? '' : `${scheme} `}<API_KEY>\``,
  }
}

/**
 * All that is sent as one JSON Schema: a definition for every component, and one by operation for every
 * request, reply, event and error.
 */
export function jsonSchemaDocument(
  routes: readonly Route[],
  { version, groups = serviceGroups, contractOnly = false }: DocumentOptions,
): Part {
  const { schemas, nameOf, errorsOf } = schemasOf(everyRoute(groups), { contractOnly })
  const at = (name: string): Schema => ({ $ref: refTo(name) })
  const byOperation = routes.flatMap(({ endpoint, group }) => [
    ...(endpoint.accepts.includes('json')
      ? [[`${endpoint.operation}.request`, at(nameOf(placeOf(endpoint, 'json')))] as const]
      : []),
    ...(endpoint.accepts.includes('form')
      ? [[`${endpoint.operation}.form`, at(nameOf(placeOf(endpoint, 'form')))] as const]
      : []),
    ...(endpoint.reply === undefined
      ? []
      : [[`${endpoint.operation}.reply`, at(nameOf(`${endpoint.operation} reply`))] as const]),
    ...(endpoint.event === undefined
      ? []
      : [
          [`${endpoint.operation}.event`, at(nameOf(`${endpoint.operation} event`))] as const,
          [`${endpoint.operation}.streamError`, at(errorsOf(group.name).stream)] as const,
        ]),
    [`${endpoint.operation}.error`, at(errorsOf(group.name).body)] as const,
  ])
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'https://gateway-sim.invalid/gateway.schema.json',
    title: 'Model gateway',
    $comment: [
      `gateway-sim ${version}. Each operation has definitions of its own: <operation>.request, .form,`,
      '.reply, .event, .streamError, .error.',
    ].join(' '),
    $defs: plainDefinitions({ ...reachable(schemas, byOperation), ...Object.fromEntries(byOperation) }),
  }
}

// Definitions instead of components, and no word of OpenAPI's that JSON Schema does not know.
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
