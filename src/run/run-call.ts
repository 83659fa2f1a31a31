/** Runs a `call` or `fetch` step: sends the request, checks the response, saves parts of it. */

import { formatDuration } from '../engine/duration.ts'
import { defined } from '../engine/fields.ts'
import { partsOf } from '../engine/pointer.ts'
import type { Judge } from '../judges/contract/judge-response.ts'
import { type ContractFinding, placeOf } from '../judges/finding.ts'
import { callOf } from '../judges/recorded-calls.ts'
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
  step: CallStep | FetchStep,
  { method }: StepRequest,
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

interface PollResult {
  readonly exchanges: readonly SentExchange[]
  readonly view: CallView
  /** Why polling ended without success. */
  readonly late: readonly Difference[]
}

async function poll(
  { story, options: { target, onProgress } }: StoryRun,
  step: CallStep | FetchStep,
  request: StepRequest,
  number: string,
  { waitFor, interval, timeout }: PollPlan,
): Promise<PollResult> {
  const { pacer } = target
  const say = (message: string): void => {
    if (!target.movesTime) onProgress?.(number, message)
  }
  const operation = 'call' in step ? step.call : undefined
  const stopAfter = 'call' in step ? step.stopAfter : undefined
  const began = pacer.now()
  const exchanges: SentExchange[] = []
  for (;;) {
    const exchange = await target.send(request, { stopAfter })
    exchanges.push(exchange)
    const view = viewOf(exchange)
    const missing = waitFor === undefined ? [] : unmet(waitFor, view, exchange.reason)
    if (missing.length === 0) return { exchanges, view, late: [] }
    if (isFinal(view, operation, story)) return { exchanges, view, late: [finalRejection(view)] }
    // It is sent once more at the end of the timeout.
    const left = timeout - (pacer.now() - began)
    if (left <= 0 || exchanges.length >= maxCalls)
      return { exchanges, view, late: [timedOut(exchanges.length, timeout), ...missing] }
    say(`${counted(exchanges.length, 'request')}, ${missing[0]?.field} is ${missing[0]?.got}`)
    await pacer.sleep(Math.min(interval, left))
  }
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
  const result = await poll(run, step, request, number, pollPlan(run, step, request))
  const { exchanges, view } = result
  const { expected, notes } = checkable(step.expect ?? {}, options.target.movesTime)
  const contract = contractFailures(run, exchanges, expected)
  const failures = [...expectationFailures(result, step, expected), ...contract.failures]
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
): Promise<
  | { readonly step: CallStep | FetchStep; readonly request: StepRequest }
  | { readonly reason: string }
  | { readonly failures: readonly Failure[] }
> {
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

function expectationFailures(
  { exchanges, view, late }: PollResult,
  step: CallStep | FetchStep,
  expected: Expectation,
): Failure[] {
  const last = exchanges.at(-1) as SentExchange
  const leaves = 'call' in step && step.stopAfter !== undefined
  return asFailures(late.length > 0 ? late : unmet(expected, view, last.reason, leaves))
}

export const asFailures = (differences: readonly Difference[]): Failure[] =>
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

/** The contract violations of a step, or their absence if `offContract` expects some. */
function contractFailures(
  run: StoryRun,
  exchanges: readonly SentExchange[],
  expected: Expectation,
): { readonly failures: readonly Failure[]; readonly notes: readonly string[] } {
  const violations = new Map<string, Failure>()
  const [additional, ordered] = [new Set<string>(), new Set<string>()]
  for (const exchange of exchanges) {
    const route = exchange.broken === undefined ? routeOf(run, exchange) : undefined
    if (route === undefined) continue
    for (const finding of findingsIn(run.judge, exchange, route)) {
      const field = fieldOf(finding)
      const { code, severity, args } = finding
      const { operation, expected, got } = args
      const isOrdered =
        placeOf(finding).where === 'stream' &&
        code === 'wrong-format' &&
        run.story.breaksEvents?.(operation) === true
      if (severity === 'hint') additional.add(field)
      else if (isOrdered) ordered.add(field)
      else violations.set(`${field} ${expected}`, { kind: 'contract', field, expected, got })
    }
  }
  const isOff = violations.size + additional.size + ordered.size > 0
  if (expected.offContract === true) return { notes: [], failures: isOff ? [] : [notOffContract] }
  const note = (title: string, fields: ReadonlySet<string>): string[] =>
    fields.size === 0 ? [] : [`${title}: ${[...fields].slice(0, maxPerStep).join(', ')}`]
  return {
    failures: [...violations.values()].slice(0, maxPerStep),
    notes: [
      ...note('events that the scenario corrupts', ordered),
      ...note('fields that are not in the contract', additional),
    ],
  }
}

const notOffContract: Failure = {
  kind: 'expectation',
  field: 'offContract',
  expected: 'a response that violates the contract',
  got: 'a response that conforms to the contract',
}

function routeOf(run: StoryRun, { operation, request: { method, url } }: SentExchange): Route | undefined {
  const { target, parts, match } = run.options
  if (operation !== undefined) return parts.routeOf(operation)
  if (!url.startsWith(`${target.base}/`)) return undefined
  const found = match(method, pathOf(run, url))
  return found.kind === 'found' ? found.route : undefined
}

function findingsIn(judge: Judge, exchange: SentExchange, route: Route): ContractFinding[] {
  const { response, sent } = exchange
  if (response === undefined) return []
  return judge(callOf(exchange, response, { route, params: {}, request: fieldsOf(sent) }))
}

function fieldsOf({ body }: StepRequest): unknown {
  if (body === undefined || 'bytes' in body) return undefined
  if ('json' in body) return body.json
  return Object.fromEntries(body.form.flatMap((part) => ('value' in part ? [[part.name, part.value]] : [])))
}

/** The place, in the notation of expectations: `body.choices[0].index`, `stream.events[2].type`. */
function fieldOf(finding: ContractFinding): string {
  const { where, pointer, event } = placeOf(finding)
  const path = partsOf(pointer).map((part) => (/^\d+$/.test(part) ? Number(part) : part))
  return fieldPath([where, ...(event === undefined ? [] : ['events', event]), ...path])
}
