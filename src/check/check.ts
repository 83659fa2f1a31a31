/** Checks a gateway against the contract: sends the suite, checks the responses, reports violations. */

import { formatDuration } from '../engine/duration.ts'
import { violating } from '../protocol/invariant.ts'
import type { Spend } from '../protocol/probe.ts'
import { settingsSchema } from '../protocol/settings.ts'
import { valueAt } from '../protocol/wording.ts'
import { makeReport, shown } from './findings.ts'
import { type CheckedProbe, CheckFailure, type CheckOptions, type CheckReport, wallTime } from './report.ts'
import { chooseModels, learn, mayReject, type Outcome, Run, single, usesKey, withExchange } from './run.ts'
import {
  type Attempt,
  at,
  attempt,
  BrokenConnection,
  CannotSend,
  type ProbeResponse,
  requestOf,
  retryAfterOf,
  type SentRequest,
  TimeIsUp,
} from './send-probe.ts'
import { rejectedAll, withAbsences, withForbidden, withOneFailure } from './shared-failures.ts'
import { groupNameOf, type PlannedProbe, planOf, referencesIn } from './suite.ts'
import { isChecked, presentGroups, uncheckedOf, unprovenOf } from './unchecked.ts'

/** Throws `CheckFailure` if the gateway cannot be reached, or rejects the API key. */
export async function check(options: CheckOptions): Promise<CheckReport> {
  const sent = await runProbes(planOf(options.spend, options.only), options)
  const outcomes = withOneFailure(withForbidden(withAbsences(sent)))
  const asked = outcomes.filter(({ planned }) => planned.asked)
  const checked = asked.filter(isChecked)
  const unsent = addedBy('all', sent, options)
  const stoppedClock = hasStoppedClock(outcomes)
  const report = makeReport(
    {
      baseUrl: options.baseUrl,
      seen: asked.flatMap(({ violations }) => violations),
      skipped: asked.flatMap((outcome) =>
        outcome.skipped === undefined ? [] : [{ ...inWords(outcome), reason: outcome.skipped }],
      ),
      checked: checked.map(inWords),
      unsent,
      unchecked: uncheckedOf(asked, options.only),
      rejected: rejectedAll(sent),
      stoppedClock: stoppedClock || undefined,
      settings: settingsFrom(outcomes, stoppedClock),
    },
    options,
  )
  const unproven = options.spend === 'all' ? [] : unprovenOf(asked, report.unchecked)
  const spend = {
    limit: options.spend,
    little: addedBy('little', sent, options).length,
    all: unsent.length,
    unproven: unproven.length === 0 ? undefined : unproven,
  }
  return { ...report, presentGroups: presentGroups(asked), spend }
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

/** How much a duration must differ from the default to become a setting: polling measures roughly. */
const worthIt = 1.5

/** For so long, in milliseconds, the `date` of a gateway cannot stay the same. */
const longDate = 3000

/**
 * Whether the `date` of all responses is the same: the gateway is a simulator whose time does not pass by
 * itself.
 */
function hasStoppedClock(outcomes: readonly Outcome[]): boolean {
  const dates = new Set<string>()
  let [first, last] = [Infinity, -Infinity]
  for (const { response } of outcomes) {
    const date = response?.headers.get('date')
    if (response === undefined || date === undefined) continue
    dates.add(date)
    first = Math.min(first, response.at)
    last = Math.max(last, response.at)
  }
  return dates.size === 1 && last - first >= longDate
}

/** What was learned, as a config file without the default values. On a stopped clock, no duration was. */
function settingsFrom(
  outcomes: readonly Outcome[],
  stoppedClock: boolean,
): Readonly<Record<string, unknown>> {
  const defaults = settingsSchema().parse({}) as unknown
  const settings: Record<string, unknown> = {}
  const known = new Set<string>()
  for (const [path, value] of outcomes.flatMap(({ learned }) => learned)) {
    if (known.has(path) || (stoppedClock && isDuration(path))) continue
    known.add(path)
    const parts = path.split('.')
    const usual = valueAt(defaults, parts)
    if (isDuration(path) ? isNear(value as number, usual as number) : same(value, usual)) continue
    put(settings, parts, isDuration(path) ? duration(value as number) : value)
  }
  return settings
}

const isDuration = (path: string): boolean => /\.(?:duration|firstEventAfter|eventInterval)$/.test(path)

const isNear = (took: number, usual: number): boolean => took < usual * worthIt && took > usual / worthIt

const duration = (ms: number): string => (ms < 10_000 ? `${ms}ms` : `${Math.round(ms / 1000)}s`)

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

function put(settings: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let holder = settings
  for (const part of path.slice(0, -1)) holder = (holder[part] ??= {}) as Record<string, unknown>
  holder[path.at(-1) as string] = value
}

/** Throws `CheckFailure` if no probe gets a response, or every group rejects the API key. */
async function runProbes(plan: readonly PlannedProbe[], options: CheckOptions): Promise<Outcome[]> {
  const fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init))
  const time = options.time ?? wallTime
  const run = new Run(options, fetch, time)
  run.models = await chooseModels(plan, options, fetch)
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
  return plan.map(({ probe }) => run.outcomes.get(probe.name) as Outcome)
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
  learned: [],
})

async function runProbe(given: PlannedProbe, run: Run): Promise<Outcome> {
  const planned = run.otherHeaders.has(given.set) ? withOtherHeader(given) : given
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
    if (run.time.now() >= run.deadline) throw new TimeIsUp(run.options, run.unanswered)
    const wire = await requestOf(planned, run, run.resolverFor(planned))
    const tried = await attempt(wire, planned, run)
    run.hasBeenAnswered = true
    if (tried.response.status === 401 && usesKey(planned) && !mayReject(planned, 401)) {
      const other = await inOtherHeader(planned, run, wire.sent, tried)
      if (other !== undefined) return other
    }
    return planned.probe.polling === undefined
      ? single(planned, run, wire.sent, tried)
      : await polled(planned, run, wire, tried)
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

/** The probe with the API key in the second of the headers that clients of the group use. */
function withOtherHeader(planned: PlannedProbe): PlannedProbe {
  const { route } = planned
  const credentials = route.group.credentials.slice(1)
  return { ...planned, route: { ...route, group: { ...route.group, credentials } } }
}

/** If the gateway accepts the API key, but not in the header of the contract: a violation. */
async function inOtherHeader(
  planned: PlannedProbe,
  run: Run,
  request: SentRequest,
  { response }: Attempt,
): Promise<Outcome | undefined> {
  const { endpoint, group } = planned.route
  const [header, other] = group.credentials.map((one) => one.header)
  if (other === undefined) return undefined
  const swapped = withOtherHeader(planned)
  const wire = await requestOf(swapped, run, run.resolverFor(swapped))
  const tried = await attempt(wire, swapped, run)
  if (tried.response.status === 401) return undefined
  run.otherHeaders.add(planned.set)
  const outcome = single(swapped, run, wire.sent, tried)
  const expected = `the API key to be accepted in the header ${header}`
  const got = `${response.status}; the same key is accepted in the header ${other}`
  const what = { where: 'status', kind: 'status', expected, got } as const
  const violation = shown({ operation: endpoint.operation, ...violating('contract 5', what) })
  const seen = withExchange({ planned, request, response })(violation)
  return { ...outcome, violations: [seen, ...outcome.violations] }
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
  first: Attempt,
): Promise<Outcome> {
  const { probe } = planned
  const polling = probe.polling as NonNullable<typeof probe.polling>
  const limit = run.options.jobTimeout ?? defaultJobTimeout
  const source = sourceOf(planned, run)
  const polls = [single(planned, run, wire.sent, first)]
  const last = (): (typeof polls)[number] => polls.at(-1) as (typeof polls)[number]
  // A timeout keeps the polls before it.
  const ask = async (): Promise<void> => {
    if (run.time.now() >= run.deadline) return
    const tried = await attempt(wire, planned, run).catch((error: unknown) => {
      if (!(error instanceof TimeIsUp)) throw error
    })
    if (tried !== undefined) polls.push(single(planned, run, wire.sent, tried))
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
  while (!hasEnded() && !isStuck() && waited < limit && run.time.now() < run.deadline) {
    const pause = Math.max(retryAfterOf(last().response, 60_000) ?? 0, pollInterval(waited))
    const wait = Math.min(pause, run.deadline - run.time.now())
    run.options.onProgress?.(groupNameOf(planned.set), `${probe.name}: waiting`)
    await run.time.wait(wait)
    waited += wait
    await ask()
  }
  const { response } = last()
  const ended = hasEnded()
  const succeeded = ended && hasSucceeded(polling, response)
  const unfinished = isLost() ? 'showed a state that is not in the contract' : 'did not finish'
  const failure = ended ? 'did not succeed' : unfinished
  // A job that has ended by the first poll does not show its duration.
  const took = waited === 0 ? 0 : response.at - (source?.response ?? first.response).at
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
    learned: succeeded ? learn(planned, run, response, Math.round(took)) : [],
  }
}

const unended = ({ time, deadline, options }: Run, limit: number): string =>
  time.now() >= deadline
    ? `did not finish before the check timed out (--timeout ${formatDuration(options.timeout ?? 0)})`
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
