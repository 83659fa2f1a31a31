/** Judges one response by the contract: status, content type, envelope, body and event schemas. */
import type * as z from 'zod'
import { rulesOf } from '../../endpoints/invariants.ts'
import { isFields, jsonIn } from '../../engine/fields.ts'
import { anyItem, isAtOrBelow, pointerTo } from '../../engine/pointer.ts'
import { clientReading, contractReading, sectionOf } from '../../protocol/contract-reading.ts'
import { commonErrors } from '../../protocol/error-schema.ts'
import { firstOf, type LocatedFinding, locatedFindings } from '../../protocol/findings.ts'
import { type Severity, type Violation, type ViolationKind, violating } from '../../protocol/invariant.ts'
import type { StreamEvent } from '../../protocol/read-stream.ts'
import type { Route } from '../../protocol/router.ts'
import { show, valueAt } from '../../protocol/wording.ts'
import { generalised } from './schema-places.ts'

export interface JudgedResponse {
  readonly status: number
  /** A `Headers` object, or a map with lower-case names. */
  readonly headers: { get(name: string): string | null | undefined }
  readonly body: string | Uint8Array
  readonly events?: readonly StreamEvent[] | undefined
  /** JSON pointers to values that were redacted. They are not judged. */
  readonly redacted?: readonly string[]
}

export interface JudgedRequest {
  readonly method: string
  readonly streams: boolean
}

/** Returns the violations of one response, without repetitions. */
export type JudgeResponse = (route: Route, response: JudgedResponse, request: JudgedRequest) => Violation[]

/**
 * Creates a judge. It derives the rules of each schema once, so reuse it. `clientsOf` reads the parts of a
 * schema that the contract leaves open. Operations that the contract does not name are judged by what clients
 * rely on.
 */
export function createJudge(clientsOf = clientReading): JudgeResponse {
  const named = new ValueJudge(clientsOf)
  const extensions = new ValueJudge(clientReading)
  return (route, response, request) => {
    const { operation, extension } = route.endpoint
    const values = extension === undefined ? named : extensions
    const found = violations(values, route, response, request).map(
      (violation): Violation => ({
        operation,
        ...violation,
        // An operation outside of the contract cannot break it.
        ...(extension !== undefined && violation.severity === 'breaking' ? { severity: 'doubtful' } : {}),
      }),
    )
    return found.filter(
      ({ pointer }) => !(response.redacted ?? []).some((place) => isAtOrBelow(pointer, place)),
    )
  }
}

type Placed = Omit<Violation, 'operation'>

function violations(
  values: ValueJudge,
  { endpoint, group }: Route,
  response: JudgedResponse,
  request: JudgedRequest,
): Placed[] {
  const { status } = response
  // Object stores have their own error format.
  const hasBody = request.method !== 'HEAD' && status !== 304
  if (status >= 400) return endpoint.open === true || !hasBody ? [] : rejection(values, group.name, response)
  const schema = endpoint.response ?? endpoint.event
  const section = schema === undefined ? 'contract 4' : values.sectionOf(schema())
  const wrong = wrongStatus(status, request.method, endpoint.response !== undefined)
  const what = { where: 'status', kind: 'status', got: String(status) } as const
  const found = wrong === undefined ? [] : [violating(section, { ...what, expected: wrong })]
  // If the status is wrong, only a success can have a body to judge, and it may be empty.
  const isAnswer = wrong === undefined || (status >= 200 && status < 300 && response.body.length > 0)
  return hasBody && isAnswer ? [...found, ...answer(values, { endpoint, group }, response, request)] : found
}

function answer(
  values: ValueJudge,
  { endpoint, group }: Pick<Route, 'endpoint' | 'group'>,
  response: JudgedResponse,
  request: JudgedRequest,
): Placed[] {
  const isStream = response.events !== undefined || typeOf(response) === 'text/event-stream'
  if (endpoint.event !== undefined && (request.streams || isStream))
    return stream(values, endpoint.event(), group.name, response)
  return endpoint.response === undefined ? [] : json(values, endpoint.response(), response)
}

function wrongStatus(status: number, method: string, isJson: boolean): string | undefined {
  if (status === 200 || (status === 304 && (method === 'GET' || method === 'HEAD'))) return undefined
  if (!isJson && status >= 200 && status < 300) return undefined
  return isJson ? '200, or a rejection (4xx, 5xx)' : 'a success (2xx), or a rejection (4xx, 5xx)'
}

/** The media type without its parameters; empty if there is none. */
const typeOf = ({ headers }: JudgedResponse): string =>
  (headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? ''

function rejection(values: ValueJudge, group: string, response: JudgedResponse): Placed[] {
  const schema = envelopeSchema(group)
  const value = jsonIn(textOf(response))
  if (isFields(value) && isFields(value['error']))
    return [...wrongType(values, schema, response), ...inBody(values.judge(schema, value))]
  const expected = 'an `error` object with code and message'
  const got = value === undefined ? shownText(textOf(response)) : describedBody(value)
  return [violating(values.sectionOf(schema), { where: 'body', kind: 'envelope', expected, got })]
}

const describedBody = (value: unknown): string =>
  isFields(value) ? `an object with ${Object.keys(value).slice(0, 5).join(', ') || 'no fields'}` : show(value)

const shownText = (text: string): string => (text === '' ? 'nothing' : show(text))

function json(values: ValueJudge, schema: z.ZodType, response: JudgedResponse): Placed[] {
  const value = jsonIn(textOf(response))
  const type = wrongType(values, schema, response)
  if (value !== undefined) return [...type, ...inBody(values.judge(schema, value))]
  // An HTML page instead of JSON is one violation, not two.
  return type.length > 0 ? type : inBody([noJson(values, schema, textOf(response))])
}

function noJson(values: ValueJudge, schema: z.ZodType, text: string): Found {
  const what = { where: 'body', kind: 'format', expected: 'JSON', got: shownText(text) } as const
  return violating(values.sectionOf(schema), what)
}

function wrongType(
  values: ValueJudge,
  schema: z.ZodType,
  response: JudgedResponse,
  expected = 'application/json',
): Placed[] {
  const type = typeOf(response)
  if (type === expected) return []
  const kind = type === '' ? 'missing' : 'value'
  const what = { where: 'headers', pointer: '/content-type', kind, expected } as const
  return [violating(values.sectionOf(schema), { ...what, got: type === '' ? 'nothing' : type })]
}

const inBody = (found: readonly Found[]): Placed[] => found.map((one) => ({ ...one, where: 'body' }))

function stream(values: ValueJudge, schema: z.ZodType, group: string, response: JudgedResponse): Placed[] {
  const type = wrongType(values, schema, response, 'text/event-stream')
  if (type.length > 0) return type
  const found = (response.events ?? []).flatMap(({ data }, event): Placed[] =>
    inEvent(values, schema, group, data).map((one) => ({ ...one, where: 'stream', event })),
  )
  return onlyOnce(found, ({ section, pointer, kind }) => `${section} ${kind} ${anyItem(pointer)}`)
}

function inEvent(values: ValueJudge, schema: z.ZodType, group: string, data: string): Found[] {
  if (data === '[DONE]') return []
  const value = jsonIn(data)
  if (value === undefined) return [noJson(values, schema, data)]
  const isError = isFields(value) && value['error'] !== undefined && value['error'] !== null
  return values.judge(isError ? streamEnvelopeSchema(group) : schema, value)
}

function textOf({ body }: JudgedResponse): string {
  return typeof body === 'string' ? body : new TextDecoder().decode(body)
}

interface Readings {
  readonly contract: z.ZodType
  readonly clients: z.ZodType
  readonly section: string
}

/** A violation in a value. The caller adds the operation and the place. */
type Found = Omit<Violation, 'operation' | 'where'>

const maxFindings = 20

/** Judges values. It derives the readings of each schema once, so reuse it. */
class ValueJudge {
  readonly #readings = new Map<z.ZodType, Readings>()
  readonly #clientsOf: (schema: z.ZodType) => z.ZodType

  /** `clientsOf` reads the parts of a schema that the contract leaves open. */
  constructor(clientsOf: (schema: z.ZodType) => z.ZodType) {
    this.#clientsOf = clientsOf
  }

  /** Reports each violation once; in a list, for the first item that has it. */
  judge(schema: z.ZodType, value: unknown): Found[] {
    const { contract, clients, section } = this.#readingsOf(schema)
    const broken = findingsOf(contract, value)
    // A value that breaks the contract is not reported as doubtful too.
    const places = broken.map(({ path }) => pointerTo(path))
    const others = findingsOf(clients, value).filter(({ path }) => {
      const place = pointerTo(path)
      return !places.some((other) => isAtOrBelow(other, place) || isAtOrBelow(place, other))
    })
    // A schema that only clients rely on cannot break the contract.
    const stated = section.startsWith('contract') ? 'breaking' : 'doubtful'
    const severityOf = ({ unknown, params }: LocatedFinding): Severity => {
      if (unknown === true) return 'addition'
      return params?.['breaking'] ? 'breaking' : 'doubtful'
    }
    const found = [
      ...broken.map((finding) => foundAs(stated, section, finding, value)),
      ...others.map((finding) => foundAs(severityOf(finding), section, finding, value)),
    ]
    return onlyOnce(found, ({ pointer, kind }) => `${kind} ${generalised(clients, pointer)}`)
  }

  sectionOf(schema: z.ZodType): string {
    return this.#readingsOf(schema).section
  }

  #readingsOf(schema: z.ZodType): Readings {
    const known = this.#readings.get(schema)
    if (known !== undefined) return known
    const section = sectionOf(schema) ?? ''
    const readings = { contract: contractReading(schema), clients: this.#clientsOf(schema), section }
    this.#readings.set(schema, readings)
    return readings
  }
}

/** The items; only the first of those with the same key. */
function onlyOnce<Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[] {
  const seen = new Set<string>()
  return items.filter((item) => {
    const key = keyOf(item)
    return !seen.has(key) && seen.add(key)
  })
}

function findingsOf(schema: z.ZodType, value: unknown): LocatedFinding[] {
  const result = schema.safeParse(value)
  return result.success ? [] : firstOf(locatedFindings(result.error.issues, value), maxFindings)
}

function foundAs(severity: Severity, section: string, finding: LocatedFinding, value: unknown): Found {
  const { path, expected, message, unknown } = finding
  const got = valueAt(value, path)
  return {
    section,
    pointer: pointerTo(path),
    kind: kindOf(finding, got),
    severity,
    expected: unknown === true ? 'no such field' : (expected ?? message),
    got: show(got),
  }
}

function kindOf({ unknown, kind }: LocatedFinding, got: unknown): ViolationKind {
  if (unknown === true) return 'extra'
  if (got === undefined) return 'missing'
  return kind ?? 'value'
}

export const envelopeSchema = (group: string): z.ZodType => (rulesOf(group).errors ?? commonErrors)()

export const streamEnvelopeSchema = (group: string): z.ZodType =>
  rulesOf(group).streamErrors?.() ?? envelopeSchema(group)
