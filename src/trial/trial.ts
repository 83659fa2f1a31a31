/** The runs of a trial: one for each failure of each request in the healthy run. */
import { formatDuration } from '../engine/duration.ts'
import type { JournalEntry } from '../exchange/exchange.ts'
import type { ScenarioInput } from '../generated/scenario-types.ts'
import { didYouMean } from '../protocol/nearest-word.ts'
import type { Vocabulary } from '../protocol/operations.ts'
import type { Nature } from '../scenario/faults/nature.ts'
import { allFailures, type Failure, rankOf } from './failures.ts'
import { judgeRun, type ObservedRun, type TrialVerdict, type VerdictName } from './judge.ts'
import { type OnIdle, runConcurrently } from './run-concurrently.ts'
import { type Target, targetsOf } from './target.ts'

/** One run of a trial. */
export interface Cell {
  readonly operation: string
  /** The number of the failing request; undefined if every request fails. */
  readonly nth: number | undefined
  readonly failure: Failure
  readonly target: Target
}

/** The verdict on one run. */
export interface TrialResult extends TrialVerdict {
  /** `chat.create: disconnect, request 1`. */
  readonly title: string
  readonly operation: string
  readonly failure: string
  readonly nature: Nature
  /** The response that the client got, in one sentence. */
  readonly what: string
  /** The number of the request that failed; undefined if every request did. */
  readonly nth: number | undefined
  readonly acceptable: boolean
  /** How long the client took, by its time. `Infinity` if nothing could end its wait. */
  readonly seconds: number
}

/** A run with its verdict. */
export interface JudgedRun {
  readonly cell: Cell
  readonly run: ObservedRun
  readonly result: TrialResult
}

export interface CellSelection {
  /** Failures, operations, groups (`videos.*`) and pairs such as `videos.*:reset`; empty for all. */
  readonly only: readonly string[]
  readonly except: readonly string[]
  /** Only the ten failures that break most clients, each once. */
  readonly quick?: boolean | undefined
}

/** The runs to make, in the order of the healthy run's requests and of the catalogue. */
export function cellsOf(
  healthy: readonly JournalEntry[],
  vocabulary: Vocabulary,
  { only, except, quick }: CellSelection,
): Cell[] {
  const met = new Set<string>()
  const isFirst = (key: string): boolean => !met.has(key) && met.add(key) !== undefined
  const cells = targetsOf(healthy, vocabulary).flatMap((target) => {
    const { operation } = target.operation.endpoint
    return allFailures
      .filter((failure) => failure.meets?.(target) !== false)
      .filter(({ id }) => only.length === 0 || isNamed(id, operation, only))
      .filter(({ id }) => !isNamed(id, operation, except))
      .flatMap((failure): Cell[] => {
        const cell = { operation, nth: target.nth, failure, target }
        const once = isFirst(`${operation} ${failure.id} ${target.delivery}`) ? [cell] : []
        // A harmless failure of every request shows nothing new.
        const always = failure.nature !== 'harmless' && isFirst(`${operation} ${failure.id}`)
        return always ? [...once, { ...cell, nth: undefined }] : once
      })
  })
  return quick === true ? quickOnes(cells) : cells
}

/** The number of runs with `--quick`. */
const quickRuns = 10

/** One run of each of the failures that break most clients, in the order of `cells`. */
function quickOnes(cells: readonly Cell[]): Cell[] {
  const chosen = new Map<string, Cell>()
  for (const cell of worstFirst(cells)) {
    if (chosen.size === quickRuns) break
    if (!chosen.has(cell.failure.id)) chosen.set(cell.failure.id, cell)
  }
  const all = [...chosen.values()]
  return cells.filter((cell) => all.includes(cell))
}

/** Whether one of the names selects the failure of the operation. */
function isNamed(failure: string, operation: string, names: readonly string[]): boolean {
  const places = [operation, groupOf(operation)]
  const selecting = [failure, ...places, ...places.map((place) => `${place}:${failure}`)]
  return names.some((name) => selecting.includes(name))
}

const groupOf = (operation: string): string => `${operation.split('.', 1)[0]}.*`

/** The error in a selection, such as `only: expected a failure, …`; undefined if all names are known. */
export function selectionError(
  selection: Pick<CellSelection, 'only' | 'except'>,
  operations: readonly string[],
): string | undefined {
  for (const list of ['only', 'except'] as const) {
    const errors = selection[list].flatMap((name) => nameError(name, operations) ?? [])
    if (errors.length > 0) return `${list}: ${errors.join('; ')}`
  }
  return undefined
}

function nameError(name: string, operations: readonly string[]): string | undefined {
  const failures = allFailures.map(({ id }) => id)
  const places = [...new Set([...operations, ...operations.map(groupOf)])]
  const [first = '', second] = name.split(/:(.*)/s)
  const checked = [
    { word: first, known: second === undefined ? [...failures, ...places] : places },
    ...(second === undefined ? [] : [{ word: second, known: failures }]),
  ]
  const wrong = checked.find(({ word, known }) => !known.includes(word))
  if (wrong === undefined) return undefined
  const hint = didYouMean(wrong.word, wrong.known, 'gateway-sim trial --list shows them')
  return `expected a failure, an operation or OPERATION:FAILURE, got ${JSON.stringify(name)}; ${hint}`
}

/** The id of the rule that makes a failure. */
const trialRule = 'trial'

/** The scenario of one run. */
export function scenarioOf({ operation, nth, failure, target }: Cell): ScenarioInput {
  const { delivery, position } = target
  const canStream = target.operation.endpoint.event !== undefined
  const isLimited = canStream && (nth !== undefined || failure.delivery !== undefined)
  const stream = delivery === 'stream' ? true : { not: true }
  const when = {
    operation: operation as never,
    ...(isLimited ? { body: { stream } } : {}),
    ...(nth === undefined ? {} : { nth: failure.early ? position.received : position.checked }),
  }
  return {
    title: titleOf({ operation, nth, failure }),
    rules: [{ id: trialRule, when, then: failure.then(target) }],
  }
}

/** `chat.create: disconnect, first request`. */
export function titleOf({ operation, nth, failure }: Omit<Cell, 'target'>): string {
  return `${operation}: ${failure.id}, ${nth === undefined ? 'every request' : `request ${nth}`}`
}

/** How many characters of the output on stderr a failure of the healthy run shows. */
const maxTail = 1000

/** Why the healthy run is no reference for the others; undefined if it is. */
export function unusable({
  end,
  entries,
  stderr,
}: ObservedRun): { readonly outcome: 'failed' | 'skipped'; readonly reason: string } | undefined {
  const tail = stderr.trim() === '' ? '' : `\n${stderr.trimEnd().slice(-maxTail)}`
  const failed = (reason: string) => ({ outcome: 'failed', reason: reason + tail }) as const
  if (end.kind === 'hung') return failed('the command did not end within --timeout in the healthy run')
  if (end.kind === 'killed') return failed(`${end.signal} killed the command in the healthy run`)
  if (end.code !== 0)
    return failed(
      `the command exited with ${end.code} in the healthy run: ` +
        'make it succeed with `gateway-sim exec` first',
    )
  if (entries.length > 0) return undefined
  const reason =
    'no request reached the simulator: expected the command to take its base URL from the environment ' +
    '(such as OPENAI_BASE_URL, ANTHROPIC_BASE_URL or GATEWAY_SIM_URL)'
  return { outcome: 'skipped', reason }
}

export interface TrialRunner {
  /** Runs the client once, with the failure. Calls `onIdle` when the client starts or ends to wait. */
  run(cell: Cell, onIdle: OnIdle): Promise<ObservedRun>
  readonly healthy: ObservedRun
  readonly vocabulary: Vocabulary
  /** The longest acceptable run, in milliseconds of the client's time. Default: any. */
  readonly max?: number | undefined
  /** Number of concurrent runs; see `runConcurrently`. */
  readonly jobs: number
  /** Called with the verdict on each run, and how many have ended. */
  done(result: TrialResult, count: number): void
  /** Whether to start no more runs. */
  isStopped(): boolean
}

/**
 * Runs the cells, those first whose failure breaks most clients. The results have the order of `cells`,
 * without cells that did not run.
 */
export async function runCells(cells: readonly Cell[], runner: TrialRunner): Promise<JudgedRun[]> {
  const judged = new Map<Cell, JudgedRun>()
  await runConcurrently(worstFirst(cells), runner, async (cell, onIdle) => {
    const run = await runner.run(cell, onIdle)
    // A stopped run has no verdict.
    if (runner.isStopped()) return
    const result = resultOf(cell, run, runner)
    judged.set(cell, { cell, run, result })
    runner.done(result, judged.size)
  })
  return cells.flatMap((cell) => judged.get(cell) ?? [])
}

/** Cells whose failure breaks most clients first; equal ones in their order. */
export const worstFirst = (cells: readonly Cell[]): Cell[] =>
  cells.toSorted((a, b) => rankOf(a.failure) - rankOf(b.failure))

function resultOf(cell: Cell, run: ObservedRun, { healthy, vocabulary, max }: TrialRunner): TrialResult {
  const { operation, nth } = cell
  const { id, nature, what, cutsText } = cell.failure
  const isForEver = run.end.kind === 'hung' && run.end.hang === 'for ever'
  const seconds = isForEver ? Number.POSITIVE_INFINITY : run.seconds
  const verdict = judgeRun(run, healthy, { nature, cutsText, rule: trialRule }, vocabulary)
  const isTooLong = max !== undefined && seconds * 1000 > max
  return {
    ...{ title: titleOf(cell), operation, failure: id, nature, what, nth, ...verdict },
    reason: isTooLong ? `${verdict.reason} It took longer than ${formatDuration(max)}.` : verdict.reason,
    acceptable: isAcceptable(verdict.verdict, nature) && !isTooLong,
    seconds,
  }
}

const fine: readonly VerdictName[] = ['recovered', 'gave up', 'fell back', 'not reached']

const isAcceptable = (verdict: VerdictName, nature: Nature): boolean =>
  fine.includes(verdict) && (nature !== 'harmless' || ['recovered', 'not reached'].includes(verdict))
