/** Polls a job until it has finished, and checks each response and the lifecycle. */

import { judgeLifecycle } from '../judges/contract/judge-lifecycle.ts'
import type { Polling } from '../protocol/probe.ts'
import { shown } from './check-findings.ts'
import { type Answered, type CheckRun, type Outcome, type ProbeResponse, skipped } from './check-run.ts'
import { groupNameOf, referencesIn } from './plan.ts'
import { outcomeOf, withExchange } from './probe-run.ts'
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
  let { response } = first
  const poll = async (): Promise<void> => {
    response = await attempt(wire, planned, run)
    polls.push(outcomeOf({ ...first, response }, run))
  }
  const hasEnded = (): boolean => polling.until.includes(valueIn(response.json, polling.pointer))
  // After a state that is not in the contract, the next state is unknown.
  const isStrange = (): boolean =>
    polls
      .at(-1)
      ?.violations.some(
        ({ where, pointer, severity }) =>
          where === 'body' && severity !== 'addition' && (pointer === '' || pointer === polling.pointer),
      ) === true
  const isStuck = (): boolean => response.status >= 400 || isStrange()
  let waited = 0
  while (!hasEnded() && !isStuck() && waited < limit) {
    const wait = Math.max(retryAfterOf(response, 60_000) ?? 0, pollInterval(waited))
    run.options.onProgress?.(groupNameOf(set), `${probe.name}: waiting`)
    await run.options.target.pacer.sleep(wait)
    waited += wait
    await poll()
  }
  const last = response
  const ended = hasEnded()
  if (ended) await poll()
  const answered = { ...first, response }
  const seen = polls.flatMap((one) => one.violations)
  const violations = [...seen, ...lifecycleViolations(answered, polls, run)]
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

function hasSucceeded({ succeeded }: Polling, { json }: ProbeResponse): boolean {
  const value = valueIn(json, succeeded.pointer)
  return succeeded.is === undefined ? value !== undefined && value !== null : succeeded.is.includes(value)
}

/** Except violations that single responses have already shown, those of the submission included. */
function lifecycleViolations(answered: Answered, polls: readonly Outcome[], run: CheckRun) {
  const [name] = referencesIn(answered.planned.probe.request).flatMap(({ $from }) => $from)
  const submission = name === undefined ? undefined : run.outcomes.get(name)
  const before = submission?.answered === undefined ? [] : [submission]
  const known = new Set(
    [...before, ...polls].flatMap(({ violations }) => violations.map((one) => one.pointer)),
  )
  const sights = [...before, ...polls].flatMap(({ planned, answered: one }) =>
    one === undefined || one.response.status >= 400
      ? []
      : [{ route: planned.route, response: one.response.json }],
  )
  return judgeLifecycle(sights)
    .filter(({ pointer }) => !known.has(pointer))
    .map((violation) => withExchange(answered)(shown(violation)))
}
