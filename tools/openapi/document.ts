/** Writes the contract as one OpenAPI 3.1 document. Its examples are recorded calls (example-calls.ts). */
import type * as z from 'zod'
import { problemSchema } from '../../src/control/problem.ts'
import { rulesOf } from '../../src/endpoints/invariants.ts'
import { createSimulator } from '../../src/index.ts'
import { envelopeSchema, streamEnvelopeSchema } from '../../src/judges/contract/judge-response.ts'
import { contractReading } from '../../src/protocol/contract-reading.ts'
import type { Route } from '../../src/protocol/router.ts'
import { version } from '../../src/text/version.ts'
import { type Components, componentsOf, isShape, pascal, type Root, refTo } from './components.ts'
import { defaultServer, type Surveyed, survey } from './example-calls.ts'
import { jsonSchemaOf, type Schema } from './json-schema.ts'
import { withFiles, withoutFiles } from './media-types.ts'
import { type GroupNotes, groupNotes } from './notes.ts'
import { operationObject, type Part, placeOf, schemeName } from './operation.ts'
import { type ErrorNames, responsesOf } from './responses.ts'
import { introduction } from './wording.ts'

/** Every operation of a simulator, in the order of its groups. */
export const everyRoute = (): readonly Route[] => createSimulator().routes

export interface NamedSchemas extends Components {
  /** Rules without a keyword or a sentence. */
  readonly unstated: readonly string[]
  errorsOf(group: string): ErrorNames
}

/** The schemas of some operations as named components; `contractOnly` limits responses to the contract. */
export function schemasOf(routes: readonly Route[], contractOnly = false): NamedSchemas {
  const groups = [...new Set(routes.map(({ group }) => group.name))]
  const names: Texts = Object.assign({}, ...groups.map((one) => groupNotes[one]?.names))
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
    const json = change(jsonSchemaOf(schema, found))
    // A title separates schemas that are equal by chance: any object, and some error envelopes.
    const titled = / error$/.test(place) || (json['type'] === 'object' && !isShape(json))
    roots.push({ place, name, schema: titled ? { title: names[place] ?? name, ...json } : json })
    unstated.push(...found.map((path) => `${place}: ${path}`))
  }
  const answered = (schema: z.ZodType | undefined): z.ZodType | undefined =>
    contractOnly && schema !== undefined ? contractReading(schema) : schema
  for (const { endpoint } of routes) {
    const name = pascal(endpoint.operation)
    const both = endpoint.accepts.includes('json')
    if (both) add(placeOf(endpoint, 'json'), `${name}Request`, endpoint.body?.(), withoutFiles)
    if (endpoint.accepts.includes('form'))
      add(placeOf(endpoint, 'form'), `${name}${both ? 'Form' : 'Request'}`, endpoint.body?.(), withFiles)
    add(`${endpoint.operation} response`, `${name}Response`, answered(endpoint.response?.()))
    add(`${endpoint.operation} event`, `${name}Event`, answered(endpoint.event?.()))
  }
  const streams = (group: string): boolean =>
    routes.some((route) => route.group.name === group && route.endpoint.event !== undefined)
  for (const group of groups) {
    const [body, stream] = envelopesOf(group)
    add(`${group} error`, body.name, answered(body.schema))
    if (streams(group)) add(`${group} stream error`, stream.name, answered(stream.schema))
  }
  const components = componentsOf(roots, names)
  const fields: Texts = Object.assign({}, ...groups.map((group) => groupNotes[group]?.fields))
  return {
    ...components,
    schemas: Object.fromEntries(
      Object.entries(components.schemas).map(([name, schema]) => [name, described(name, schema, fields)]),
    ),
    unstated,
    errorsOf: (group) => ({
      body: components.nameOf(`${group} error`),
      stream: components.nameOf(streams(group) ? `${group} stream error` : `${group} error`),
    }),
  }
}

interface Envelope {
  readonly name: string
  readonly schema: z.ZodType
}

/** The error body of a group, and an error inside a stream. */
function envelopesOf(group: string): readonly [body: Envelope, stream: Envelope] {
  const body =
    group === 'control'
      ? { name: 'ControlError', schema: problemSchema() }
      : {
          name: rulesOf(group).errors === undefined ? 'Error' : `${pascal(group)}Error`,
          schema: envelopeSchema(group),
        }
  return rulesOf(group).streamErrors === undefined
    ? [body, body]
    : [body, { name: `${pascal(group)}StreamError`, schema: streamEnvelopeSchema(group) }]
}

type Texts = Readonly<Record<string, string>>

// The notes add descriptions that the schemas lack.
function described(name: string, schema: Schema, fields: Texts): Schema {
  const own = schema['description'] ?? fields[name]
  const described = (field: string, value: Schema): Schema => {
    const text = fields[`${name}.${field}`]
    return value['description'] !== undefined || text === undefined ? value : { ...value, description: text }
  }
  const properties = schema['properties'] as Readonly<Record<string, Schema>> | undefined
  return {
    ...(own === undefined ? {} : { description: own }),
    ...schema,
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([field, value]) => [field, described(field, value)]),
          ),
        }),
  }
}

/** The OpenAPI document of all operations. */
export async function openapiDocument(): Promise<Part> {
  const routes = everyRoute()
  const components = schemasOf(routes)
  const surveyed = await survey(routes)
  const responses = responsesOf(surveyed, components, components.errorsOf)
  const described = [...new Set(routes.map(({ group }) => group))]
  return {
    openapi: '3.1.1',
    info: {
      title: 'Model gateway',
      version,
      summary: 'A gateway to several model families behind one base URL',
      description: introduction,
      license: { name: 'MIT', identifier: 'MIT' },
      'x-contract': { paths: ['/v1', '/v1beta'], imageJobs: '1.0.0' },
    },
    servers,
    tags: described.map(({ name }) => ({
      name,
      'x-displayName': groupNotes[name]?.title ?? name,
      description: groupNotes[name]?.description ?? `Operations of ${name}.`,
      'x-error-schema': { $ref: refTo(components.errorsOf(name).body) },
    })),
    paths: pathsOf(surveyed, components, responses.byOperation),
    components: {
      securitySchemes: Object.fromEntries(
        described.flatMap(({ credentials }) =>
          credentials.map((credential) => [schemeName(credential), securityScheme(credential)]),
        ),
      ),
      headers: responses.headers,
      responses: responses.shared,
      schemas: components.schemas,
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
    const query = endpoint.query === undefined ? undefined : jsonSchemaOf(endpoint.query())
    const notes: GroupNotes | undefined = groupNotes[group.name]
    const operation = operationObject(one, {
      components,
      group: notes,
      query,
      responses: responses[endpoint.operation] ?? {},
    })
    paths[endpoint.path] = { ...paths[endpoint.path], [endpoint.method.toLowerCase()]: operation }
  }
  return paths
}

const servers: readonly Part[] = [
  { url: defaultServer, description: 'gateway-sim serve' },
  {
    url: `${defaultServer}/s/{session}`,
    description: 'An isolated session with a separate clock and jobs',
    variables: {
      session: { default: 'my-test', description: '1 to 32 lower-case letters, digits or dashes.' },
    },
  },
]

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
