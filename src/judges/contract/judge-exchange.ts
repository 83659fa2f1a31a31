/** Judges one exchange by the contract: the response's schema, and whether it fits the request. */

import { rulesOf } from '../../endpoints/invariants.ts'
import { isFields, jsonIn } from '../../engine/fields.ts'
import { anyItem, isAtOrBelow } from '../../engine/pointer.ts'
import { typedReading } from '../../protocol/contract-reading.ts'
import {
  askedId,
  type Invariant,
  isError,
  type JudgedAnswer,
  type JudgedStream,
  judge,
  nth,
  shown,
  shownId,
  type Violation,
  violating,
} from '../../protocol/invariant.ts'
import { createEventParser } from '../../protocol/parse-events.ts'
import type { StreamEvent } from '../../protocol/read-stream.ts'
import type { Route } from '../../protocol/router.ts'
import { valueAt } from '../../protocol/wording.ts'
import { createJudge, type JudgedResponse } from './judge-response.ts'

const showsWhatWasAsked: Invariant<JudgedAnswer> = {
  section: 'contract 2',
  states: 'the requested id',
  kind: 'value',
  severity: 'breaking',
  counterexample(answer) {
    const [asked, got] = [askedId(answer), shownId(answer.response)]
    const isOther = asked !== undefined && got !== undefined && got !== asked
    return (
      isOther && { pointer: typeof answer.response['id'] === 'string' ? '/id' : '/name', got: shown(got) }
    )
  },
}

/** The invariants of its group that a plain response violates. `judgeResponse` checks its schema. */
function judgeAnswer({ route: { endpoint, group }, params, request, response }: JudgedExchange): Violation[] {
  const body = jsonIn(response.body)
  if (!isFields(body)) return []
  const answer: JudgedAnswer = { endpoint, params, request: isFields(request) ? request : {}, response: body }
  return judge([showsWhatWasAsked, ...(rulesOf(group.name).answers ?? [])], answer, {
    operation: endpoint.operation,
    where: 'body',
  })
}

export interface JudgedExchange {
  readonly route: Route
  readonly params: Readonly<Record<string, string>>
  readonly method: string
  readonly url: string
  /** The parsed body of the request; of a form, its text fields. */
  readonly request: unknown
  readonly response: JudgedResponse
  /** Whether the response is complete, or who disconnected. Default: complete. */
  readonly ended?: 'completed' | 'aborted' | 'disconnected'
}

/** A judge of exchanges. It derives the rules of the contract once, so reuse it. */
export function createExchangeJudge(): (exchange: JudgedExchange) => Violation[] {
  const judgeResponse = createJudge(typedReading)
  return (exchange) => {
    const { route, method, request, response, ended = 'completed' } = exchange
    const callback = callbackTaken(exchange)
    if (callback !== undefined) return [callback]
    const isStream = /^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '')
    // An incomplete body cannot be checked against its schema.
    if (ended !== 'completed' && !isStream) return ended === 'aborted' ? [] : [brokenOff(exchange)]
    const events = isStream ? (response.events ?? readEvents(response.body)) : undefined
    const shape = judgeResponse(route, { ...response, events }, { method, streams: asksForStream(request) })
    if (response.status >= 400) return [...shape, ...wrongCode(exchange)]
    const invariants =
      events !== undefined && route.endpoint.event !== undefined
        ? judgeStream(route, { request, events, ended })
        : judgeAnswer(exchange)
    const broken = [...invariants, ...wrongMedia(exchange)].filter(
      (invariant) => !isRedacted(invariant, response),
    )
    // Invariants are meaningful only if the types of the events are right.
    if (events !== undefined && shape.some(isStructural)) return shape
    return [
      ...shape.filter((one) => !broken.some((invariant) => outranks(invariant, one))),
      ...broken.filter((invariant) => !isKnown(invariant, shape)),
    ]
  }
}

const asksForStream = (request: unknown): boolean =>
  isFields(request) && (request['stream'] === true || request['stream'] === 'true')

const isStructural = ({ pointer, severity }: Violation): boolean =>
  severity !== 'addition' && /\/(?:type|index|choices|delta)$/.test(pointer)

/** Whether an invariant names the missing member of a variant more precisely than the schema. */
const outranks = (invariant: Violation, shape: Violation): boolean =>
  invariant.kind === 'missing' &&
  shape.kind === 'missing' &&
  invariant.severity === 'breaking' &&
  invariant.pointer !== shape.pointer &&
  parentOf(invariant.pointer) !== '' &&
  parentOf(invariant.pointer) === parentOf(shape.pointer)

const parentOf = (pointer: string): string => pointer.slice(0, pointer.lastIndexOf('/'))

/** Whether the schema already reports the same place: an invariant would repeat it. */
function isKnown({ pointer }: Violation, shape: readonly Violation[]): boolean {
  const place = anyItem(pointer)
  return shape.some((other) => {
    const known = anyItem(other.pointer)
    const isNear = place !== '' && known !== '' && (isAtOrBelow(known, place) || isAtOrBelow(place, known))
    return other.severity !== 'addition' && (known === place || isNear)
  })
}

const isRedacted = ({ pointer }: Violation, { redacted = [] }: JudgedResponse): boolean =>
  pointer !== '' && redacted.some((place) => isAtOrBelow(pointer, place))

function brokenOff({ route, response }: JudgedExchange): Violation {
  const got = `${response.body.length} bytes before the connection broke`
  const what = { where: 'body', kind: 'format', expected: 'a complete body', got } as const
  return { operation: route.endpoint.operation, ...violating('contract 1', what) }
}

/** A submission with a `callback` that was not rejected. */
function callbackTaken({ route, request, response: { status } }: JudgedExchange): Violation | undefined {
  const { operation, job: { submits } = {} } = route.endpoint
  const sends = submits?.rejectsCallback === true && isFields(request) && 'callback' in request
  if (status >= 400 || !sends) return undefined
  const expected = '400 with code 2004 for a request with `callback`'
  const what = { where: 'status', kind: 'status', expected, got: String(status) } as const
  return { operation, ...violating('contract 4.1', what) }
}

function wrongCode({ route, response }: JudgedExchange): Violation[] {
  const due = rulesOf(route.group.name).errorCodes?.[response.status]
  const code = valueAt(jsonIn(response.body), ['error', 'code'])
  if (due === undefined || code === due || typeof code !== 'number') return []
  const what = { where: 'body', pointer: '/error/code', kind: 'value', got: shown(code) } as const
  const expected = `${due} with status ${response.status}`
  return [{ operation: route.endpoint.operation, ...violating('contract 7', { ...what, expected }) }]
}

/**
 * A file with an unexpected media type, which the contract does not define. A store may only know
 * `application/octet-stream`.
 */
function wrongMedia({ route, url, method, response }: JudgedExchange): Violation[] {
  const { endpoint, group } = route
  const due = rulesOf(group.name).files
  if (due === undefined || method !== 'GET' || endpoint.response !== undefined || response.status >= 300)
    return []
  const isPreview = new URL(url).search.includes('variant=')
  const found = wrongType(response.headers.get('content-type'), isPreview ? /^(?:image|video)\// : due)
  if (found === undefined) return []
  const what = { where: 'headers', pointer: '/content-type', severity: 'doubtful', ...found } as const
  return [{ operation: endpoint.operation, ...violating('contract 4', what) }]
}

/** The error in a file's media type. */
function wrongType(
  type: string | null | undefined,
  due: RegExp,
): Pick<Violation, 'kind' | 'expected' | 'got'> | undefined {
  const named = (type ?? '').toLowerCase()
  if (due.test(named) || /^(?:application|binary)\/octet-stream\b/.test(named)) return undefined
  const expected = `${due.source.replace(/\W+/g, ' ').trim().replaceAll(' ', ' or ')}/…`
  return { kind: named === '' ? 'missing' : 'value', expected, got: named === '' ? 'nothing' : named }
}

const nothingAfterError: Invariant<JudgedStream> = {
  section: 'wire-formats 1.6',
  states: 'no events after an error',
  kind: 'order',
  severity: 'doubtful',
  counterexample({ events }) {
    const at = events.findIndex(isError)
    const late = at < 0 ? -1 : events.findIndex(({ data }, index) => index > at && data !== '[DONE]')
    return late >= 0 && { got: `${nth(late)} after an error in ${nth(at)}` }
  },
}

/** The invariants of its group that a stream violates. `ended` says who disconnected. */
export function judgeStream(
  { endpoint, group }: Route,
  stream: {
    readonly request: unknown
    readonly events: readonly StreamEvent[]
    readonly ended: 'completed' | 'aborted' | 'disconnected'
  },
): Violation[] {
  const events = stream.events.map(({ event, data }) => {
    const value = jsonIn(data)
    return { event, data, fields: isFields(value) ? value : undefined }
  })
  const failed = events.findIndex(isError)
  // The missing part may be in an unreadable event.
  const isReadable = events.every(({ data, fields }) => fields !== undefined || data === '[DONE]')
  const judged = {
    request: isFields(stream.request) ? stream.request : {},
    // Events before an error are judged; events after it violate a separate invariant.
    events: failed < 0 ? events : events.slice(0, failed),
    whole: failed < 0 && isReadable && stream.ended === 'completed',
  }
  const at = { operation: endpoint.operation, where: 'stream' } as const
  const got = `nothing after ${nth(events.length - 1)}`
  const brokenOff = {
    where: 'stream',
    kind: 'order',
    expected: 'a complete stream',
    got,
  } as const
  return [
    ...(stream.ended === 'disconnected' ? [{ ...at, ...violating('contract 6', brokenOff) }] : []),
    ...judge([nothingAfterError], { ...judged, events }, at),
    ...judge(rulesOf(group.name).streams ?? [], judged, at),
  ]
}

/** The events of a body, without an incomplete last event. */
export function readEvents(body: Uint8Array | string): readonly StreamEvent[] {
  const events: StreamEvent[] = []
  const parser = createEventParser({ onEvent: ({ event, data }) => events.push({ event, data }) })
  parser.feed(typeof body === 'string' ? body : new TextDecoder().decode(body))
  return events
}
