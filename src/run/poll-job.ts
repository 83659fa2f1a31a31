/** Polls a job until it has finished, and checks each response and the lifecycle. */

import { judgeLifecycle } from '../judges/contract/judge-lifecycle.ts'
import { placeOf } from '../judges/finding.ts'
import type { RecordedCall } from '../judges/recorded-calls.ts'
import type { Polling } from '../protocol/probe.ts'
import { seen } from './check-findings.ts'
import { type Answered, type CheckRun, type Outcome, skipped } from './check-run.ts'
import { groupNameOf, referencesIn } from './plan.ts'
import { outcomeOf } from './probe-run.ts'
import { attempt, retryAfterOf, valueIn, type Wire } from './send-probe.ts'

const defaultJobTimeout = 600_000

/** The pause before the next poll: short at first, then five seconds. */
function pollInterval(waited: number): number {
  if (waited < 5000) return 1000
  return waited < 30_000 ? 2500 : 5000
}

/** Polls once more after the end: a terminal state must not change. */
export async function pollJob(first: Answered, wire: Wire, run: CheckRun): Promise<Outcome> {
  const { planned } = first
  const { probe, set } = planned
  const polling = probe.polling as Polling
  const limit = run.options.jobTimeout ?? defaultJobTimeout
  const polls = [outcomeOf(first, run)]
  let { call } = first
  const poll = async (): Promise<void> => {
    call = await attempt(wire, planned, run)
    polls.push(outcomeOf({ planned, call }, run))
  }
  const hasEnded = (): boolean => polling.until.includes(valueIn(call.json, polling.pointer))
  // After a state that is not in the contract, the next state is unknown.
  const isStrange = (): boolean =>
    polls.at(-1)?.violations.some(({ finding }) => {
      const { where, pointer } = placeOf(finding)
      const isState = pointer === '' || pointer === polling.pointer
      return where === 'body' && finding.severity !== 'hint' && isState
    }) === true
  const isStuck = (): boolean => call.response.status >= 400 || isStrange()
  let waited = 0
  while (!hasEnded() && !isStuck() && waited < limit) {
    const wait = Math.max(retryAfterOf(call.response, 60_000) ?? 0, pollInterval(waited))
    run.options.onProgress?.(groupNameOf(set), `${probe.name}: waiting`)
    await run.options.target.pacer.sleep(wait)
    waited += wait
    await poll()
  }
  const last = call
  const ended = hasEnded()
  if (ended) await poll()
  const answered = { planned, call }
  const shown = polls.flatMap((one) => one.violations)
  const violations = [...shown, ...lifecycleViolations(answered, polls, run)]
  const unjudged = polls.find(({ kind }) => kind !== 'judged')
  if (unjudged !== undefined) return { ...unjudged, violations }
  if (!ended && !isStuck()) {
    const reason = `did not finish within ${limit / 1000}s`
    return { ...skipped('outage', planned, reason), answered, violations }
  }
  const unfinished = isStrange() ? 'showed a state that is not in the contract' : 'did not finish'
  const failure = ended ? 'did not succeed' : unfinished
  const unusable =
    ended && hasSucceeded(polling, last) ? undefined : `depends on ${probe.name}, which ${failure}`
  return { kind: 'judged', planned, answered, violations, unusable }
}

function hasSucceeded({ succeeded }: Polling, { json }: RecordedCall): boolean {
  const value = valueIn(json, succeeded.pointer)
  return succeeded.is === undefined ? value !== undefined && value !== null : succeeded.is.includes(value)
}

/** Except violations that single responses have already shown, those of the submission included. */
function lifecycleViolations(answered: Answered, polls: readonly Outcome[], run: CheckRun) {
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
