/** Checks a recording offline: each exchange, each stream, and each job over all its polls. */

import { isFields } from '../engine/fields.ts'
import { type Exchange, isLost } from '../exchange/exchange.ts'
import { createJudge } from '../judges/contract/judge-exchange.ts'
import { judgeLifecycle, lifecycleOf } from '../judges/contract/judge-lifecycle.ts'
import { type ContractFinding, contractFinding, placeOf } from '../judges/finding.ts'
import { hasKey, type JudgedCall, sortRecording } from '../judges/judged-calls.ts'
import { fieldErrors } from '../protocol/field-errors.ts'
import { makeReport, type ReportOptions, type Seen, seen } from './check-findings.ts'
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
  const operationOf = ({ finding }: Seen): string => finding.args.operation
  // Other operations are judged, too: a job has several.
  const asked = <One extends { readonly operation: string }>(all: readonly One[]): readonly One[] =>
    only.length === 0 ? all : all.filter(({ operation }) => isNamed(operation, only))
  const facts = {
    seen: judged.seen.filter((one) => only.length === 0 || isNamed(operationOf(one), only)),
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
  judge = createJudge(),
): Promise<JudgedRecording> {
  const { calls, others } = await sortRecording(exchanges)
  const keysAreShown = calls.some(hasKey)
  const clientErrors: ClientError[] = []
  const found: Seen[] = []
  const lost = calls.filter(({ response }) => isLost(response))
  const whole = calls.filter(({ response }) => !isLost(response))
  for (const call of whole) {
    const { exchange, route } = call
    const errors = requestErrors(call)
    if (errors.length > 0)
      clientErrors.push({ operation: route.endpoint.operation, source: exchange.source ?? '', errors })
    const open = keysAreShown ? answeredWithoutKey(call) : undefined
    const findings = open === undefined ? judge(call) : [open]
    for (const finding of findings) found.push(seen(finding, call))
  }
  const placeIn = ({ finding }: Seen): string => `${groupOf(finding)} ${placeOf(finding).pointer}`
  const known = new Set(found.map(placeIn))
  found.push(
    ...lifecycles(whole.filter(({ response }) => response.status < 400)).filter(
      (one) => !known.has(placeIn(one)),
    ),
  )
  return {
    seen: found,
    checked: whole.map(inWords),
    skipped: [
      ...others.map(({ reason, ...call }) => ({ ...inWords(call), reason })),
      ...lost.map((call) => ({ ...inWords(call), reason: 'the response body was not recorded' })),
    ],
    clientErrors,
  }
}

const groupOf = ({ args }: ContractFinding): string => args.operation.split('.', 1)[0] ?? ''

const inWords = ({ exchange, route }: Pick<JudgedCall, 'exchange'> & Partial<JudgedCall>): CheckedProbe => ({
  operation: route?.endpoint.operation ?? '',
  probe: exchange.source ?? '',
  request: `${exchange.request.method} ${exchange.request.url}`,
})

function answeredWithoutKey(call: JudgedCall): ContractFinding | undefined {
  const { endpoint } = call.route
  if (endpoint.open === true || hasKey(call) || call.response.status >= 400) return undefined
  return contractFinding(endpoint.operation, call.exchange.seq, {
    where: 'status',
    code: 'wrong-status',
    expected: '401 for a request without an API key',
    got: String(call.response.status),
  })
}

function lifecycles(answered: readonly JudgedCall[]): Seen[] {
  const byId = new Map<string, JudgedCall[]>()
  for (const call of answered) {
    const id = lifecycleOf(call)
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
    judgeLifecycle(lifecycle).map((finding) => seen(finding, lifecycle.at(-1) as JudgedCall)),
  )
}

/** Where a request violates the contract: the client's error, not the gateway's. */
function requestErrors({ route, request }: JudgedCall): readonly string[] {
  if (route.reader.fields === undefined || !route.endpoint.accepts.includes('json') || !isFields(request))
    return []
  const result = route.reader.fields(request)
  if (result.success) return []
  return fieldErrors(result.error, request, 3).map(
    ({ field, message }) => `${field === '' ? 'body' : field}: ${message}`,
  )
}
