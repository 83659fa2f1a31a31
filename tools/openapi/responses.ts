/** The responses of operations by status: bodies, headers and recorded examples. */
import { type Components, refTo } from './components.ts'
import type { Surveyed } from './example-calls.ts'
import { clipped, eventsOf } from './media-types.ts'
import type { Recorded } from './notes.ts'
import type { Part } from './operation.ts'
import { headerWords, statusWords, wayHeaders } from './wording.ts'

/** Statuses whose responses differ between operations; a group shares all others. */
const ownStatuses = [400, 404, 409, 412, 416]

export interface Responses {
  /** By operation id, then by status. */
  readonly byOperation: Readonly<Record<string, Part>>
  /** Responses that the operations of a group share, for `components/responses`. */
  readonly shared: Part
  /** Every header that a response has, for `components/headers`. */
  readonly headers: Part
}

/** The component names of a group's errors. */
export interface ErrorNames {
  readonly body: string
  readonly stream: string
}

/** The responses of all operations. */
export function responsesOf(
  surveyed: readonly Surveyed[],
  components: Components,
  errors: (group: string) => ErrorNames,
): Responses {
  const shared: Part = {}
  const headers: Part = {}
  const byOperation: Record<string, Part> = {}
  for (const { route, calls, rejections } of surveyed) {
    const { endpoint, group } = route
    const responses: Record<string, unknown> = {}
    const answered = calls.filter(({ status }) => status < 300)
    const statuses = [...new Set([...answered, ...rejections].map(({ status }) => status))].sort(
      (a, b) => a - b,
    )
    if (!statuses.some((status) => status < 300)) statuses.unshift(200)
    for (const status of statuses) {
      const recorded = (status < 300 ? [...answered, ...rejections] : rejections).filter(
        (response) => response.status === status,
      )
      const response = {
        description: descriptionOf(status, recorded),
        ...headersOf(recorded, headers),
        ...(status < 300
          ? success(endpoint, recorded, components, errors(group.name))
          : rejection(recorded, errors(group.name))),
      }
      // Operations without an API key do not share the responses of their group.
      if (status < 300 || endpoint.open === true || ownStatuses.includes(status)) responses[status] = response
      else {
        const name = `${group.name}-${status}`
        shared[name] ??= response
        responses[status] = { $ref: `#/components/responses/${name}` }
      }
    }
    byOperation[endpoint.operation] = responses
  }
  return {
    byOperation,
    shared,
    headers: Object.fromEntries(Object.entries(headers).sort(([a], [b]) => (a < b ? -1 : 1))),
  }
}

function descriptionOf(status: number, responses: readonly Recorded[]): string {
  const codes = new Set(
    responses
      .map(({ body }) => (body as { error?: { code?: unknown } } | undefined)?.error?.code)
      .filter((code) => typeof code === 'number' && code !== status),
  )
  const words = statusWords[status] ?? `Status ${status}.`
  return codes.size === 0 ? words : `${words} Code ${[...codes].join(' or ')}.`
}

function headersOf(responses: readonly Recorded[], all: Part): { readonly headers?: Part } {
  const names = [...new Set(responses.flatMap((response) => Object.keys(response.headers)))]
    .filter((name) => !wayHeaders.includes(name) && !name.startsWith('access-control-'))
    .sort()
  for (const name of names) {
    const example = responses.find((response) => response.headers[name] !== undefined)?.headers[name]
    all[name] ??= {
      description: headerWords[name] ?? `The header \`${name}\`.`,
      schema: { type: 'string' },
      example,
    }
  }
  return names.length === 0
    ? {}
    : { headers: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])) }
}

function success(
  endpoint: Surveyed['route']['endpoint'],
  responses: readonly Recorded[],
  components: Components,
  errors: ErrorNames,
): { readonly content?: Part } {
  const content: Part = {}
  if (endpoint.response !== undefined) {
    content['application/json'] = {
      schema: { $ref: refTo(components.nameOf(`${endpoint.operation} response`)) },
      ...examplesOf(responses.filter(({ type }) => type === 'application/json')),
    }
  }
  if (endpoint.event !== undefined)
    content['text/event-stream'] = stream(endpoint.operation, responses, components, errors)
  for (const { type } of responses) {
    if (type !== '' && content[type] === undefined)
      content[type] = { schema: { type: 'string', format: 'binary' } }
  }
  return Object.keys(content).length === 0 ? {} : { content }
}

// An object store has its own error format.
function rejection(responses: readonly Recorded[], errors: ErrorNames): { readonly content?: Part } {
  const types = [...new Set(responses.map(({ type }) => type).filter((type) => type !== ''))]
  if (types.length === 0) return {}
  return {
    content: Object.fromEntries(
      types.map((type) => [
        type,
        {
          schema: /^application\/(?:problem\+)?json$/.test(type)
            ? { $ref: refTo(errors.body) }
            : { type: 'string' },
          ...examplesOf(responses.filter((response) => response.type === type)),
        },
      ]),
    ),
  }
}

// In OpenAPI 3.1, a stream is one string; an extension has the schema of an event
// (docs/decisions/openapi.md).
function stream(
  operation: string,
  responses: readonly Recorded[],
  components: Components,
  errors: ErrorNames,
): Part {
  const streams = responses.filter(({ type }) => type === 'text/event-stream')
  return {
    schema: {
      type: 'string',
      description:
        'Server-sent events. `x-event-schema` is the schema of the JSON after each `data:`, ' +
        '`x-event-error-schema` is the schema of an error after the stream has started, and ' +
        '`x-event-examples` lists the events of each example.',
    },
    'x-event-schema': { $ref: refTo(components.nameOf(`${operation} event`)) },
    'x-event-error-schema': { $ref: refTo(errors.stream) },
    ...examplesOf(streams),
    ...(streams.length === 0
      ? {}
      : {
          'x-event-examples': Object.fromEntries(
            streams.map(({ call, body }) => [call.name, eventsOf(body as string)]),
          ),
        }),
  }
}

function examplesOf(responses: readonly Recorded[]): { readonly examples?: Part } {
  return responses.length === 0
    ? {}
    : {
        examples: Object.fromEntries(
          responses.map(({ call, body }) => [call.name, { summary: call.summary, value: clipped(body) }]),
        ),
      }
}
