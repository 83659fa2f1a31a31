/** Checks a recording offline: each exchange, each stream, and each job over all its polls. */

import { isFields, jsonIn } from '../engine/fields.ts'
import { bytesOf, type Exchange, headerIn, isLost } from '../exchange/exchange.ts'
import { createExchangeJudge, wrongType } from '../judges/contract/judge-exchange.ts'
import { judgeLifecycle, lifecycleOf } from '../judges/contract/judge-lifecycle.ts'
import { hasKey, type RecordedCall, sortRecording } from '../judges/recorded-calls.ts'
import { findings } from '../protocol/findings.ts'
import { type Violation, violating } from '../protocol/invariant.ts'
import { makeReport, type ReportOptions, type Seen, shown, shownExchange } from './check-findings.ts'
import type { CheckedProbe, CheckOptions, CheckReport, ClientError, SkippedProbe } from './check-types.ts'
import { isNamed } from './plan.ts'

export interface JudgedRecording {
  readonly seen: readonly Seen[]
  readonly checked: readonly CheckedProbe[]
  readonly skipped: readonly SkippedProbe[]
  readonly clientErrors: readonly ClientError[]
}

/** Makes the report of a live check. `name` is the name of the recording. */
export async function checkRecording(
  exchanges: readonly Exchange[],
  name: string,
  { only = [], ...options }: ReportOptions & Pick<CheckOptions, 'only'> = {},
): Promise<CheckReport> {
  const judged = await judgeRecording(exchanges)
  // Other operations are judged, too: a job has several.
  const asked = <One extends { readonly operation: string }>(all: readonly One[]): readonly One[] =>
    only.length === 0 ? all : all.filter(({ operation }) => isNamed(operation, only))
  const facts = {
    seen: asked(judged.seen),
    checked: asked(judged.checked),
    skipped: asked(judged.skipped),
    unchecked: only
      .filter((one) => !judged.checked.some(({ operation }) => isNamed(operation, [one])))
      .map((one) => ({ name: one, reason: 'no request was checked' })),
  }
  return {
    ...makeReport({ baseUrl: name, ...facts }, options),
    clientErrors: asked(judged.clientErrors),
  }
}

/** Checks the responses of a recording. Errors of the client are listed separately. */
export async function judgeRecording(
  exchanges: readonly Exchange[],
  judge = createExchangeJudge(),
): Promise<JudgedRecording> {
  const { calls, others } = await sortRecording(exchanges)
  const keysAreShown = calls.some(hasKey)
  const clientErrors: ClientError[] = []
  const found: FoundViolation[] = []
  const lost = calls.filter(({ response }) => isLost(response))
  const whole = calls.filter(({ response }) => !isLost(response))
  for (const call of whole) {
    const { exchange, route } = call
    const errors = requestErrors(call)
    if (errors.length > 0)
      clientErrors.push({ operation: route.endpoint.operation, source: exchange.source ?? '', errors })
    const open = keysAreShown ? answeredWithoutKey(call) : undefined
    const violations = open ?? brokeDown(call, errors) ?? judge(judgedOf(call))
    for (const violation of [violations].flat()) found.push({ violation, exchange })
  }
  const isNew = ({ violation: { operation, pointer } }: FoundViolation): boolean =>
    !found.some(
      ({ violation: known }) => known.pointer === pointer && groupOf(known.operation) === groupOf(operation),
    )
  const overTime = lifecycles(whole.filter(({ response }) => response.status < 400)).filter(isNew)
  // Uploads and results may use other hosts: search the whole recording.
  found.push(...overTime, ...unreadableUploads(exchanges, whole), ...contentAndState(whole))
  found.push(...strangeFiles(exchanges, whole))
  return {
    seen: found.map(seenOf),
    checked: whole.map(inWords),
    skipped: [
      ...others.map(({ reason, ...call }) => ({ ...inWords(call), reason })),
      ...lost.map((call) => ({ ...inWords(call), reason: 'the response body was not recorded' })),
    ],
    clientErrors,
  }
}

const groupOf = (operation: string): string => operation.split('.', 1)[0] ?? ''

const inWords = ({
  exchange,
  route,
}: Pick<RecordedCall, 'exchange'> & Partial<RecordedCall>): CheckedProbe => ({
  operation: route?.endpoint.operation ?? '',
  probe: exchange.source ?? '',
  request: `${exchange.request.method} ${exchange.request.url}`,
})

function seenOf({ violation, exchange }: FoundViolation): Seen {
  const { request, response, source = '' } = exchange
  const { status = 0, headers = [] } = response ?? {}
  const body = bytesOf(response?.body)
  const hidden: readonly string[] = ['authorization', 'x-api-key', 'x-goog-api-key', 'cookie']
  return {
    ...shown(violation),
    probe: source,
    exchange: shownExchange({
      request: {
        method: request.method,
        url: request.url,
        headers: Object.fromEntries(request.headers.filter(([name]) => !hidden.includes(name))),
        body: jsonIn(bytesOf(request.body)),
      },
      response: {
        status,
        headers: { get: (name) => headerIn(headers, name) },
        body: new TextDecoder().decode(body),
        size: body.length,
        json: jsonIn(body),
      },
    }),
  }
}

function judgedOf(call: RecordedCall): Parameters<ReturnType<typeof createExchangeJudge>>[0] {
  const { exchange, route, params, request, response } = call
  const { method, url } = exchange.request
  return {
    route,
    params,
    method,
    url,
    request,
    ended: exchange.ended === 'open' ? 'aborted' : exchange.ended,
    response: {
      status: response.status,
      headers: { get: (name) => headerIn(response.headers, name) },
      body: bytesOf(response.body),
      redacted: exchange.redacted.flatMap((mark) =>
        mark.startsWith('response:/') ? [mark.slice('response:'.length)] : [],
      ),
    },
  }
}

function answeredWithoutKey(call: RecordedCall): Violation | undefined {
  const { endpoint } = call.route
  if (endpoint.open === true || hasKey(call) || call.response.status >= 400) return undefined
  const expected = '401 for a request without an API key'
  return { operation: endpoint.operation, ...violating('contract 5', { ...statusOf(call), expected }) }
}

const statusOf = ({ response }: RecordedCall) =>
  ({ where: 'status', kind: 'status', got: String(response.status) }) as const

function brokeDown(call: RecordedCall, [error]: readonly string[]): Violation | undefined {
  if (error === undefined || call.response.status !== 500) return undefined
  const expected = `a rejection (4xx) for an invalid request (${error})`
  const what = { ...statusOf(call), severity: 'doubtful', expected } as const
  return { operation: call.route.endpoint.operation, ...violating('contract 7', what) }
}

function lifecycles(answered: readonly RecordedCall[]): FoundViolation[] {
  const byId = new Map<string, RecordedCall[]>()
  for (const call of answered) {
    const id = lifecycleOf(call.route, call.params, call.json)
    if (id === undefined || !isFields(call.json)) continue
    const { request, session } = call.exchange
    const place = JSON.stringify([new URL(request.url).origin, session, id])
    const lifecycle = byId.get(place) ?? []
    // The order of overlapping polls is unknown.
    const before = lifecycle.at(-1)?.exchange
    if (before === undefined || before.at + before.endedAfter <= call.exchange.at) lifecycle.push(call)
    byId.set(place, lifecycle)
  }
  return [...byId.values()].flatMap((lifecycle) =>
    judgeLifecycle(lifecycle.map(({ route, json: response }) => ({ route, response }))).map((violation) => ({
      violation,
      exchange: (lifecycle.at(-1) as RecordedCall).exchange,
    })),
  )
}

/** Where a request violates the contract: the client's error, not the gateway's. */
function requestErrors({ route, request }: RecordedCall): readonly string[] {
  if (route.reader.fields === undefined || !route.endpoint.accepts.includes('json') || !isFields(request))
    return []
  const result = route.reader.fields(request)
  if (result.success) return []
  return findings(result.error, request, 3).map(
    ({ field, message }) => `${field === '' ? 'body' : field}: ${message}`,
  )
}

interface FoundViolation {
  readonly violation: Violation
  readonly exchange: Exchange
}

/** An uploaded file that cannot be read at its `visit_url` right after. */
function unreadableUploads(exchanges: readonly Exchange[], calls: readonly RecordedCall[]): FoundViolation[] {
  return calls.flatMap(({ route, json, exchange: granted }) => {
    if (route.endpoint.upload !== 'grant' || !isFields(json)) return []
    const { upload_url: to, visit_url: at } = json
    const later = exchanges.filter(({ at: startedAt }) => startedAt >= granted.at)
    const sent = later.find(({ request, response }) => isAt(request.url, to) && isSuccess(response?.status))
    if (sent === undefined) return []
    const read = later.find(
      ({ request, at: startedAt }) =>
        request.method === 'GET' && startedAt >= sent.at && isAt(request.url, at),
    )
    if (read?.response === undefined) return []
    const { status } = read.response
    const sentType = headerIn(sent.request.headers, 'content-type')?.split(';')[0] ?? ''
    const isTyped = status === 200 && sentType !== ''
    const readType = headerIn(read.response.headers, 'content-type')
    const wrong = isTyped ? wrongType(readType, new RegExp(`^${sentType}`)) : undefined
    if (status < 400 && wrong === undefined) return []
    const what = {
      ...({ where: 'body', pointer: '/visit_url', kind: 'value' } as const),
      severity: wrong === undefined ? ('breaking' as const) : ('doubtful' as const),
      expected: 'a URL of the uploaded file',
      got: wrong === undefined ? `status ${status} from this URL` : `${wrong.got} from this URL`,
    }
    const { operation } = route.endpoint
    return [{ exchange: read, violation: { operation, ...violating('contract 2.5', what) } }]
  })
}

function* linksIn(value: unknown, pointer = ''): Generator<readonly [pointer: string, link: string]> {
  if (typeof value === 'string' && /\/(?:url|uri|urls\/\d+)$/.test(pointer)) yield [pointer, value]
  if (value === null || typeof value !== 'object') return
  for (const [name, one] of Object.entries(value)) yield* linksIn(one, `${pointer}/${name}`)
}

/** Downloaded results that are neither images nor videos. Known operations are checked elsewhere. */
function strangeFiles(exchanges: readonly Exchange[], calls: readonly RecordedCall[]): FoundViolation[] {
  const known = new Set(calls.map(({ exchange }) => exchange))
  const fetched = exchanges.filter((one) => one.request.method === 'GET' && !known.has(one))
  const told = new Set<Exchange>()
  return calls.flatMap(({ route, json }) =>
    [...linksIn(json)].flatMap(([pointer, link]): FoundViolation[] => {
      const exchange = fetched.find(({ request }) => isAt(request.url, link))
      const { response } = exchange ?? {}
      if (exchange === undefined || response?.status !== 200 || told.has(exchange)) return []
      told.add(exchange)
      const wrong = wrongType(headerIn(response.headers, 'content-type'), /^(?:image|video)\//)
      if (wrong === undefined) return []
      const what = { where: 'body', pointer, severity: 'doubtful', ...wrong } as const
      const { operation } = route.endpoint
      return [{ exchange, violation: { operation, ...violating('contract 4', what) } }]
    }),
  )
}

// Signatures are redacted in recordings: URLs are compared without their queries.
const isAt = (url: string, link: unknown): boolean =>
  typeof link === 'string' && url.split('?')[0] === link.split('?')[0]

const isSuccess = (status: number | undefined): boolean => status === 200 || status === 201

/** Video content served before the video is completed, or missing afterwards. */
function contentAndState(calls: readonly RecordedCall[]): FoundViolation[] {
  return calls.flatMap((call, index) => {
    const { endpoint } = call.route
    const isContent =
      endpoint.method === 'GET' && endpoint.job?.about !== undefined && endpoint.job?.polls === undefined
    if (!isContent) return []
    const id = Object.values(call.params)[0]
    const polls = (part: readonly RecordedCall[]): RecordedCall[] =>
      part.filter(
        (other) =>
          other.route.endpoint.job?.polls === endpoint.job?.about &&
          Object.values(other.params)[0] === id &&
          other.exchange.session === call.exchange.session &&
          other.response.status < 400,
      )
    const last = polls(calls.slice(0, index)).at(-1)
    const before = stateIn(last, call.exchange.at)
    const after = stateIn(polls(calls.slice(index + 1))[0], 0)
    const { status } = call.response
    const isEarly = status < 400 && after !== undefined && !['completed', 'failed'].includes(after)
    const isRejectedEarly = [400, 404, 409].includes(status) && before === 'completed' && after !== 'failed'
    if (!isEarly && !isRejectedEarly) return []
    const wrong = isEarly
      ? { expected: 'a rejection before the video is completed', got: `${status} before status ${after}` }
      : { expected: 'the file of a completed video', got: `${status} after status ${before}` }
    const what = { where: 'status', kind: 'status', ...wrong } as const
    const violation = { operation: endpoint.operation, ...violating('contract 4.6', what) }
    return [{ exchange: call.exchange, violation }]
  })
}

function stateIn(call: RecordedCall | undefined, now: number): string | undefined {
  const { status, expires_at: expiresAt } = isFields(call?.json) ? call.json : {}
  if (typeof expiresAt === 'number' && expiresAt * 1000 <= now) return 'expired'
  return typeof status === 'string' ? status : undefined
}
