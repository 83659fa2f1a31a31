/** Judges one response by the contract: status, content type, envelope, body and event schemas. */
import type * as z from 'zod'
import { rulesOf } from '../../endpoints/invariants.ts'
import { isFields, jsonIn } from '../../engine/fields.ts'
import { anyItem, isAtOrBelow, pointerTo } from '../../engine/pointer.ts'
import { bytesOf, type ExchangeResponse } from '../../exchange/exchange.ts'
import { clientReading, contractReading, sectionOf } from '../../protocol/contract-reading.ts'
import { commonErrors } from '../../protocol/error-schema.ts'
import { firstOf, type LocatedError, locatedErrors } from '../../protocol/field-errors.ts'
import type { ContractCode, Severity } from '../../protocol/invariant.ts'
import { show, valueAt } from '../../protocol/wording.ts'
import { type ContractFinding, contractFinding, type Violation } from '../finding.ts'
import { eventsOf, type JudgedCall, mediaTypeOf } from '../judged-calls.ts'
import { generalised } from './schema-places.ts'

/**
 * Judges responses by the schemas of their operations, each violation once. It derives the rules of each
 * schema once, so reuse it. `clientsOf` reads the parts of a schema that the contract leaves open. Operations
 * that the contract does not name are judged by what clients rely on.
 */
export function createSchemaJudge(clientsOf = clientReading): Judge {
  const named = new ValueJudge(clientsOf)
  const extensions = new ValueJudge(clientReading)
  return (call) => {
    const { operation, extension } = call.route.endpoint
    const isOpen = extension !== undefined
    const redacted = redactedIn(call)
    return violations(isOpen ? extensions : named, call)
      .filter(({ pointer = '' }) => !redacted.some((place) => isAtOrBelow(pointer, place)))
      .map((one) => {
        const found = contractFinding(operation, call.exchange.seq, one)
        // An operation outside of the contract cannot break it.
        return isOpen && found.severity === 'error' ? { ...found, severity: 'warning' } : found
      })
  }
}

/** What violates the contract in one response. */
export type Judge = (call: JudgedCall) => ContractFinding[]

/** JSON pointers to values that were redacted. They are not judged. */
export const redactedIn = ({ exchange: { redacted } }: JudgedCall): readonly string[] =>
  redacted.flatMap((mark) => (mark.startsWith('response:/') ? [mark.slice('response:'.length)] : []))

function violations(values: ValueJudge, call: JudgedCall): Violation[] {
  const { route, response } = call
  const { endpoint, group } = route
  const { method } = call.exchange.request
  const { status } = response
  // Object stores have their own error format.
  const hasBody = method !== 'HEAD' && status !== 304
  if (status >= 400) return endpoint.open === true || !hasBody ? [] : rejection(values, group.name, call)
  const expected = wrongStatus(status, method, endpoint.response !== undefined)
  const wrong: Violation[] =
    expected === undefined ? [] : [{ where: 'status', code: 'wrong-status', expected, got: String(status) }]
  // If the status is wrong, only a success can have a body to judge, and it may be empty.
  const isEmpty = bytesOf(response.body).length === 0
  const isAnswer = expected === undefined || (status >= 200 && status < 300 && !isEmpty)
  return hasBody && isAnswer ? [...wrong, ...answer(values, call)] : wrong
}

function answer(values: ValueJudge, call: JudgedCall): Violation[] {
  const { endpoint, group } = call.route
  const events = eventsOf(call.response)
  if (endpoint.event !== undefined && (asksForStream(call) || events !== undefined))
    return stream(values, endpoint.event(), group.name, call)
  return endpoint.response === undefined ? [] : json(values, endpoint.response(), call)
}

const asksForStream = ({ request }: JudgedCall): boolean =>
  isFields(request) && (request['stream'] === true || request['stream'] === 'true')

function wrongStatus(status: number, method: string, isJson: boolean): string | undefined {
  if (status === 200 || (status === 304 && (method === 'GET' || method === 'HEAD'))) return undefined
  if (!isJson && status >= 200 && status < 300) return undefined
  return isJson ? '200, or a rejection (4xx, 5xx)' : 'a success (2xx), or a rejection (4xx, 5xx)'
}

function rejection(values: ValueJudge, group: string, { response, json: value }: JudgedCall): Violation[] {
  const schema = envelopeSchema(group)
  if (isFields(value) && isFields(value['error']))
    return [...wrongType(response), ...values.judge(schema, value, { where: 'body' })]
  const expected = 'an `error` object with code and message'
  const got = value === undefined ? shownText(textOf(response)) : describedBody(value)
  return [{ where: 'body', code: 'wrong-envelope', expected, got }]
}

const describedBody = (value: unknown): string =>
  isFields(value) ? `an object with ${Object.keys(value).slice(0, 5).join(', ') || 'no fields'}` : show(value)

const shownText = (text: string): string => (text === '' ? 'nothing' : show(text))

const textOf = ({ body }: ExchangeResponse): string => body?.text ?? new TextDecoder().decode(bytesOf(body))

function json(values: ValueJudge, schema: z.ZodType, { response, json: value }: JudgedCall): Violation[] {
  const type = wrongType(response)
  if (value !== undefined) return [...type, ...values.judge(schema, value, { where: 'body' })]
  // An HTML page instead of JSON is one violation, not two.
  return type.length > 0 ? type : [noJson(textOf(response), { where: 'body' })]
}

type At = Pick<Violation, 'where' | 'event'>

function noJson(text: string, at: At): Violation {
  return { ...at, code: 'wrong-format', expected: 'JSON', got: shownText(text) }
}

function wrongType(response: ExchangeResponse, expected = 'application/json'): Violation[] {
  const type = mediaTypeOf(response)
  if (type === expected) return []
  const what = { where: 'headers', pointer: '/content-type', expected } as const
  const isMissing = type === ''
  const code = isMissing ? 'missing-value' : 'wrong-value'
  return [{ ...what, code, got: isMissing ? 'nothing' : type }]
}

function stream(values: ValueJudge, schema: z.ZodType, group: string, { response }: JudgedCall): Violation[] {
  const type = wrongType(response, 'text/event-stream')
  if (type.length > 0) return type
  const found = (eventsOf(response) ?? []).flatMap(({ data }, event): Violation[] => {
    const at = { where: 'stream', event } as const
    if (data === '[DONE]') return []
    const value = jsonIn(data)
    if (value === undefined) return [noJson(data, at)]
    const isError = isFields(value) && value['error'] !== undefined && value['error'] !== null
    return values.judge(isError ? streamEnvelopeSchema(group) : schema, value, at)
  })
  return onlyOnce(found, ({ pointer = '', code }) => `${code} ${anyItem(pointer)}`)
}

interface Readings {
  readonly contract: z.ZodType
  readonly clients: z.ZodType
  /** Whether the contract describes it. */
  readonly isStated: boolean
}

const maxErrors = 20

/** Judges values. It derives the readings of each schema once, so reuse it. */
class ValueJudge {
  readonly #readings = new Map<z.ZodType, Readings>()
  readonly #clientsOf: (schema: z.ZodType) => z.ZodType

  /** `clientsOf` reads the parts of a schema that the contract leaves open. */
  constructor(clientsOf: (schema: z.ZodType) => z.ZodType) {
    this.#clientsOf = clientsOf
  }

  /** Reports each violation once; in a list, for the first item that has it. */
  judge(schema: z.ZodType, value: unknown, at: At): Violation[] {
    const { contract, clients, isStated } = this.#readingsOf(schema)
    const broken = errorsIn(contract, value)
    // A value that breaks the contract is not reported as doubtful too.
    const places = broken.map(({ path }) => pointerTo(path))
    const others = errorsIn(clients, value).filter(({ path }) => {
      const place = pointerTo(path)
      return !places.some((other) => isAtOrBelow(other, place) || isAtOrBelow(place, other))
    })
    // A schema that only clients rely on cannot break the contract.
    const stated = isStated ? 'error' : 'warning'
    const severityOf = ({ unknown, params }: LocatedError): Severity => {
      if (unknown === true) return 'hint'
      return params?.['breaking'] ? 'error' : 'warning'
    }
    const found = [
      ...broken.map((error) => foundAs(stated, error, value)),
      ...others.map((error) => foundAs(severityOf(error), error, value)),
    ].map((one) => ({ ...one, ...at }))
    return onlyOnce(found, ({ pointer, code }) => `${code} ${generalised(clients, pointer)}`)
  }

  #readingsOf(schema: z.ZodType): Readings {
    const known = this.#readings.get(schema)
    if (known !== undefined) return known
    const isStated = sectionOf(schema)?.startsWith('contract') === true
    const readings = { contract: contractReading(schema), clients: this.#clientsOf(schema), isStated }
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

function errorsIn(schema: z.ZodType, value: unknown): LocatedError[] {
  const result = schema.safeParse(value)
  return result.success ? [] : firstOf(locatedErrors(result.error.issues, value), maxErrors)
}

function foundAs(severity: Severity, error: LocatedError, value: unknown) {
  const { path, expected, message, unknown } = error
  const got = valueAt(value, path)
  return {
    pointer: pointerTo(path),
    code: codeOf(error, got),
    severity,
    expected: unknown === true ? 'no such field' : (expected ?? message),
    got: show(got),
  }
}

function codeOf({ unknown, kind }: LocatedError, got: unknown): ContractCode {
  if (unknown === true) return 'extra-field'
  if (got === undefined) return 'missing-value'
  return `wrong-${kind ?? 'value'}`
}

export const envelopeSchema = (group: string): z.ZodType => (rulesOf(group).errors ?? commonErrors)()

export const streamEnvelopeSchema = (group: string): z.ZodType =>
  rulesOf(group).streamErrors?.() ?? envelopeSchema(group)
