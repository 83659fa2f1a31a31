/** Takes a `call` or `fetch` step: sends the request, checks the reply, saves parts of it. */
import { formatDuration } from '../engine/duration.ts'
import type { CallStep, Expectation, FetchStep } from '../scenario/format/steps.ts'
import { ScenarioError } from '../scenario/scenario-error.ts'
import { callRequest, fetchRequest } from './build-request.ts'
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
  const { options, saved } = run
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
  let step: CallStep | FetchStep
  let request: StepRequest
  try {
    step = filledIn(written, saved)
    request = await ('call' in step ? callRequest(step, options.parts) : fetchRequest(step, options.parts))
  } catch (error) {
    if (error instanceof ScenarioError)
      return reportStep(run, head, {
        failures: [{ kind: 'expectation', field: 'file', expected: 'a file to send', got: error.message }],
      })
    if (!(error instanceof UnknownNames)) throw error
    const names = error.names.map((name) => `\${${name}}`).join(' and ')
    return reportStep(run, head, { reason: `it needs ${names}, which no earlier step has saved` })
  }
  const path = `${request.method} ${pathOf(run, request.url)}`
  const sentHead = head.kind === 'fetch' ? { ...head, title: path } : head

  const plan = pollPlan(run, step, request)
  // The steps that follow need the same time: it stays owed.
  if (plan.wait > run.maxWait) return reportStep(run, sentHead, { reason: tooLong(plan.wait, run.maxWait) })
  run.owed = 0
  const firedBefore = pacer.fired.length
  const result = await poll(run, step, request, number, plan)
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
    notes: [...notes, ...contract.notes, ...(needsKeyNote ? [options.missingKeyNote as string] : [])],
  })
}

/** Real servers are not asked to load addresses that did not come from their replies. */
function foreignAddress({ options: { target } }: StoryRun, step: CallStep | FetchStep): string | undefined {
  return 'fetch' in step && !target.movesTime && !/^(?:\/|\$\{)/.test(step.fetch)
    ? 'only addresses of this server, and those from its replies, are fetched'
    : undefined
}

function tooLong(wait: number, maxWait: number): string {
  return [
    `it needs to wait ${formatDuration(wait)}, time cannot be advanced on this server,`,
    `and --limit is ${formatDuration(maxWait)}`,
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
