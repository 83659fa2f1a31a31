/** Takes a `call` or `fetch` step: sends the request, checks the reply, saves parts of it. */
import { formatDuration } from '../engine/duration.ts'
import type { CallStep, Expectation, FetchStep, Step } from '../scenario/format/steps.ts'
import { ScenarioError } from '../scenario/scenario-error.ts'
import { callRequest, fetchRequest, Unsendable } from './build-request.ts'
import { contractFailures } from './contract.ts'
import type { Difference } from './differences.ts'
import type { Exchange, StepRequest } from './exchange.ts'
import { type CallView, unmet } from './judge.ts'
import { checkable, type PollResult, poll, pollPlan } from './poll.ts'
import type { Failure, StepReport } from './report.ts'
import { describeAbsence, filledIn, partAt, UnknownNames } from './saved-values.ts'
import { pathOf, reportStep, type StepHead, type StoryRun } from './story-run.ts'

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
  const skipReason = options.skip?.(number) ?? foreignAddress(run, written)
  if (skipReason !== undefined) return reportStep(run, head, { reason: skipReason })
  const built = await requestOf(run, written)
  if ('reason' in built || 'failures' in built) return reportStep(run, head, built)
  const { step, request } = built
  const path = `${request.method} ${pathOf(run, request.url)}`
  const sentHead = head.kind === 'fetch' ? { ...head, title: path } : head

  const plan = pollPlan(run, step, request)
  // The steps that follow need the same time: it stays owed.
  if (plan.wait > run.maxWait) return reportStep(run, sentHead, { reason: tooLong(plan.wait, run.maxWait) })
  const { owed } = run
  run.owed = 0
  const firedBefore = pacer.fired.length
  const result = await poll(run, step, request, number, plan)
  // What the scenario expects after an hour is not wrong after five minutes.
  if (result.timedOut === true && owed > plan.limit && !isUntil(step)) {
    run.owed = owed
    return reportStep(run, sentHead, { reason: tooLong(owed, run.maxWait) })
  }
  const { exchanges, view } = result
  const { expected, notes } = checkable(step.expect ?? {}, options.target.movesTime)
  const contract = contractFailures(run, exchanges, expected)
  const failures = [...expectationFailures(result, step, expected), ...contract.failures]
  const savedHere = save(run, step, view, failures)
  const needsKeyNote = failures.length > 0 && view.status === 401 && options.missingKeyNote !== undefined
  return reportStep(run, sentHead, {
    exchanges,
    failures,
    changed: run.changes.of(view, path),
    saved: savedHere,
    fired: pacer.fired.slice(firedBefore),
    notes: [
      ...notes,
      ...contract.notes,
      ...withheldKey(step, request),
      ...(needsKeyNote ? [options.missingKeyNote as string] : []),
    ],
  })
}

/** The step with what earlier ones have saved, and its request; or why there is none. */
async function requestOf(
  { options, saved, story }: StoryRun,
  written: CallStep | FetchStep,
): Promise<
  | { readonly step: CallStep | FetchStep; readonly request: StepRequest }
  | { readonly reason: string }
  | { readonly failures: readonly Failure[] }
> {
  const { parts, match } = options
  const failed = (difference: Difference) => ({
    failures: [{ kind: 'expectation', ...difference } as const],
  })
  try {
    const step = filledIn(written, saved)
    const request = await ('call' in step ? callRequest(step, parts) : fetchRequest(step, parts, match))
    return { step, request }
  } catch (error) {
    if (error instanceof ScenarioError)
      return failed({ field: 'file', expected: 'a file to send', got: error.message })
    if (error instanceof Unsendable) return failed(error.difference)
    if (error instanceof UnknownNames) return { reason: unsaved(error.names, story.steps) }
    throw error
  }
}

// Where a scenario was checked, some earlier step saves each of them.
function unsaved(names: readonly string[], steps: readonly Step[]): string {
  const words = names.map((name) => `\${${name}}`).join(' and ')
  const savers = names.flatMap((name) => saversOf(name.split('.', 1)[0] ?? '', steps))
  const remedy = savers.length === 0 ? '' : `: it runs once step ${[...new Set(savers)].join(' and ')} has`
  return `it needs ${words}, which no earlier step has saved${remedy}`
}

/** The numbers of the steps that save a name. */
function saversOf(name: string, steps: readonly Step[], before = ''): string[] {
  return steps.flatMap((step, index) => {
    const number = `${before}${index + 1}`
    if ('parallel' in step) return saversOf(name, step.parallel, `${number}.`)
    return 'save' in step && Object.hasOwn(step.save ?? {}, name) ? [number] : []
  })
}

function withheldKey(step: CallStep | FetchStep, { key, url }: StepRequest): string[] {
  return 'fetch' in step && step.key !== undefined && key === undefined
    ? [`no key was sent: ${URL.canParse(url) ? new URL(url).origin : url} is another server`]
    : []
}

const isUntil = (step: CallStep | FetchStep): boolean => 'until' in step && step.until !== undefined

/** Real servers are not asked to load addresses that did not come from their replies. */
function foreignAddress({ options: { target } }: StoryRun, step: CallStep | FetchStep): string | undefined {
  return 'fetch' in step && !target.movesTime && !/^(?:\/|\$\{)/.test(step.fetch)
    ? 'only addresses of this server (/v1/…), and those saved from its replies (${name}), are fetched'
    : undefined
}

function tooLong(wait: number, maxWait: number): string {
  return [
    `it needs to wait ${formatDuration(wait)}, time cannot be advanced on this server,`,
    `and --limit is ${formatDuration(maxWait)}: allow it with --limit ${formatDuration(wait)}`,
  ].join(' ')
}

function expectationFailures(
  { exchanges, view, late }: PollResult,
  step: CallStep | FetchStep,
  expected: Expectation,
): Failure[] {
  const last = exchanges.at(-1) as Exchange
  const leaves = 'call' in step && step.stopAfter !== undefined
  const differences: readonly Difference[] =
    late.length > 0 ? late : unmet(expected, view, last.reason, leaves)
  return differences.map((difference) => ({ kind: 'expectation', ...difference }))
}

/** Saves the parts that the step names; what is missing is a failure, unless there is another one already. */
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
    } else if (failures.length === 0)
      failures.push({
        kind: 'expectation',
        field: path,
        expected: `something to save as "${name}"`,
        got: describeAbsence(view, path),
      })
  }
  return savedHere
}
