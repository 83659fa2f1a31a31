/** Runs a `call` or `fetch` step: sends the request, checks the response, saves parts of it. */

import { formatDuration } from '../engine/duration.ts'
import { defined } from '../engine/fields.ts'
import { partsOf } from '../engine/pointer.ts'
import type { Violation } from '../protocol/invariant.ts'
import type { Route } from '../protocol/router.ts'
import { fieldPath, valueAt } from '../protocol/wording.ts'
import type { CallStep, Expectation, FetchStep } from '../scenario/format/steps.ts'
import { ScenarioError } from '../scenario/scenario-error.ts'
import { counted } from '../text/printable.ts'
import { callRequest, type Difference, fetchRequest, type StepRequest, Unsendable } from './build-request.ts'
import { type CallView, unmet, viewOf } from './expectations.ts'
import type { Failure, StepReport } from './replay-report.ts'
import { describeAbsence, filledIn, partAt, UnknownNames } from './saved.ts'
import type { SentExchange } from './send.ts'
import { defaultTimeout, pathOf, reportStep, type StepHead, type Story, type StoryRun } from './story-run.ts'
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
  return { ...once, waitFor: checkable(step.expect, target.movesTime).expected }
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
  { story, options: { target, onProgress } }: StoryRun,
  { step, request }: Sendable,
  number: string,
  { waitFor, interval, timeout }: PollPlan,
): Promise<PollResult> {
  const { pacer } = target
  const operation = 'call' in step ? step.call : undefined
  const stopAfter = 'call' in step ? step.stopAfter : undefined
  const began = pacer.now()
  let late: readonly Difference[] = []
  const exchanges = await sendRepeatedly(target, request, { stopAfter }, (exchange, count) => {
    const view = viewOf(exchange)
    const missing = waitFor === undefined ? [] : unmet(waitFor, view, exchange.reason)
    if (missing.length === 0) return undefined
    // It is sent once more at the end of the timeout.
    const left = timeout - (pacer.now() - began)
    if (isFinal(view, operation, story)) late = [finalRejection(view)]
    else if (left <= 0 || count >= maxCalls) late = [timedOut(count, timeout), ...missing]
    if (late.length > 0) return undefined
    if (!target.movesTime)
      onProgress?.(number, `${counted(count, 'request')}, ${missing[0]?.field} is ${missing[0]?.got}`)
    return Math.min(interval, left)
  })
  return { exchanges, last: exchanges.at(-1) as SentExchange, late }
}

function finalRejection({ status, body }: CallView): Difference {
  const message = valueAt(body, ['error', 'message'])
  const got = `${status}${typeof message === 'string' ? ` ${JSON.stringify(message)}` : ''}`
  return { field: 'waitFor', expected: 'a match or a temporary rejection', got }
}

function timedOut(calls: number, timeout: number): Difference {
  const tooMany = calls >= maxCalls ? ' (the maximum for one step): use a longer `interval`' : ''
  const got = `${calls} requests without a match${tooMany}`
  return { field: 'waitFor', expected: `a match within ${formatDuration(timeout)}`, got }
}

// The service repeats these rejections, unless a rule of the scenario gives them.
function isFinal({ status, body }: CallView, operation: string | undefined, story: Story): boolean {
  if (operation === undefined || status === undefined || story.hasRuleFor?.(operation) === true) return false
  if ([401, 403, 404].includes(status)) return true
  // A 400 about an id may mean "too early": the content of a video that is not finished.
  return status === 400 && !/id$/i.test(String(valueAt(body, ['error', 'param']) ?? ''))
}

/** Expectations without `took` and `elapsed`, if time is real: it depends on machines and networks. */
function checkable(
  expected: Expectation,
  movesTime: boolean,
): { readonly expected: Expectation; readonly notes: readonly string[] } {
  const isTimed =
    expected.took !== undefined ||
    expected.stream?.events?.some(({ elapsed }) => elapsed !== undefined) === true
  if (movesTime || !isTimed) return { expected, notes: [] }
  const { took: _took, stream, ...rest } = expected
  const events = stream?.events?.map(({ elapsed: _elapsed, ...event }) => event)
  return {
    expected: { ...rest, ...(stream && { stream: { ...stream, ...defined({ events }) } }) },
    notes: ['`took` and `elapsed` are checked only in virtual time'],
  }
}

export async function runCall(
  run: StoryRun,
  written: CallStep | FetchStep,
  number: string,
): Promise<StepReport> {
  const { options } = run
  const { pacer } = options.target
  const head: StepHead = {
    number,
    step: written,
    kind: 'call' in written ? 'call' : 'fetch',
    title: 'call' in written ? written.call : `${written.method ?? 'GET'} ${written.fetch}`,
    at: pacer.now(),
  }
  const skipReason = options.skip?.(written)
  if (skipReason !== undefined) return reportStep(run, head, { reason: skipReason })
  const built = await requestOf(run, written)
  if ('reason' in built || 'failures' in built) return reportStep(run, head, built)
  const { step, request } = built
  const path = `${request.method} ${pathOf(run, request.url)}`
  const sentHead = head.kind === 'fetch' ? { ...head, title: path } : head

  const firedBefore = pacer.fired.length
  const result = await sendStep(run, built, number, pollPlan(run, built))
  const { exchanges } = result
  const view = viewOf(result.last)
  const { expected, notes } = checkable(step.expect ?? {}, options.target.movesTime)
  const contract = contractFailures(run, exchanges, expected)
  const leaves = 'call' in step && step.stopAfter !== undefined
  const unexpected = result.late.length > 0 ? result.late : unmet(expected, view, result.last.reason, leaves)
  const failures = [...asFailures(unexpected), ...contract.failures]
  const savedHere = save(run, step, view, failures)
  return reportStep(run, sentHead, {
    exchanges,
    failures,
    changed: run.changes.of(view, path),
    saved: savedHere,
    fired: pacer.fired.slice(firedBefore),
    notes: [...notes, ...contract.notes],
  })
}

/** The step with saved values filled in, and its request; or the reason why there is none. */
async function requestOf(
  { options, saved }: StoryRun,
  written: CallStep | FetchStep,
): Promise<Sendable | { readonly reason: string } | { readonly failures: readonly Failure[] }> {
  const { parts, match } = options
  const failed = (difference: Difference) => ({ failures: asFailures([difference]) })
  try {
    const step = filledIn(written, saved)
    const request = await ('call' in step ? callRequest(step, parts) : fetchRequest(step, parts, match))
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
    for (const violation of violationsIn(run, exchange)) {
      const field = fieldOf(violation)
      const { severity, expected, got } = violation
      if (severity === 'addition') additions.add(field)
      else violations.set(`${field} ${expected}`, { kind: 'contract', field, expected, got })
    }
  const added = [...additions].slice(0, maxPerStep).join(', ')
  return {
    failures: [...violations.values()].slice(0, maxPerStep),
    notes: added === '' ? [] : [`fields that are not in the contract: ${added}`],
  }
}

function routeOf(run: StoryRun, { operation, request: { method, url } }: SentExchange): Route | undefined {
  const { target, parts, match } = run.options
  if (operation !== undefined) return parts.routeOf(operation)
  if (!url.startsWith(`${target.base}/`)) return undefined
  const found = match(method, pathOf(run, url))
  return found.kind === 'found' ? found.route : undefined
}

function violationsIn(run: StoryRun, exchange: SentExchange): Violation[] {
  const { sent, response, broken } = exchange
  const route = broken === undefined ? routeOf(run, exchange) : undefined
  if (response === undefined || route === undefined) return []
  const { status, headers, body, events } = response
  return run.judge(
    route,
    { status, headers: new Map(headers), body: body?.text ?? '', events },
    { method: sent.method, streams: wantsStream(sent) },
  )
}

function wantsStream({ body }: StepRequest): boolean {
  if (body === undefined || 'bytes' in body) return false
  if ('json' in body) return valueAt(body.json, ['stream']) === true
  return body.form.some((part) => part.name === 'stream' && 'value' in part && part.value === 'true')
}

/** The place, in the notation of expectations: `body.choices[0].index`, `stream.events[2].type`. */
function fieldOf({ where, pointer, event }: Violation): string {
  const path = partsOf(pointer).map((part) => (/^\d+$/.test(part) ? Number(part) : part))
  return fieldPath([where, ...(event === undefined ? [] : ['events', event]), ...path])
}
