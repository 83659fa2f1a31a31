/** Checks a gateway against the contract: sends the suite, checks the responses, reports violations. */

import { formatDuration } from '../engine/duration.ts'
import type { Spend } from '../protocol/probe.ts'
import { makeReport } from './check-findings.ts'
import { type CheckedProbe, CheckFailure, type CheckOptions, type CheckReport } from './check-types.ts'
import { groupNameOf, type PlannedProbe, planOf, referencesIn } from './plan.ts'
import { chooseModels, type Outcome, Run, single, usesKey, withExchange } from './probe-run.ts'
import type { SentExchange } from './send.ts'
import {
  at,
  attempt,
  BrokenConnection,
  CannotSend,
  type ProbeResponse,
  requestOf,
  retryAfterOf,
  TimeIsUp,
} from './send-probe.ts'
import { withAbsences, withForbidden, withOneFailure } from './shared-failures.ts'
import { isChecked, uncheckedOf } from './unchecked.ts'

/** Throws `CheckFailure` if the gateway cannot be reached, or rejects the API key. */
export async function check(options: CheckOptions): Promise<Checked> {
  const { outcomes: sent, exchanges } = await runProbes(planOf(options.spend, options.only), options)
  const outcomes = withOneFailure(withForbidden(withAbsences(sent)))
  const asked = outcomes.filter(({ planned }) => planned.asked)
  const checked = asked.filter(isChecked)
  const unsent = addedBy('all', sent, options)
  const report = makeReport(
    {
      baseUrl: options.target.base,
      seen: asked.flatMap(({ violations }) => violations),
      skipped: asked.flatMap((outcome) =>
        outcome.skipped === undefined ? [] : [{ ...inWords(outcome), reason: outcome.skipped }],
      ),
      checked: checked.map(inWords),
      unsent,
      unchecked: uncheckedOf(asked, options.only),
    },
    options,
  )
  return { report: { ...report, spend: { limit: options.spend, all: unsent.length } }, exchanges }
}

export interface Checked {
  readonly report: CheckReport
  /** All that was sent. The API key is nowhere in them. */
  readonly exchanges: readonly SentExchange[]
}

/** The probes that a spending limit would add. */
function addedBy(spend: Spend, sent: readonly Outcome[], { only }: CheckOptions): CheckedProbe[] {
  const names = new Set<string>()
  for (const { planned } of sent) names.add(planned.probe.name)
  return planOf(spend, only).flatMap((planned) =>
    planned.asked && !names.has(planned.probe.name) ? [inWords({ planned })] : [],
  )
}

function inWords({ planned }: Pick<Outcome, 'planned'>): CheckedProbe {
  const { name, endpoint, states } = planned.probe
  return { operation: endpoint.operation, probe: name, rule: states }
}

/** Throws `CheckFailure` if no probe gets a response, or every group rejects the API key. */
async function runProbes(
  plan: readonly PlannedProbe[],
  options: CheckOptions,
): Promise<{ readonly outcomes: Outcome[]; readonly exchanges: readonly SentExchange[] }> {
  const run = new Run(options)
  run.models = await chooseModels(plan, options)
  const inOrder = async (probes: readonly PlannedProbe[]): Promise<void> => {
    for (const planned of probes) {
      options.onProgress?.(groupNameOf(planned.set), planned.probe.name)
      run.outcomes.set(planned.probe.name, await runProbe(planned, run))
    }
  }
  await inOrder(plan.filter(({ probe }) => probe.spend !== 'all'))
  // Jobs take minutes: groups run in parallel, the jobs of a group one after another.
  const long = plan.filter(({ probe }) => probe.spend === 'all')
  const groups = [...new Set(long.map(({ set }) => set))]
  await Promise.all(groups.map((group) => inOrder(long.filter(({ set }) => set === group))))
  const [rejection] = run.rejectedKeys.values()
  if (rejection !== undefined && !run.hasUsedKey)
    throw new CheckFailure('unauthorised', `the gateway rejects the API key: ${rejection}`)
  const outcomes = plan.map(({ probe }) => run.outcomes.get(probe.name) as Outcome)
  return { outcomes, exchanges: run.exchanges }
}

const skip = (
  planned: PlannedProbe,
  skipped: string,
  why: Pick<Outcome, 'isLost' | 'isOutage'> = {},
): Outcome => ({
  planned,
  skipped,
  ...why,
  violations: [],
})

async function runProbe(planned: PlannedProbe, run: Run): Promise<Outcome> {
  const rejected = keyRejection(planned, run)
  if (rejected !== undefined) return skip(planned, rejected, { isLost: true })
  const reason = reasonToSkip(planned, run)
  if (reason !== undefined) return skip(planned, reason)
  const before = run.outage(planned)
  if (before !== undefined) return skip(planned, before, outage)
  const outcome = await sendProbe(planned, run)
  run.note(outcome)
  return outcome
}

const outage = { isLost: true, isOutage: true } as const

async function sendProbe(planned: PlannedProbe, run: Run): Promise<Outcome> {
  try {
    if (run.now() >= run.deadline) throw new TimeIsUp(run.options, run.unanswered)
    const wire = await requestOf(planned, run, run.resolverFor(planned))
    const response = await attempt(wire, planned, run)
    run.hasBeenAnswered = true
    return planned.probe.polling === undefined
      ? single(planned, run, wire.sent, response)
      : await polled(planned, run, wire, response)
  } catch (error) {
    if (error instanceof CannotSend) return skip(planned, error.message)
    const isTimeUp = error instanceof TimeIsUp
    if (!isTimeUp && !(error instanceof BrokenConnection)) throw error
    if (isTimeUp) run.unanswered = error.unanswered
    // The next probe would get no response either.
    if (!run.hasBeenAnswered) throw new CheckFailure(isTimeUp ? 'late' : 'unreachable', error.message)
    return skip(planned, isTimeUp ? error.message : `the connection broke: ${error.message}`, outage)
  }
}

function keyRejection(planned: PlannedProbe, run: Run): string | undefined {
  const { route } = planned
  const rejected = run.rejectedKeys.get(route.group.name)
  if (rejected === undefined || !usesKey(planned)) return undefined
  return `the gateway rejects the API key for ${route.group.name}: ${rejected}`
}

/** The other probe that prevents this one. */
function reasonToSkip({ probe }: PlannedProbe, run: Run): string | undefined {
  const { after } = probe.request
  const before = after === undefined ? {} : run.usable(after)
  if (typeof before === 'string') return before
  if (probe.while === undefined) return undefined
  const { probe: name, pointer, is } = probe.while
  const value = at(run.outcomes.get(name)?.response?.json, pointer)
  return is.includes(value) ? undefined : `applies only while ${name} is ${is.join(' or ')}`
}

const defaultJobTimeout = 600_000

/** The pause before the next poll: short at first, then five seconds. */
function pollInterval(waited: number): number {
  if (waited < 5000) return 1000
  return waited < 30_000 ? 2500 : 5000
}

/**
 * Polls until the job has finished, and once more: a terminal state must not change. Checks each response and
 * the lifecycle.
 */
async function polled(
  planned: PlannedProbe,
  run: Run,
  wire: Parameters<typeof attempt>[0],
  first: ProbeResponse,
): Promise<Outcome> {
  const { probe } = planned
  const polling = probe.polling as NonNullable<typeof probe.polling>
  const limit = run.options.jobTimeout ?? defaultJobTimeout
  const source = sourceOf(planned, run)
  const polls = [single(planned, run, wire.sent, first)]
  const last = (): (typeof polls)[number] => polls.at(-1) as (typeof polls)[number]
  // A timeout keeps the polls before it.
  const ask = async (): Promise<void> => {
    if (run.now() >= run.deadline) return
    const response = await attempt(wire, planned, run).catch((error: unknown) => {
      if (!(error instanceof TimeIsUp)) throw error
    })
    if (response !== undefined) polls.push(single(planned, run, wire.sent, response))
  }
  const hasEnded = (): boolean => polling.until.includes(at(last().response.json, polling.pointer))
  // After a state that is not in the contract, the next state is unknown.
  const isLost = (): boolean =>
    last().violations.some(
      ({ where, pointer, severity }) =>
        where === 'body' && severity !== 'addition' && (pointer === '' || pointer === polling.pointer),
    )
  const isStuck = (): boolean => last().response.status >= 400 || isLost()
  let waited = 0
  while (!hasEnded() && !isStuck() && waited < limit && run.now() < run.deadline) {
    const pause = Math.max(retryAfterOf(last().response, 60_000) ?? 0, pollInterval(waited))
    const wait = Math.min(pause, run.deadline - run.now())
    run.options.onProgress?.(groupNameOf(planned.set), `${probe.name}: waiting`)
    await run.options.target.pacer.sleep(wait)
    waited += wait
    await ask()
  }
  const { response } = last()
  const ended = hasEnded()
  const succeeded = ended && hasSucceeded(polling, response)
  const unfinished = isLost() ? 'showed a state that is not in the contract' : 'did not finish'
  const failure = ended ? 'did not succeed' : unfinished
  if (ended) await ask()
  const violations = polls.flatMap((poll) => poll.violations)
  const shown = [
    ...(source === undefined ? [] : [source]),
    ...polls.filter((one) => one.response.status < 400),
  ]
  const lifecycle = run.judge
    .lifecycle(
      shown.map((one) => ({ route: one.planned.route, response: one.response.json })),
      violations,
    )
    .filter(({ pointer }) => source === undefined || !run.isWrong(source.planned.probe.name, pointer))
    .map(withExchange({ planned, request: wire.sent, response: last().response }))
  const isUnended = !ended && !isStuck()
  const lost = polls.find((one) => one.skipped !== undefined)
  const skipped = lost?.skipped ?? (isUnended ? unended(run, limit) : undefined)
  return {
    planned,
    skipped,
    isLost: skipped !== undefined,
    isOutage: lost?.isOutage ?? isUnended,
    response,
    unusable: succeeded ? undefined : `depends on ${probe.name}, which ${failure}`,
    violations: [...violations, ...lifecycle],
  }
}

const unended = (run: Run, limit: number): string =>
  run.now() >= run.deadline
    ? `did not finish before the check timed out (--timeout ${formatDuration(run.options.timeout ?? 0)})`
    : `did not finish within ${limit / 1000}s (--job-timeout)`

function hasSucceeded(
  { succeeded }: NonNullable<PlannedProbe['probe']['polling']>,
  response: ProbeResponse,
): boolean {
  const value = at(response.json, succeeded.pointer)
  return succeeded.is === undefined ? value !== undefined && value !== null : succeeded.is.includes(value)
}

/** The submission of the polled job. */
function sourceOf(
  { probe }: PlannedProbe,
  run: Run,
): (Outcome & { readonly response: ProbeResponse }) | undefined {
  const [name] = referencesIn(probe.request).flatMap(({ $from }) => $from)
  const source = name === undefined ? undefined : run.outcomes.get(name)
  return source?.response && { ...source, response: source.response }
}
