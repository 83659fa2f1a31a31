/** Checks a recording offline: each exchange, each stream, and each job over all its polls. */

import { isFields, jsonIn } from '../engine/fields.ts'
import { bytesOf, type Exchange, headerIn, isLost } from '../exchange/exchange.ts'
import { createExchangeJudge } from '../judges/contract/judge-exchange.ts'
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
    isComplete: true,
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
    const violations = open === undefined ? judge(judgedOf(call)) : [open]
    for (const violation of violations) found.push({ violation, exchange })
  }
  const isNew = ({ violation: { operation, pointer } }: FoundViolation): boolean =>
    !found.some(
      ({ violation: known }) => known.pointer === pointer && groupOf(known.operation) === groupOf(operation),
    )
  found.push(...lifecycles(whole.filter(({ response }) => response.status < 400)).filter(isNew))
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
  const what = { where: 'status', kind: 'status', expected, got: String(call.response.status) } as const
  return { operation: endpoint.operation, ...violating('contract 5', what) }
}

function lifecycles(answered: readonly RecordedCall[]): FoundViolation[] {
  const byId = new Map<string, RecordedCall[]>()
  for (const call of answered) {
    const id = lifecycleOf(call.route, call, call.json)
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
