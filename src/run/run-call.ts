/** Runs a `call` or `fetch` step: sends the request, checks the response, saves parts of it. */

import { formatDuration } from '../engine/duration.ts'
import { partsOf } from '../engine/pointer.ts'
import { type ContractFinding, placeOf } from '../judges/finding.ts'
import { callOf } from '../judges/judged-calls.ts'
import type { Route } from '../protocol/router.ts'
import { fieldPath } from '../protocol/wording.ts'
import type { CallStep, Expectation, FetchStep } from '../scenario/format/steps.ts'
import { ScenarioError } from '../scenario/scenario-error.ts'
import { counted } from '../text/printable.ts'
import {
  callRequest,
  type Difference,
  fetchRequest,
  fieldsIn,
  type StepRequest,
  Unsendable,
} from './build-request.ts'
import { type CallView, unmet, viewOf } from './expectations.ts'
import type { Failure, StepReport } from './replay-report.ts'
import { describeAbsence, filledIn, partAt, UnknownNames } from './saved.ts'
import type { SentExchange } from './send.ts'
import { defaultTimeout, pathOf, reportStep, type StepHead, type StoryRun } from './story-run.ts'
import { sendRepeatedly } from './target.ts'

const defaultInterval = 1000
const maxCalls = 10_000

/** When to send: once, or at each `interval` until `waitFor` matches or `timeout` has passed (ms). */
interface PollPlan {
  readonly waitFor?: Expectation
  readonly interval: number
  readonly timeout: number
}

/** How to send a step. Read-only requests are polled if time should have been advanced, but cannot be. */
function pollPlan(
  { options: { target, parts }, isBehind, maxWait }: StoryRun,
  { step, request: { method } }: Sendable,
): PollPlan {
  const once = { interval: defaultInterval, timeout: maxWait }
  if ('call' in step && step.waitFor !== undefined) {
    const { waitFor, interval = defaultInterval, timeout: given = defaultTimeout } = step
    const timeout = target.movesTime ? given : Math.min(given, maxWait)
    return { waitFor, interval: Math.max(1, interval), timeout }
  }
  const isPoll = 'call' in step && parts.routeOf(step.call).endpoint.job?.polls !== undefined
  if (!isBehind || !(method === 'GET' || isPoll) || step.expect === undefined) return once
  return { ...once, waitFor: step.expect }
}

interface Sendable {
  /** With the saved values. */
  readonly step: CallStep | FetchStep
  readonly request: StepRequest
}

interface PollResult {
  readonly exchanges: readonly SentExchange[]
  readonly last: SentExchange
  /** Why polling ended without success. */
  readonly late: readonly Difference[]
}

/** Sends a step once, or polls. */
async function sendStep(
  { options: { target, onProgress } }: StoryRun,
  { step, request }: Sendable,
  number: string,
  { waitFor, interval, timeout }: PollPlan,
): Promise<PollResult> {
  const { pacer } = target
  const stopAfter = 'call' in step ? step.stopAfter : undefined
  const began = pacer.now()
  let late: readonly Difference[] = []
  const exchanges = await sendRepeatedly(target, request, { stopAfter }, (exchange, count) => {
    const view = viewOf(exchange)
    const missing = waitFor === undefined ? [] : unmet(waitFor, view, { isTimed: target.movesTime })
    if (missing.length === 0) return undefined
    // It is sent once more at the end of the timeout.
    const left = timeout - (pacer.now() - began)
    if (left <= 0 || count >= maxCalls) {
      late = [timedOut(count, timeout), ...missing]
      return undefined
    }
    if (!target.movesTime)
      onProgress?.(number, `${counted(count, 'request')}, ${missing[0]?.field} is ${missing[0]?.got}`)
    return Math.min(interval, left)
  })
  return { exchanges, last: exchanges.at(-1) as SentExchange, late }
}

function timedOut(calls: number, timeout: number): Difference {
  const tooMany = calls >= maxCalls ? ' (the maximum for one step): use a longer `interval`' : ''
  const got = `${calls} requests without a match${tooMany}`
  return { field: 'waitFor', expected: `a match within ${formatDuration(timeout)}`, got }
}

export async function runCall(
  run: StoryRun,
  written: CallStep | FetchStep,
  number: string,
): Promise<StepReport> {
  const { options } = run
  const { pacer } = options.target
  const head: StepHead = {
    step: number,
    name: written.name,
    kind: 'call' in written ? 'call' : 'fetch',
    title: 'call' in written ? written.call : `${written.method ?? 'GET'} ${written.fetch}`,
    at: pacer.now(),
  }
  const skipReason = options.skip?.(written)
  if (skipReason !== undefined) return reportStep(run, head, { reason: skipReason })
  if (!options.target.movesTime) options.onProgress?.(number, head.title)
  const built = await requestOf(run, written)
  if ('reason' in built || 'failures' in built) return reportStep(run, head, built)
  const { step, request } = built
  const path = `${request.method} ${pathOf(run, request.url)}`
  const sentHead = head.kind === 'fetch' ? { ...head, title: path } : head

  const firedBefore = pacer.fired.length
  const result = await sendStep(run, built, number, pollPlan(run, built))
  const { exchanges } = result
  const view = viewOf(result.last)
  const expected = step.expect ?? {}
  const contract = contractFailures(run, exchanges, expected)
  const leaves = 'call' in step && step.stopAfter !== undefined
  const how = { leaves, isTimed: options.target.movesTime }
  const unexpected = result.late.length > 0 ? result.late : unmet(expected, view, how)
  const failures = [...asFailures(unexpected), ...contract.failures]
  const savedHere = save(run, step, view, failures)
  return reportStep(run, sentHead, {
    exchanges,
    failures,
    changed: run.changes.of(view, path),
    saved: savedHere,
    fired: pacer.fired.slice(firedBefore),
    notes: contract.notes,
  })
}

/** The step with saved values filled in, and its request; or the reason why there is none. */
async function requestOf(
  { options, saved }: StoryRun,
  written: CallStep | FetchStep,
): Promise<Sendable | { readonly reason: string } | { readonly failures: readonly Failure[] }> {
  const { parts } = options
  const failed = (difference: Difference) => ({ failures: asFailures([difference]) })
  try {
    const step = filledIn(written, saved)
    const request = await ('call' in step ? callRequest(step, parts) : fetchRequest(step, parts))
    return { step, request }
  } catch (error) {
    if (error instanceof ScenarioError)
      return failed({ field: 'file', expected: 'a file to send', got: `an error: ${error.message}` })
    if (error instanceof Unsendable) return failed(error.difference)
    if (error instanceof UnknownNames) return { reason: error.message }
    throw error
  }
}

const asFailures = (differences: readonly Difference[]): Failure[] =>
  differences.map((difference) => ({ kind: 'expectation', ...difference }))

/** Saves the parts that the step names; a missing part is a failure, unless the step has already failed. */
function save(
  { saved }: StoryRun,
  step: CallStep | FetchStep,
  view: CallView,
  failures: Failure[],
): Readonly<Record<string, unknown>> {
  const savedHere: Record<string, unknown> = {}
  for (const [name, path] of Object.entries(step.save ?? {})) {
    const value = partAt(view, path)
    if (value !== undefined) {
      savedHere[name] = value
      saved.set(name, value)
    } else if (failures.length === 0) {
      const expected = `a value to save as "${name}"`
      failures.push({ kind: 'expectation', field: path, expected, got: describeAbsence(view, path) })
    }
  }
  return savedHere
}

const maxPerStep = 5

/** The contract violations of a step, unless `offContract` allows them. */
function contractFailures(
  run: StoryRun,
  exchanges: readonly SentExchange[],
  expected: Expectation,
): { readonly failures: readonly Failure[]; readonly notes: readonly string[] } {
  if (expected.offContract === true) return { failures: [], notes: [] }
  const violations = new Map<string, Failure>()
  const additions = new Set<string>()
  for (const exchange of exchanges)
    for (const finding of findingsIn(run, exchange)) {
      const field = fieldOf(finding)
      const { severity, args } = finding
      const { expected, got } = args
      if (severity === 'hint') additions.add(field)
      else violations.set(`${field} ${expected}`, { kind: 'contract', field, expected, got })
    }
  const added = [...additions].slice(0, maxPerStep).join(', ')
  return {
    failures: [...violations.values()].slice(0, maxPerStep),
    notes: added === '' ? [] : [`fields that are not in the contract: ${added}`],
  }
}

function routeOf(run: StoryRun, { operation, request: { method, url } }: SentExchange): Route | undefined {
  const { target, parts } = run.options
  if (operation !== undefined) return parts.routeOf(operation)
  if (!url.startsWith(`${target.base}/`)) return undefined
  const found = parts.match(method, pathOf(run, url))
  return found.kind === 'found' ? found.route : undefined
}

function findingsIn(run: StoryRun, exchange: SentExchange): ContractFinding[] {
  const { sent, response, broken } = exchange
  const route = broken === undefined ? routeOf(run, exchange) : undefined
  if (response === undefined || route === undefined) return []
  return run.judge(callOf(exchange, response, { route, params: {}, request: fieldsIn(sent.body) }))
}

/** The place, in the notation of expectations: `body.choices[0].index`, `stream.events[2].type`. */
function fieldOf(finding: ContractFinding): string {
  const { where, pointer, event } = placeOf(finding)
  const path = partsOf(pointer).map((part) => (/^\d+$/.test(part) ? Number(part) : part))
  return fieldPath([where, ...(event === undefined ? [] : ['events', event]), ...path])
}
