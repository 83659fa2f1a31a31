/** Failures that a whole operation, group or gateway shares: one violation, or one reason. */

import { grouped } from '../engine/fields.ts'
import { violating } from '../protocol/invariant.ts'
import type { PlannedProbe } from './plan.ts'
import {
  type Answered,
  mayReject,
  type Outcome,
  saidIn,
  speaksOfModel,
  usesKey,
  withExchange,
} from './probe-run.ts'

/**
 * An operation that answers 404, 405 or 501 to every request with an API key is one violation: it is missing.
 */
export function withAbsences(outcomes: readonly Outcome[]): Outcome[] {
  const isNoRoute = ({ answered }: Outcome): boolean =>
    [404, 405, 501].includes(answered?.response.status ?? 0) && !speaksOfModel(answered as Answered)
  const isGone = (calls: readonly Outcome[]): boolean =>
    calls.filter(({ planned }) => usesKey(planned)).every(isNoRoute) &&
    calls.some((call) => isNoRoute(call) && isUncalledFor(call))
  const called = outcomes.filter(
    ({ planned, answered }) => answered !== undefined && planned.probe.request.to === undefined,
  )
  // 404 for an unknown id proves nothing, unless the whole group is missing.
  const isAbsent = ({ route: { endpoint }, set }: PlannedProbe): boolean =>
    isGone(called.filter(({ planned: { route } }) => route.endpoint === endpoint)) ||
    isGone(called.filter(({ planned }) => planned.set === set))
  const told = new Set<string>()
  return outcomes.map((outcome) => {
    const { planned, answered, response, skipped } = outcome
    const needed =
      response === undefined && skipped !== undefined
        ? outcomes.find((one) => one.unusable === skipped && isNoRoute(one) && isAbsent(one.planned))
        : undefined
    if (needed) return { ...outcome, skipped: doesNotHave(needed.planned) }
    const { operation } = planned.route.endpoint
    if (answered === undefined || !isNoRoute(outcome) || !isAbsent(planned)) return outcome
    const absent = { planned, answered, isAbsent: true, violations: [], learned: [] }
    if (mayReject(planned, answered.response.status)) return { ...absent, skipped: outcome.skipped }
    if (told.has(operation)) return { ...absent, skipped: doesNotHave(planned) }
    told.add(operation)
    const got = `${answered.response.status} for every request`
    const what = { where: 'status', kind: 'status', expected: 'the operation', got } as const
    const cause = 'the operation is absent'
    const violation = { operation, ...violating('contract 1', what), rule: hasAll, cause }
    return { ...absent, skipped: undefined, violations: [withExchange(answered)(violation)] }
  })
}

/** The rule for an operation that is missing. */
export const hasAll = 'The gateway has all operations of the contract'

const doesNotHave = ({ route }: PlannedProbe): string =>
  `the gateway does not have ${route.endpoint.operation}`

/** A gateway that fails every request with the same status has one violation. */
export function withOneFailure(outcomes: readonly Outcome[]): readonly Outcome[] {
  const statuses = outcomes.flatMap(({ answered }) => answered?.response.status ?? [])
  const [status = 0] = statuses
  if (status < 500 || statuses.some((other) => other !== status)) return outcomes
  return outcomes.map((outcome) => ({
    ...outcome,
    violations: outcome.violations.map((one) =>
      one.where === 'status' ? { ...one, cause: 'all fail' } : one,
    ),
  }))
}

/** 404 is right for an unknown id, and all of them if the contract allows a rejection. */
const isUncalledFor = ({ planned, answered }: Outcome): boolean => {
  const status = answered?.response.status ?? 0
  return (status !== 404 || planned.probe.expect?.status !== 'rejected') && !mayReject(planned, status)
}

/** 402: no credit. 403: no access. Rejections of a wrong key (401) end the probes of the group. */
const forbidding: readonly number[] = [402, 403]

/**
 * Groups that reject every request with the API key: their rejections of invalid requests prove nothing. Only
 * violations of the error format count.
 */
export function withForbidden(outcomes: readonly Outcome[]): readonly Outcome[] {
  const bySet = grouped(outcomes, ({ planned }) => planned.set)
  const statuses = new Map([...bySet].map(([set, group]) => [set, forbiddingStatus(group)]))
  return outcomes.map((outcome) => {
    const { planned, response, skipped } = outcome
    const status = statuses.get(planned.set)
    if (status === undefined) return outcome
    const group = bySet.get(planned.set) ?? []
    const isRejected = response?.status === status
    const dependsOnIt = response === undefined && group.some(({ unusable }) => unusable === skipped)
    if (!isRejected && !dependsOnIt) return outcome
    const violations = outcome.violations.filter(({ where }) => where !== 'status')
    return { ...outcome, violations, skipped: reasonOf(group, status), isLost: true }
  })
}

function forbiddingStatus(outcomes: readonly Outcome[]): number | undefined {
  const keyed = outcomes.filter(({ planned }) => usesKey(planned))
  const statuses = new Set(keyed.flatMap(({ response }) => response?.status ?? []))
  const [status = 0] = statuses
  return statuses.size === 1 && forbidding.includes(status) ? status : undefined
}

function reasonOf(group: readonly Outcome[], status: number): string {
  const named = group.find(({ rejectsModel }) => rejectsModel === true)?.skipped
  const message = messageOf(group, status)
  return (
    named ?? `${status} for every request with this API key${message === undefined ? '' : `: ${message}`}`
  )
}

/** What the first rejection says. */
function messageOf(outcomes: readonly Outcome[], status: number): string | undefined {
  const rejected = outcomes.filter(({ planned, response }) => usesKey(planned) && response?.status === status)
  return rejected.flatMap(({ response }) => (response && saidIn(response)) ?? [])[0]?.slice(0, 200)
}
