/** Checks a gateway against the contract: sends the suite, checks the responses, reports violations. */

import { grouped } from '../engine/fields.ts'
import { contractFinding } from '../judges/finding.ts'
import { makeReport } from './check-findings.ts'
import { type Answered, CheckRun, type Outcome, skipped } from './check-run.ts'
import {
  type CheckedProbe,
  CheckFailure,
  type CheckOptions,
  type CheckReport,
  hasAllOperations,
  type UncheckedOperations,
} from './check-types.ts'
import { groupNameOf, isNamed, type PlannedProbe, planOf } from './plan.ts'
import { mayReject, sendProbe, speaksOfModel, usesKey } from './probe-run.ts'
import type { SentExchange } from './send.ts'
import { BrokenConnection, CannotSend, valueIn } from './send-probe.ts'

export interface Checked {
  readonly report: CheckReport
  /** All that was sent. The API key is nowhere in them. */
  readonly exchanges: readonly SentExchange[]
}

/** Throws `CheckFailure` if the gateway cannot be reached, or rejects the API key. */
export async function check(options: CheckOptions): Promise<Checked> {
  const plan = planOf(options.spend, options.only)
  const run = new CheckRun(options)
  await sendProbes(plan, run)
  const [rejection] = run.rejectedKeys.values()
  if (rejection !== undefined && run.groupsWithAccess.size === 0)
    throw new CheckFailure(
      `the gateway rejects the API key: ${rejection} (all probes with an API key were skipped)`,
    )
  const all = plan.map(({ probe }) => run.outcomes.get(probe.name) as Outcome)
  const outcomes = withAbsences(all).filter(({ planned }) => planned.asked)
  const facts = {
    baseUrl: options.target.base,
    seen: outcomes.flatMap(({ violations }) => violations),
    skipped: outcomes.flatMap((one) =>
      one.kind === 'judged' ? [] : [{ ...described(one), reason: one.reason }],
    ),
    checked: outcomes.filter(({ kind }) => kind === 'judged').map(described),
    unchecked: uncheckedOf(outcomes, options.only),
    isComplete: options.spend === 'all',
  }
  return { report: { ...makeReport(facts, options), spend: options.spend }, exchanges: run.exchanges }
}

function described({ planned }: Outcome): CheckedProbe {
  const { name, endpoint, states } = planned.probe
  return { operation: endpoint.operation, probe: name, rule: states }
}

async function sendProbes(plan: readonly PlannedProbe[], run: CheckRun): Promise<void> {
  const inOrder = async (probes: readonly PlannedProbe[]): Promise<void> => {
    for (const planned of probes) {
      const place = `${run.outcomes.size + 1} of ${plan.length}`
      run.options.onProgress?.(groupNameOf(planned.set), `${planned.probe.name} (${place})`)
      run.outcomes.set(planned.probe.name, await runProbe(planned, run))
    }
  }
  await inOrder(plan.filter(({ probe }) => probe.spend !== 'all'))
  // Jobs take minutes: groups run in parallel, the jobs of a group one after another.
  const long = plan.filter(({ probe }) => probe.spend === 'all')
  await Promise.all([...grouped(long, ({ set }) => set).values()].map(inOrder))
}

async function runProbe(planned: PlannedProbe, run: CheckRun): Promise<Outcome> {
  const rejection = usesKey(planned) ? run.rejectedKeys.get(planned.route.group.name) : undefined
  if (rejection !== undefined) return skipped('rejected', planned, rejection)
  const missing = missingCondition(planned, run)
  if (missing !== undefined) return skipped('dependent', planned, missing)
  const outage = run.outage(planned)
  if (outage !== undefined) return skipped('outage', planned, outage)
  const outcome = await outcomeOf(planned, run)
  run.noteOutage(outcome)
  return outcome
}

async function outcomeOf(planned: PlannedProbe, run: CheckRun): Promise<Outcome> {
  try {
    return await sendProbe(planned, run)
  } catch (error) {
    if (error instanceof CannotSend) return skipped('dependent', planned, error.message)
    if (!(error instanceof BrokenConnection)) throw error
    // The next probe would get no response either.
    if (!run.hasBeenAnswered)
      throw new CheckFailure(`${run.options.target.base} cannot be reached (${error.message})`)
    return skipped('outage', planned, `the connection broke: ${error.message}`)
  }
}

/** The other probe that prevents this one. */
function missingCondition({ probe }: PlannedProbe, run: CheckRun): string | undefined {
  const { after } = probe.request
  const before = after === undefined ? {} : run.usable(after)
  if (typeof before === 'string') return before
  if (probe.while === undefined) return undefined
  const { probe: name, pointer, is } = probe.while
  const value = valueIn(run.outcomes.get(name)?.answered?.call.json, pointer)
  return is.includes(value) ? undefined : `applies only while ${name} is ${is.join(' or ')}`
}

/** An operation that answers 404, 405 or 501 to every request with an API key is one violation. */
function withAbsences(outcomes: readonly Outcome[]): Outcome[] {
  const sent = outcomes.filter(
    ({ kind, answered, planned: { probe } }) =>
      answered !== undefined && kind !== 'dependent' && probe.request.to === undefined,
  )
  const absent = [...grouped(sent, operationOf).values()].filter(
    (all) =>
      all.filter(({ planned }) => usesKey(planned)).every(hasNoRoute) &&
      all.some((one) => hasNoRoute(one) && isProofOfAbsence(one)),
  )
  const first = new Set(absent.map((all) => all.find((one) => hasNoRoute(one) && isProofOfAbsence(one))))
  const others = new Set(absent.flat().filter(hasNoRoute))
  return outcomes.map((outcome) => {
    if (first.has(outcome)) return absence(outcome)
    const reason = `the gateway does not have ${operationOf(outcome)}`
    return others.has(outcome) ? skipped('rejected', outcome.planned, reason) : outcome
  })
}

const operationOf = ({ planned }: Outcome): string => planned.route.endpoint.operation

const hasNoRoute = ({ answered }: Outcome): boolean =>
  answered !== undefined &&
  [404, 405, 501].includes(answered.call.response.status) &&
  !speaksOfModel(answered)

/** 404 is right for an unknown id, and all of them if the contract allows a rejection. */
function isProofOfAbsence({ planned, answered }: Outcome): boolean {
  const status = answered?.call.response.status ?? 0
  return (status !== 404 || planned.probe.expect?.status !== 'rejected') && !mayReject(planned, status)
}

function absence({ planned, answered }: Outcome): Outcome {
  const { call } = answered as Answered
  const finding = contractFinding(call.route.endpoint.operation, call.exchange.seq, {
    rule: hasAllOperations,
    where: 'status',
    code: 'wrong-status',
    expected: 'the operation',
    got: `${call.response.status} for every request`,
  })
  return {
    kind: 'judged',
    planned,
    answered: { planned, call },
    violations: [{ finding, call, cause: 'the operation is absent' }],
    unusable: undefined,
  }
}

/**
 * The groups, or the names of `--only`, of which no valid request with the API key was judged, and those of
 * which an outage prevented probes.
 */
function uncheckedOf(outcomes: readonly Outcome[], only: readonly string[] = []): UncheckedOperations[] {
  const named = only.map((name) => {
    const all = outcomes.filter((outcome) => isNamed(operationOf(outcome), [name]))
    return [name, all] as const
  })
  const parts = only.length > 0 ? named : [...grouped(outcomes, ({ planned }) => groupNameOf(planned.set))]
  return parts.flatMap(([name, all]) => {
    const reason = reasonUnchecked(all)
    return reason === undefined ? [] : [{ name, reason }]
  })
}

function reasonUnchecked(outcomes: readonly Outcome[]): string | undefined {
  if (outcomes.length === 0) return 'no probe within the spending limit'
  const outage = outcomes.find(({ kind }) => kind === 'outage')
  // A gateway that rejects every request passes the probes without an API key, and those with invalid input.
  const keyed = outcomes.filter(({ planned }) => usesKey(planned))
  const valid = keyed.filter(({ planned: { probe } }) => probe.spend !== 'none')
  const isChecked = [keyed, valid].every(
    (part) => part.length === 0 || part.some(({ kind }) => kind === 'judged'),
  )
  const isMissing = outcomes.some(({ violations }) => violations.length > 0)
  const lost = outcomes.find(({ kind }) => kind === 'rejected')
  const first = outage ?? (isChecked || isMissing ? undefined : (lost ?? outcomes[0]))
  return first === undefined || first.kind === 'judged' ? undefined : first.reason
}
