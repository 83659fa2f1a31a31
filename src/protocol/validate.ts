/** Validates a body or a query against its endpoint's schema and rejects with what to change. */
import * as z from 'zod'
import { defined } from '../engine/fields.ts'
import { counted } from '../text/printable.ts'
import { objectOf } from './body-fields.ts'
import type { FormField, Payload } from './call.ts'
import { parseWritten, unusableNames } from './client-names.ts'
import type { Endpoint, EndpointGroup } from './endpoint.ts'
import { ApiError } from './errors.ts'
import { safeParse } from './expected-values.ts'
import { type FieldError, fieldErrors } from './field-errors.ts'
import { errorsIn } from './value-errors.ts'

/** Reads the requests of one endpoint. */
export class RequestReader {
  readonly #endpoint: Endpoint
  readonly #group: EndpointGroup
  /** Holds a body against the schema of the endpoint; undefined when it takes none. */
  readonly fields: ReadFields | undefined

  constructor(endpoint: Endpoint, group: EndpointGroup) {
    this.#endpoint = endpoint
    this.#group = group
    this.fields = bodyReader(endpoint)
  }

  /** The validated body. Throws 400 with one detail per error, or the error met while reading it. */
  body(payload: Payload): unknown {
    const endpoint = this.#endpoint
    if (payload.kind === 'rejected') {
      const { type, message, retryAfterMs, status } = payload
      throw new ApiError(type, message, defined({ retryAfterMs, status }))
    }
    if (this.fields === undefined) return undefined
    if (payload.kind === 'bytes' || endpoint.accepts.includes('bytes')) {
      if (payload.kind === 'bytes' && endpoint.accepts.includes('bytes')) return payload.bytes
      throw new ApiError(
        'invalid_request_error',
        `Unexpected body type: ${endpoint.method} ${endpoint.path} expects ${acceptedBodies(endpoint)}.`,
      )
    }
    if (payload.kind === 'none' && endpoint.bodyOptional !== true)
      throw new ApiError(
        'invalid_request_error',
        `The request has no body: ${endpoint.method} ${endpoint.path} expects ${acceptedBodies(endpoint)}.`,
      )
    let input: unknown = payload.kind === 'json' ? payload.value : {}
    if (payload.kind === 'form') input = (endpoint.readForm ?? lastOfEachName)(payload.fields.map(marked))
    const result = this.fields(input)
    if (!result.success)
      throw invalid(rejectedErrors(endpoint, result.error, endpoint.body?.(), input), this.#group)
    // Searching every body would be slow. An escape can stand for a letter of the name.
    const { text } = payload.kind === 'json' ? payload : { text: '' }
    const isSuspect = text.includes('__proto__') || text.includes('\\u00')
    const issues = isSuspect ? unusableNames(input) : []
    if (issues.length > 0) throw invalid(fieldErrors(new z.ZodError(issues), input), this.#group)
    return result.data
  }

  /** The validated query; unknown names are ignored. Throws a 400, as `body` does. */
  query(query: string): Readonly<Record<string, string>> {
    const schema = this.#endpoint.query?.()
    const written = Object.fromEntries(new URLSearchParams(query))
    if (schema === undefined) return written
    const result = schema.safeParse(written)
    if (result.success) return result.data as Readonly<Record<string, string>>
    throw invalid(rejectedErrors(this.#endpoint, result.error, schema, written), undefined)
  }
}

const bodyTypes = { json: 'a JSON object', form: 'multipart/form-data', bytes: 'raw bytes' } as const

function acceptedBodies({ accepts }: Endpoint): string {
  return accepts.map((type) => bodyTypes[type]).join(' or ')
}

const maxListed = 20

// People write requests to the control API by hand, so these errors suggest corrections; errors of the
// contract do not.
function rejectedErrors(
  endpoint: Endpoint,
  error: z.ZodError,
  schema: z.ZodType | undefined,
  input: unknown,
): readonly FieldError[] {
  if (schema === undefined || !endpoint.operation.startsWith('sim.')) return fieldErrors(error, input)
  return errorsIn(error.issues, schema, input).slice(0, maxListed)
}

/** The rejection for some errors: the first one in the message, all of them in `details`. */
export function invalid(found: readonly FieldError[], group: EndpointGroup | undefined): ApiError {
  const code = group?.rejectionCode?.('invalid_request_error') ?? 400
  const worded = found.map(({ field, message }) => ({
    field,
    text: field === '' ? `The body: ${message}` : `\`${field}\`: ${message}`,
  }))
  const first = worded[0]?.text ?? 'The request is invalid'
  const more = found.length > 1 ? ` (and ${counted(found.length - 1, 'more error')}, see details)` : ''
  return new ApiError('invalid_request_error', /\?$/.test(first + more) ? first : `${first}${more}.`, {
    code,
    ...(found[0]?.field ? { param: found[0].field } : {}),
    details: worded.map(({ field, text }) => ({ code, message: text, field })),
  })
}

/** Marks the files of a form, because JSON can write an object that looks like one, but no symbol. */
export const fileMark = Symbol('a file of a form')

const marked = (field: FormField): FormField =>
  'file' in field ? { ...field, file: Object.assign({ [fileMark]: true }, field.file) } : field

/** The parts of a form as an object: the last value of each name, a list where a name repeats. */
function lastOfEachName(fields: readonly FormField[]): Record<string, unknown> {
  const object: Record<string, unknown> = Object.create(null)
  for (const field of fields) object[field.name] = 'file' in field ? field.file : field.value
  return object
}

/** Holds a body against a schema by the fields that it has. */
export type ReadFields = (input: unknown) => z.ZodSafeParseResult<unknown>

/** How many sets of fields are cached; beyond it, bodies are checked as a whole. */
const maxSets = 64

/** Reads the bodies of an endpoint. What calls of the control API hold is written by hand, as in files. */
function bodyReader({ operation, body }: Endpoint): ReadFields | undefined {
  if (body === undefined) return undefined
  if (operation.startsWith('sim.')) return (input) => parseWritten(body(), input)
  const { fields, always } = body
  if (fields === undefined || always === undefined) return (input) => safeParse(body(), input)
  const bySet = new Map<string, z.ZodType>()
  return (input) => {
    if (input === null || typeof input !== 'object' || Array.isArray(input)) return safeParse(body(), input)
    let set = ''
    for (const name of Object.keys(input)) if (Object.hasOwn(fields, name)) set += `${name},`
    let part = bySet.get(set)
    if (part === undefined) {
      if (bySet.size === maxSets) return safeParse(body(), input)
      const names = Object.keys(fields)
      part = objectOf(
        fields,
        names.filter((name) => Object.hasOwn(input, name) || always.includes(name)),
      )
      bySet.set(set, part)
    }
    return safeParse(part, input)
  }
}

/** What rules and reserved values look at in a body that nobody has validated yet. */
interface BodyFacts {
  readonly model: string | undefined
  /** The last message of the user, or the prompt. */
  readonly prompt: string | undefined
}

const nothing: BodyFacts = { model: undefined, prompt: undefined }

/** What a body says; without an endpoint, nobody knows where its prompt is. */
export function readBodyFacts(payload: Payload, endpoint: Endpoint | undefined): BodyFacts {
  let model: unknown
  let fields: Readonly<Record<string, unknown>>
  if (payload.kind === 'json') {
    const { value } = payload
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return nothing
    fields = value as Readonly<Record<string, unknown>>
    model = fields['model']
  } else if (payload.kind === 'form') {
    const texts = payload.fields.flatMap((field) => ('value' in field ? [[field.name, field.value]] : []))
    model = texts.find(([name]) => name === 'model')?.[1]
    fields = Object.fromEntries(texts)
  } else return nothing
  const prompt = endpoint?.promptOf?.(fields)
  return {
    model: typeof model === 'string' ? model : undefined,
    prompt: typeof prompt === 'string' ? prompt : undefined,
  }
}
