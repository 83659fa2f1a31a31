/** One operation as an OpenAPI operation object, from its endpoint's declaration and recorded calls. */
import type { Endpoint, EndpointGroup } from '../../src/protocol/endpoint.ts'
import { type Components, refTo } from './components.ts'
import type { Surveyed } from './example-calls.ts'
import { isSchema, type Schema } from './json-schema.ts'
import { readAs, wireExample } from './media-types.ts'
import type { GroupNotes } from './notes.ts'
import { paramWords } from './wording.ts'

/** A part of the document. */
export type Part = Record<string, unknown>

/** The parts of an operation that its declaration does not have. */
export interface Parts {
  readonly components: Components
  readonly group: GroupNotes | undefined
  /** The query as JSON Schema. */
  readonly query: Schema | undefined
  /** Its responses by status. */
  readonly responses: Part
}

/** The operation object. */
export function operationObject(
  surveyed: Surveyed,
  { components, group: notes, query, responses }: Parts,
): Part {
  const { endpoint, group } = surveyed.route
  const { extension, inferred } = endpoint
  const parameters = parametersOf(surveyed, notes, query)
  const body = requestBody(surveyed, components)
  return {
    operationId: endpoint.operation,
    tags: [group.name],
    summary: endpoint.summary.replace(/\.$/, ''),
    description:
      [
        surveyed.notes?.description,
        ...(surveyed.notes === undefined ? [] : [`Source: ${surveyed.notes.source}.`]),
        ...(extension === undefined ? [] : [`Not in the contract: ${extension.replace(/\.$/, '')}.`]),
        ...(inferred === undefined ? [] : [`Inferred: ${inferred}.`]),
      ]
        .filter((text) => text !== undefined)
        .join('\n\n') || undefined,
    ...(extension === undefined ? {} : { 'x-not-in-contract': true }),
    ...(inferred === undefined ? {} : { 'x-inferred': true }),
    security: securityOf(endpoint, group),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: body }),
    responses,
  }
}

/** The name of a credential's security scheme. */
export const schemeName = ({ header, scheme }: EndpointGroup['credentials'][number]): string =>
  scheme === undefined ? header : scheme.toLowerCase()

// One requirement per credential: any of them is enough.
function securityOf(endpoint: Endpoint, group: EndpointGroup): Part[] {
  return endpoint.open === true
    ? []
    : group.credentials.map((credential) => ({ [schemeName(credential)]: [] }))
}

function parametersOf(
  { route: { endpoint }, calls }: Surveyed,
  notes: GroupNotes | undefined,
  query: Schema | undefined,
): Part[] {
  const shown = calls.find(({ status }) => status < 300)?.call
  const path = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: notes?.params?.[name] ?? paramWords[name] ?? `The \`${name}\` in the path.`,
    schema: { type: 'string' },
    ...exampleOf(shown?.params?.[name]),
  }))
  const required = Array.isArray(query?.['required']) ? (query['required'] as string[]) : []
  const fields = Object.entries(isSchema(query?.['properties']) ? query['properties'] : {}).map(
    ([name, value]) => {
      const { description, ...schema } = value as Schema
      return {
        name,
        in: 'query',
        required: required.includes(name),
        ...(description === undefined ? {} : { description }),
        schema,
        ...exampleOf(shown?.query?.[name] === undefined ? undefined : readAs(schema, shown.query[name])),
      }
    },
  )
  // Headers that `checkHeaders` requires, such as a version.
  const headers = (endpoint.checkHeaders === undefined ? [] : (notes?.headers ?? [])).map(
    ({ name, ...header }) => ({ name, in: 'header', ...header }),
  )
  return [...path, ...fields, ...headers]
}

const exampleOf = (example: unknown): { readonly example?: unknown } =>
  example === undefined ? {} : { example }

function requestBody({ route: { endpoint }, calls }: Surveyed, components: Components): Part | undefined {
  if (endpoint.accepts.length === 0) return undefined
  const content: Part = {}
  for (const kind of endpoint.accepts as readonly string[]) {
    const type =
      kind === 'json'
        ? 'application/json'
        : kind === 'form'
          ? 'multipart/form-data'
          : 'application/octet-stream'
    const sent = calls.filter(
      ({ call, status }) =>
        status < 400 &&
        (kind === 'json'
          ? call.json !== undefined
          : kind === 'form'
            ? call.form !== undefined
            : call.raw !== undefined),
    )
    const name = kind === 'json' || kind === 'form' ? components.nameOf(placeOf(endpoint, kind)) : undefined
    const examples = Object.fromEntries(
      sent.map(({ call }) => [
        call.name,
        { summary: call.summary, value: wireExample(call, components.schemas[name ?? ''] ?? {}) },
      ]),
    )
    content[type] = {
      schema: name === undefined ? { type: 'string', format: 'binary' } : { $ref: refTo(name) },
      ...(sent.length === 0 ? {} : { examples }),
    }
  }
  return { required: endpoint.bodyOptional !== true, content }
}

/** The root schema of a media type: forms have a separate root if the operation also accepts JSON. */
export function placeOf(endpoint: Endpoint, kind: string): string {
  return kind === 'form' && endpoint.accepts.includes('json')
    ? `${endpoint.operation} form`
    : `${endpoint.operation} body`
}
