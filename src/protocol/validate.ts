/** Holds a body or a query against its endpoint's schema and refuses with what to change. Knows nothing of doors. */
import type { FormField, Payload } from './call.ts'
import type { Endpoint, EndpointGroup } from './endpoint.ts'
import { ApiError } from './errors.ts'
import type { ReadFields } from './read-fields.ts'
import { findings, type Finding } from './wording.ts'

/** The validated body. Throws 400 with one detail per finding, or what the edge found (413, 415, malformed). */
export function validBody(endpoint: Endpoint, payload: Payload, group: EndpointGroup, read: ReadFields | undefined): unknown {
  if (read === undefined) return undefined
  if (payload.kind === 'refused') throw new ApiError(payload.type, payload.message)
  if (payload.kind === 'bytes' || endpoint.accepts.includes('bytes')) {
    if (payload.kind === 'bytes' && endpoint.accepts.includes('bytes')) return payload.bytes
    throw new ApiError('invalid_request_error', `The request has a body of another kind: ${endpoint.method} ${endpoint.path} expects ${endpoint.accepts.join(' or ')}.`)
  }
  if (payload.kind === 'none' && endpoint.bodyOptional !== true) throw new ApiError('invalid_request_error', `The request has no body: ${endpoint.method} ${endpoint.path} expects ${endpoint.accepts.map((kind) => (kind === 'json' ? 'a JSON object' : 'multipart/form-data')).join(' or ')}.`)
  const input = payload.kind === 'none' ? {} : payload.kind === 'json' ? payload.value : (endpoint.readForm ?? lastOfEachName)(payload.fields)
  const result = read(input)
  if (result.success) return result.data
  throw invalid(findings(result.error, input), group)
}

/** The validated query; names that the endpoint does not know are ignored. */
export function validQuery(endpoint: Endpoint, query: string): Readonly<Record<string, string>> {
  if (query === '' && endpoint.query === undefined) return {}
  const written = Object.fromEntries(new URLSearchParams(query))
  if (endpoint.query === undefined) return written
  const result = endpoint.query.safeParse(written)
  if (result.success) return result.data as Readonly<Record<string, string>>
  throw invalid(findings(result.error, written), undefined)
}

/** The refusal that findings make: the first in the message, all in `details`. */
export function invalid(found: readonly Finding[], group: EndpointGroup | undefined): ApiError {
  const code = group?.refusalCode?.('invalid_request_error') ?? 400
  const worded = found.map(({ field, message }) => ({ field, text: field === '' ? `The body: ${message}` : `\`${field}\`: ${message}` }))
  const first = worded[0]?.text ?? 'The request is invalid'
  const more = found.length > 1 ? ` (and ${found.length - 1} more, see details)` : ''
  return new ApiError('invalid_request_error', `${first}${more}.`, {
    code,
    ...(found[0]?.field ? { param: found[0].field } : {}),
    details: worded.map(({ field, text }) => ({ code, message: text, field })),
  })
}

/** The parts of a form as an object: the last value of each name, a list where a name repeats. */
export function lastOfEachName(fields: readonly FormField[]): Record<string, unknown> {
  const object: Record<string, unknown> = Object.create(null)
  for (const field of fields) object[field.name] = 'file' in field ? field.file : field.value
  return object
}
