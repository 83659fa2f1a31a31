/** What the response to one probe shows: violations, or why it says nothing. */

import { isFields, jsonIn, listOf } from '../engine/fields.ts'
import { wrongType } from '../judges/contract/judge-exchange.ts'
import { contractFinding, type Violation } from '../judges/finding.ts'
import type { RecordedCall } from '../judges/recorded-calls.ts'
import { type Seen, seen } from './check-findings.ts'
import { type Answered, type CheckRun, type Model, type Outcome, type Skipped, skipped } from './check-run.ts'
import type { CheckOptions } from './check-types.ts'
import { namesModel, type PlannedProbe } from './plan.ts'
import { isSameFile, valueIn } from './send-probe.ts'

/** Judges a response, unless it says nothing about the probe. */
export function outcomeOf(answered: Answered, run: CheckRun): Outcome {
  const { planned, call } = answered
  const { response } = call
  const reason = reasonToSkip(answered, run)
  if (reason !== undefined) {
    // A load balancer sends 502 to 504 in its own format.
    const isOfGateway = ![502, 503, 504].includes(response.status)
    return { ...reason, answered, violations: isOfGateway ? formViolations(call, run) : [] }
  }
  if (usesKey(planned)) run.groupsWithAccess.add(planned.route.group.name)
  const isFine = isExpected(planned, response.status) && response.status < 400
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
  if ([429, 502, 503, 504, 529].includes(status))
    return skipped('outage', planned, `the gateway was busy: ${words}`)
  if (isExpected(planned, status) && status !== 403) return undefined
  // 424: an upstream failed.
  if ((status >= 500 || status === 424) && typeof probe.expect?.status !== 'string')
    return skipped('outage', planned, `the gateway failed: ${words}`)
  const source = run.wrongSource(planned)
  if (source !== undefined) return skipped('dependent', planned, `depends on ${source}, which failed`)
  if (mayReject(planned, status))
    return skipped('rejected', planned, `${probe.mayReject?.because}; the gateway responds with ${words}`)
  const { id, given } = isModel ? run.modelOf(models) : { id: '', given: true }
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

function messageIn({ json }: RecordedCall): string | undefined {
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

/** The models of the groups: from `--model`, else listed by the gateway, else a guess. */
export async function chooseModels(
  plan: readonly PlannedProbe[],
  options: CheckOptions,
): Promise<ReadonlyMap<string, Model>> {
  const chosen = new Map<string, Model>(
    Object.entries(options.models ?? {}).map(([group, id]) => [group, { id, given: true }]),
  )
  const needed = plan.filter(({ probe, models: group }) => namesModel(probe.request) && !chosen.has(group))
  const listed = needed.length === 0 ? [] : await listModels(options)
  for (const { set, models: group } of needed) {
    if (chosen.has(group) || set.model === undefined) continue
    const { id: usual, names } = set.model
    // The shortest name is the plainest model: `gpt-4o`, not `gpt-4o-audio-preview`.
    const [plainest] = listed.filter((one) => names.test(one)).toSorted((a, b) => a.length - b.length)
    const found = listed.includes(usual) ? usual : plainest
    chosen.set(group, { id: found ?? usual, given: found !== undefined })
  }
  return chosen
}

// The list is not in the contract: without one, models are guessed.
async function listModels({ target, apiKey }: CheckOptions): Promise<readonly string[]> {
  const headers = { authorization: `Bearer ${apiKey}` }
  const { response } = await target.send(
    {
      operation: undefined,
      method: 'GET',
      url: `${target.base}/v1/models`,
      headers: {},
      key: 'the key',
      credential: 'authorization',
      body: undefined,
      init: { method: 'GET', headers, body: undefined },
    },
    { patience: 30_000 },
  )
  const body = response?.status === 200 ? jsonIn(response.body?.text) : undefined
  const ids = listOf(isFields(body) ? body['data'] : []).map((one) => (isFields(one) ? one['id'] : undefined))
  return ids.filter((id) => typeof id === 'string')
}

/** Checks against the contract and the expectation of the probe. */
function violationsOf(answered: Answered, run: CheckRun): Seen[] {
  const { call } = answered
  const wrong = wrongStatus(answered)
  // The body of an unexpected success does not matter.
  if (wrong !== undefined && call.response.status < 400) return [wrong]
  const form = formViolations(call, run)
  if (wrong !== undefined) return [wrong, ...form]
  return form.some(({ finding }) => finding.severity !== 'hint') ? form : [...form, ...otherFile(answered)]
}

const formViolations = (call: RecordedCall, run: CheckRun): Seen[] =>
  run.judge(call).map((finding) => seen(finding, call))

/** A violation of the statement that the probe tests. */
function seenBy({ planned, call }: Answered, violation: Omit<Violation, 'rule'>): Seen {
  const { states: rule, endpoint } = planned.probe
  return seen(contractFinding(endpoint.operation, call.exchange.seq, { ...violation, rule }), call)
}

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

function wrongStatus(answered: Answered): Seen | undefined {
  const { probe } = answered.planned
  const { status } = answered.call.response
  if (probe.expect === undefined || isExpected(answered.planned, status)) return undefined
  const { status: wanted } = probe.expect
  const expected = typeof wanted === 'string' ? rejectionNames[wanted] : wanted.join(' or ')
  const what = { where: 'status', code: 'wrong-status', expected, got: String(status) } as const
  const violation = seenBy(answered, what)
  // A gateway that fails on invalid input does so for every probe.
  return status >= 500 ? { ...violation, cause: `always ${status}` } : violation
}

/** The expected file, if the body differs from it. */
function otherFile(answered: Answered): Seen[] {
  const file = answered.planned.probe.expect?.file
  if (file === undefined) return []
  const { response } = answered.call
  if (!isSameFile(response, file)) {
    const got = `${response.body?.size ?? 0} different bytes`
    const expected = 'the bytes that were sent'
    return [seenBy(answered, { where: 'body', code: 'wrong-value', expected, got })]
  }
  const wrong = wrongType(response, new RegExp(`^${file.contentType}`))
  if (wrong === undefined) return []
  const what = { where: 'headers', pointer: '/content-type', severity: 'warning' } as const
  return [seenBy(answered, { ...what, ...wrong, expected: file.contentType })]
}
