/** Sends one probe, and says what its response shows: violations, or why it says nothing. */

import { formatDuration } from '../engine/duration.ts'
import { judgeLifecycle } from '../judges/contract/judge-lifecycle.ts'
import { contractFinding, placeOf } from '../judges/finding.ts'
import type { JudgedCall } from '../judges/judged-calls.ts'
import type { Polling } from '../protocol/probe.ts'
import { type Seen, seen } from './check-findings.ts'
import { type Answered, type CheckRun, type Outcome, type Skipped, skipped } from './check-run.ts'
import { groupNameOf, namesModel, type PlannedProbe, referencesIn } from './plan.ts'
import { busy, maxPause, requestOf, retryAfterOf, send, valueIn } from './send-probe.ts'

/** Judges a response, unless it says nothing about the probe. */
function outcomeOf(answered: Answered, run: CheckRun): Outcome {
  const { planned, call } = answered
  const { status } = call.response
  const reason = reasonToSkip(answered, run)
  if (reason !== undefined) {
    // A load balancer sends 502 to 504 in its own format.
    const isOfGateway = ![502, 503, 504].includes(status)
    return { ...reason, answered, violations: isOfGateway ? formViolations(call, run) : [] }
  }
  if (usesKey(planned)) run.groupsWithAccess.add(planned.route.group.name)
  const isFine = isExpected(planned, status) && status < 400
  return {
    kind: 'judged',
    planned,
    answered,
    violations: violationsOf(answered, run),
    unusable: isFine ? undefined : `depends on ${planned.probe.name}, which was rejected`,
  }
}

/** Whether the request contains the API key: requests to links of responses do not. */
export const usesKey = ({ probe: { request } }: PlannedProbe): boolean =>
  request.key !== false && request.to === undefined

/** Why the response says nothing about the probe. */
function reasonToSkip(answered: Answered, run: CheckRun): Skipped | undefined {
  const { planned, call } = answered
  const { probe, route, models } = planned
  const { status } = call.response
  const message = messageIn(call)
  const words = `${status}${message === undefined ? '' : `: ${message.slice(0, 200)}`}`
  const isModel = speaksOfModel(answered) && namesModel(probe.request)
  if (isKeyRejected(answered, run) && !isModel) {
    const reason = `${words} (sent as ${route.group.credentials[0]?.header})`
    run.rejectedKeys.set(route.group.name, reason)
    return skipped('rejected', planned, reason)
  }
  if (busy.includes(status)) return skipped('outage', planned, `the gateway was busy: ${words}`)
  if (isExpected(planned, status) && status !== 403) return undefined
  // 424: an upstream failed.
  if ((status >= 500 || status === 424) && typeof probe.expect?.status !== 'string')
    return skipped('outage', planned, `the gateway failed: ${words}`)
  const source = run.wrongSource(planned)
  if (source !== undefined) return skipped('dependent', planned, `depends on ${source}, which failed`)
  if (mayReject(planned, status))
    return skipped('rejected', planned, `${probe.mayReject?.because}; the gateway responds with ${words}`)
  const { id, given } = isModel ? run.modelOf(planned) : { id: '', given: true }
  if (!isModel || (given && ![403, 404].includes(status))) return undefined
  const remedy = `name another model with --model ${models}=ID (${words})`
  return skipped('rejected', planned, `the gateway rejects the model ${id}: ${remedy}`)
}

/** 401, or no credit (402) or access (403) from a group that has not accepted the key yet. */
function isKeyRejected({ planned, call }: Answered, run: CheckRun): boolean {
  const { status } = call.response
  if (!usesKey(planned) || mayReject(planned, status)) return false
  return (
    status === 401 || ([402, 403].includes(status) && !run.groupsWithAccess.has(planned.route.group.name))
  )
}

function messageIn({ json }: JudgedCall): string | undefined {
  const message = valueIn(json, '/error/message')
  return typeof message === 'string' ? message : undefined
}

/** Whether a rejection is about the model. A repeated path does not count. */
export function speaksOfModel({ call }: Answered): boolean {
  const { pathname } = new URL(call.exchange.request.url)
  const message = messageIn(call) ?? ''
  return /model/i.test(message.replaceAll(decodeURIComponent(pathname), '').replaceAll(pathname, ''))
}

export const mayReject = ({ probe }: PlannedProbe, status: number): boolean =>
  probe.mayReject?.status.includes(status) === true

/** Checks against the contract and the expectation of the probe. */
function violationsOf(answered: Answered, run: CheckRun): Seen[] {
  const { call } = answered
  const wrong = wrongStatus(answered)
  // The body of an unexpected success does not matter.
  if (wrong !== undefined && call.response.status < 400) return [wrong]
  const form = formViolations(call, run)
  return wrong === undefined ? form : [wrong, ...form]
}

const formViolations = (call: JudgedCall, run: CheckRun): Seen[] =>
  run.judge(call).map((finding) => seen(finding, call))

function isExpected({ probe }: PlannedProbe, status: number): boolean {
  const { expect } = probe
  if (expect === undefined) return true
  if (typeof expect.status !== 'string') return expect.status.includes(status)
  const isThere = expect.status === 'rejected' || (status !== 404 && status !== 405)
  return status >= 400 && status < 500 && isThere
}

const rejectionNames = {
  rejected: 'a rejection (4xx)',
  invalid: 'a rejection (4xx) other than 404 and 405',
} as const

function wrongStatus({ planned, call }: Answered): Seen | undefined {
  const { expect, states, endpoint } = planned.probe
  const { status } = call.response
  if (expect === undefined || isExpected(planned, status)) return undefined
  const { status: wanted } = expect
  const finding = contractFinding(endpoint.operation, call.exchange.seq, {
    rule: states,
    where: 'status',
    code: 'wrong-status',
    expected: typeof wanted === 'string' ? rejectionNames[wanted] : wanted.join(' or '),
    got: String(status),
  })
  const violation = seen(finding, call)
  // A gateway that fails on invalid input does so for every probe.
  return status >= 500 ? { ...violation, cause: `always ${status}` } : violation
}

/** How long to wait for one job, in milliseconds. */
const jobTimeout = 600_000

/** The pause before the next poll: short at first, then five seconds. */
function pollInterval(waited: number): number {
  if (waited < 5000) return 1000
  return waited < 30_000 ? 2500 : 5000
}

/** Sends a probe, and judges its response. A job is polled until it has finished; each response is judged. */
export async function sendProbe(planned: PlannedProbe, run: CheckRun): Promise<Outcome> {
  const { probe, set } = planned
  const { onProgress } = run.options
  const wire = await requestOf(planned, run)
  const polls: Poll[] = []
  let waited = 0
  await send(wire, planned, run, (call) => {
    run.hasBeenAnswered = true
    const answered = { planned, call }
    const poll = { answered, outcome: outcomeOf(answered, run) }
    polls.push(poll)
    const { polling } = probe
    if (polling === undefined) return undefined
    // It is polled once more after the end: a terminal state must not change.
    if (polls.some((one) => one !== poll && hasEnded(one, polling))) return undefined
    if (hasEnded(poll, polling)) return 0
    if (isStuck(poll, polling) || waited >= jobTimeout) return undefined
    onProgress?.(groupNameOf(set), `${probe.name}: waiting`)
    const pause = Math.max(Math.min(retryAfterOf(call.response) ?? 0, maxPause), pollInterval(waited))
    waited += pause
    return pause
  })
  const [first] = polls as [Poll]
  return probe.polling === undefined ? first.outcome : jobOutcome(polls, probe.polling, run)
}

interface Poll {
  readonly answered: Answered
  readonly outcome: Outcome
}

const hasEnded = ({ answered }: Poll, { until, pointer }: Polling): boolean =>
  until.includes(valueIn(answered.call.json, pointer))

/** After an error, or a state that is not in the contract, the next state is unknown. */
function isStuck({ answered, outcome }: Poll, { pointer: state }: Polling): boolean {
  const isStrange = outcome.violations.some(({ finding }) => {
    const { where, pointer } = placeOf(finding)
    const isState = pointer === '' || pointer === state
    return where === 'body' && finding.severity !== 'hint' && isState
  })
  return answered.call.response.status >= 400 || isStrange
}

function jobOutcome(polls: readonly Poll[], polling: Polling, run: CheckRun): Outcome {
  const last = polls.at(-1) as Poll
  const { answered } = last
  const { planned } = answered
  const { name } = planned.probe
  const outcomes = polls.map(({ outcome }) => outcome)
  const shown = outcomes.flatMap((outcome) => outcome.violations)
  const violations = [...shown, ...lifecycleViolations(answered, outcomes, run)]
  const unjudged = outcomes.find(({ kind }) => kind !== 'judged')
  if (unjudged !== undefined) return { ...unjudged, violations }
  const end = polls.find((poll) => hasEnded(poll, polling))
  if (end === undefined && !isStuck(last, polling)) {
    const reason = `did not finish within ${formatDuration(jobTimeout)}`
    return { ...skipped('outage', planned, reason), answered, violations }
  }
  const isUsable = end !== undefined && hasSucceeded(polling, end.answered.call)
  const unusable = isUsable ? undefined : `depends on ${name}, which did not succeed`
  return { kind: 'judged', planned, answered, violations, unusable }
}

function hasSucceeded({ succeeded }: Polling, { json }: JudgedCall): boolean {
  const value = valueIn(json, succeeded.pointer)
  return succeeded.is === undefined ? value !== undefined && value !== null : succeeded.is.includes(value)
}

/** Except violations that single responses have already shown, those of the submission included. */
function lifecycleViolations(answered: Answered, polls: readonly Outcome[], run: CheckRun): Seen[] {
  const [name] = referencesIn(answered.planned.probe.request).flatMap(({ $from }) => $from)
  const submission = name === undefined ? undefined : run.outcomes.get(name)
  const before = submission?.answered === undefined ? [] : [submission]
  const all = [...before, ...polls]
  const known = new Set(
    all.flatMap(({ violations }) => violations.map(({ finding }) => placeOf(finding).pointer)),
  )
  const calls = all.flatMap(({ answered: one }) =>
    one === undefined || one.call.response.status >= 400 ? [] : [one.call],
  )
  return judgeLifecycle(calls)
    .filter((finding) => !known.has(placeOf(finding).pointer))
    .map((finding) => seen(finding, answered.call))
}
