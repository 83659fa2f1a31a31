/** Judges one exchange by the contract: the response's schema, and whether it fits the request. */

import { rulesOf } from '../../endpoints/invariants.ts'
import { isFields, jsonIn } from '../../engine/fields.ts'
import { anyItem, isAtOrBelow } from '../../engine/pointer.ts'
import { bytesOf, headerIn } from '../../exchange/exchange.ts'
import { typedReading } from '../../protocol/contract-reading.ts'
import {
  type Invariant,
  isError,
  type JudgedAnswer,
  type JudgedStream,
  nth,
  polledId,
  shown,
  shownId,
} from '../../protocol/invariant.ts'
import { valueAt } from '../../protocol/wording.ts'
import { type ContractFinding, contractFinding, type Place, placeOf, type Violation } from '../finding.ts'
import { eventsOf, type JudgedCall } from '../judged-calls.ts'
import { createSchemaJudge, type Judge, redactedIn } from './judge-response.ts'

/** The findings of invariants about a call, one for each. */
export function judgeInvariants<Subject>(
  invariants: readonly Invariant<Subject>[],
  subject: Subject,
  { route, exchange }: Pick<JudgedCall, 'route' | 'exchange'>,
  where: Place['where'],
): ContractFinding[] {
  return invariants.flatMap(({ states: expected, counterexample, ...invariant }) => {
    const found = counterexample(subject)
    if (!found) return []
    return [
      contractFinding(route.endpoint.operation, exchange.seq, { ...invariant, where, expected, ...found }),
    ]
  })
}

const showsWhatWasAsked: Invariant<JudgedAnswer> = {
  states: 'the requested id',
  code: 'wrong-value',
  severity: 'error',
  counterexample(answer) {
    const [polled, got] = [polledId(answer), shownId(answer.response)]
    const isOther = polled !== undefined && got !== undefined && got !== polled
    return (
      isOther && { pointer: typeof answer.response['id'] === 'string' ? '/id' : '/name', got: shown(got) }
    )
  },
}

/** The invariants of its group that a plain response violates. The schema judge checks its schema. */
function judgeAnswer(call: JudgedCall): ContractFinding[] {
  const { route, params, request, json } = call
  if (!isFields(json)) return []
  const { endpoint, group } = route
  const answer: JudgedAnswer = { endpoint, params, request: isFields(request) ? request : {}, response: json }
  return judgeInvariants([showsWhatWasAsked, ...(rulesOf(group.name).answers ?? [])], answer, call, 'body')
}

/** A judge of gateways. It derives the rules of the contract once, so reuse it. */
export function createJudge(): Judge {
  const judgeSchema = createSchemaJudge(typedReading)
  return (call) => {
    const { route, response, exchange } = call
    const callback = callbackTaken(call)
    if (callback !== undefined) return [findingIn(call, callback)]
    const events = eventsOf(response)
    // An incomplete body cannot be checked against its schema.
    if (exchange.ended !== 'completed' && events === undefined)
      return exchange.ended === 'disconnected' ? [findingIn(call, brokenOff(call))] : []
    const shape = judgeSchema(call)
    if (response.status >= 400) return [...shape, ...wrongCode(call).map((one) => findingIn(call, one))]
    const invariants =
      events !== undefined && route.endpoint.event !== undefined ? judgeStream(call) : judgeAnswer(call)
    const redacted = redactedIn(call)
    const media = wrongMedia(call).map((one) => findingIn(call, one))
    const broken = [...invariants, ...media].filter((one) => !isRedacted(pointerOf(one), redacted))
    // Invariants are meaningful only if the types of the events are right.
    if (events !== undefined && shape.some(isStructural)) return shape
    return [
      ...shape.filter((one) => !broken.some((invariant) => outranks(invariant, one))),
      ...broken.filter((invariant) => !isKnown(invariant, shape)),
    ]
  }
}

const findingIn = ({ route, exchange }: JudgedCall, violation: Violation): ContractFinding =>
  contractFinding(route.endpoint.operation, exchange.seq, violation)

const pointerOf = (finding: ContractFinding): string => placeOf(finding).pointer

const isStructural = (finding: ContractFinding): boolean =>
  finding.severity !== 'hint' && /\/(?:type|index|choices|delta)$/.test(pointerOf(finding))

/** Whether an invariant names the missing member of a variant more precisely than the schema. */
const outranks = (invariant: ContractFinding, shape: ContractFinding): boolean =>
  invariant.code === 'missing-value' &&
  shape.code === 'missing-value' &&
  invariant.severity === 'error' &&
  pointerOf(invariant) !== pointerOf(shape) &&
  parentOf(pointerOf(invariant)) !== '' &&
  parentOf(pointerOf(invariant)) === parentOf(pointerOf(shape))

const parentOf = (pointer: string): string => pointer.slice(0, pointer.lastIndexOf('/'))

/** Whether the schema already reports the same place: an invariant would repeat it. */
function isKnown(invariant: ContractFinding, shape: readonly ContractFinding[]): boolean {
  const place = anyItem(pointerOf(invariant))
  return shape.some((other) => {
    const known = anyItem(pointerOf(other))
    const isNear = place !== '' && known !== '' && (isAtOrBelow(known, place) || isAtOrBelow(place, known))
    return other.severity !== 'hint' && (known === place || isNear)
  })
}

const isRedacted = (pointer: string, redacted: readonly string[]): boolean =>
  pointer !== '' && redacted.some((place) => isAtOrBelow(pointer, place))

function brokenOff({ response }: JudgedCall): Violation {
  const got = `${bytesOf(response.body).length} bytes before the connection broke`
  const expected = 'a complete body'
  return { where: 'body', code: 'wrong-format', expected, got }
}

/** A submission with a `callback` that was not rejected. */
function callbackTaken({ route, request, response: { status } }: JudgedCall): Violation | undefined {
  const sends =
    route.endpoint.job?.submits?.rejectsCallback === true && isFields(request) && 'callback' in request
  if (status >= 400 || !sends) return undefined
  const expected = '400 with code 2004 for a request with `callback`'
  return { where: 'status', code: 'wrong-status', expected, got: String(status) }
}

function wrongCode({ route, response, json }: JudgedCall): Violation[] {
  const due = rulesOf(route.group.name).errorCodes?.[response.status]
  const code = valueAt(json, ['error', 'code'])
  if (due === undefined || code === due || typeof code !== 'number') return []
  const what = { where: 'body', pointer: '/error/code', code: 'wrong-value', got: shown(code) } as const
  return [{ ...what, expected: `${due} with status ${response.status}` }]
}

/**
 * A file with an unexpected media type, which the contract does not define. A store may only know
 * `application/octet-stream`.
 */
function wrongMedia({ route, exchange, response }: JudgedCall): Violation[] {
  const { method, url } = exchange.request
  const due = rulesOf(route.group.name).files
  if (due === undefined || method !== 'GET' || route.endpoint.response !== undefined) return []
  if (response.status >= 300) return []
  const isPreview = new URL(url).search.includes('variant=')
  const found = wrongType(response, isPreview ? /^(?:image|video)\// : due)
  if (found === undefined) return []
  return [{ where: 'headers', pointer: '/content-type', severity: 'warning', ...found }]
}

/** The error in a file's media type. */
function wrongType(
  { headers }: JudgedCall['response'],
  due: RegExp,
): Pick<Violation, 'code' | 'expected' | 'got'> | undefined {
  const type = (headerIn(headers, 'content-type') ?? '').toLowerCase()
  if (due.test(type) || /^(?:application|binary)\/octet-stream\b/.test(type)) return undefined
  const expected = `${due.source.replace(/\W+/g, ' ').trim().replaceAll(' ', ' or ')}/…`
  if (type === '') return { code: 'missing-value', expected, got: 'nothing' }
  return { code: 'wrong-value', expected, got: type }
}

const nothingAfterError: Invariant<JudgedStream> = {
  states: 'no events after an error',
  code: 'wrong-order',
  severity: 'warning',
  counterexample({ events }) {
    const at = events.findIndex(isError)
    const late = at < 0 ? -1 : events.findIndex(({ data }, index) => index > at && data !== '[DONE]')
    return late >= 0 && { got: `${nth(late)} after an error in ${nth(at)}` }
  },
}

/** The invariants of its group that a stream violates. */
export function judgeStream(call: JudgedCall): ContractFinding[] {
  const { route, request, response, exchange } = call
  const events = (eventsOf(response) ?? []).map(({ event, data }) => {
    const value = jsonIn(data)
    return { event, data, fields: isFields(value) ? value : undefined }
  })
  const failed = events.findIndex(isError)
  // The missing part may be in an unreadable event.
  const isReadable = events.every(({ data, fields }) => fields !== undefined || data === '[DONE]')
  const judged = {
    request: isFields(request) ? request : {},
    // Events before an error are judged; events after it violate a separate invariant.
    events: failed < 0 ? events : events.slice(0, failed),
    whole: failed < 0 && isReadable && exchange.ended === 'completed',
  }
  const cut: Violation = {
    where: 'stream',
    code: 'wrong-order',
    expected: 'a complete stream',
    got: `nothing after ${nth(events.length - 1)}`,
  }
  return [
    ...(exchange.ended === 'disconnected' ? [findingIn(call, cut)] : []),
    ...judgeInvariants([nothingAfterError], { ...judged, events }, call, 'stream'),
    ...judgeInvariants(rulesOf(route.group.name).streams ?? [], judged, call, 'stream'),
  ]
}
