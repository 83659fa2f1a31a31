/** The runs of a trial: one for each failure that can meet a request of the healthy run. */
import { type JournalEntry, RecordedCall } from '../engine/journal-entry.ts'
import type { ScenarioInput } from '../generated/scenario-types.ts'
import type { Vocabulary } from '../protocol/operations.ts'
import { allFailures, type Failure, type Target } from './failure.ts'
import { judgeRun, type ObservedRun, type TrialVerdict } from './judge.ts'
import { isAcceptable } from './policy.ts'

/** One run of a trial. */
export interface Cell {
  readonly operation: string
  /** The number of the request that meets the failure; undefined if every request meets it. */
  readonly nth: number | undefined
  readonly failure: Failure
  readonly target: Target
}

/** A run with its verdict. */
export interface JudgedCell extends TrialVerdict {
  readonly cell: Cell
  readonly acceptable: boolean
  readonly run: ObservedRun
}

export interface CellSelection {
  /** Whether every request of the healthy run is a target, instead of the first of each operation. */
  readonly each: boolean
  /** Names of failures or operations; empty for all. */
  readonly only: readonly string[]
  readonly except: readonly string[]
}

/** The requests of a healthy run that failures can meet. */
function targetsOf(entries: readonly JournalEntry[], vocabulary: Vocabulary, each: boolean): Target[] {
  const counts = new Map<string, number>()
  return entries.flatMap((entry): Target[] => {
    const operation = entry.operation === undefined ? undefined : vocabulary.operation(entry.operation)
    if (operation === undefined || entry.operation === undefined) return []
    const nth = (counts.get(entry.operation) ?? 0) + 1
    counts.set(entry.operation, nth)
    if (nth > 1 && !each) return []
    const isStream = RecordedCall.isStream(entry)
    const isJson = !isStream && /^\s*[[{]/.test(entry.response ?? '')
    return [{ operation, nth, events: isStream ? entry.stream.length : undefined, isJson }]
  })
}

/** The runs to make, in the order of the healthy run's requests and of the catalogue. */
export function cellsOf(
  healthy: readonly JournalEntry[],
  vocabulary: Vocabulary,
  { each, only, except }: CellSelection,
): Cell[] {
  return targetsOf(healthy, vocabulary, each).flatMap((target) => {
    const operation = target.operation.endpoint.operation
    return allFailures
      .filter((failure) => failure.meets(target))
      .filter(({ id }) => only.length === 0 || isNamed(id, operation, only))
      .filter(({ id }) => !isNamed(id, operation, except))
      .flatMap((failure): Cell[] => {
        const once = { operation, nth: target.nth, failure, target }
        // What a client does not notice, it does not notice every time.
        return target.nth > 1 || failure.nature === 'harmless' ? [once] : [once, { ...once, nth: undefined }]
      })
  })
}

/** Whether a name is that of the failure, of the operation, of its group (`videos.*`), or of both (`a:b`). */
function isNamed(failure: string, operation: string, names: readonly string[]): boolean {
  const group = `${operation.split('.', 1)[0]}.*`
  return names.some((name) => {
    const [first = '', second] = name.split(':')
    const isOperation = first === operation || first === group
    return second === undefined ? isOperation || first === failure : isOperation && second === failure
  })
}

/** The id of the rule that makes a failure. */
export const trialRule = 'trial'

/** The scenario of one run. */
export function scenarioOf({ operation, nth, failure, target }: Cell): ScenarioInput {
  const when = { operation: operation as never, ...(nth === undefined ? {} : { nth }) }
  return {
    title: titleOf({ operation, nth, failure }),
    rules: [{ id: trialRule, when, then: failure.then(target) }],
  }
}

/** `chat.create: disconnect, first request`. */
export function titleOf({ operation, nth, failure }: Omit<Cell, 'target'>): string {
  return `${operation}: ${failure.id}, ${nth === undefined ? 'every request' : `request ${nth}`}`
}

export interface TrialRunner {
  /** Runs the client once, with the failure. */
  run(cell: Cell): Promise<ObservedRun>
  readonly healthy: ObservedRun
  readonly vocabulary: Vocabulary
  /** How many runs happen at the same time. */
  readonly jobs: number
  /** Called after each run. */
  done(cell: JudgedCell): void
  /** True once no further run is to start. */
  isStopped(): boolean
}

/** Makes the runs. The result has the order of `cells`, without those that were not made. */
export async function runCells(cells: readonly Cell[], runner: TrialRunner): Promise<JudgedCell[]> {
  const { healthy, vocabulary } = runner
  const judged = new Map<Cell, JudgedCell>()
  const waiting = [...cells]
  const work = async (): Promise<void> => {
    for (let cell = waiting.shift(); cell !== undefined && !runner.isStopped(); cell = waiting.shift()) {
      const run = await runner.run(cell)
      if (runner.isStopped()) return
      const { nature } = cell.failure
      const verdict = judgeRun(run, healthy, { nature, rule: trialRule }, vocabulary)
      const one = { ...verdict, cell, run, acceptable: isAcceptable(verdict, nature) }
      judged.set(cell, one)
      runner.done(one)
    }
  }
  await Promise.all(Array.from({ length: runner.jobs }, work))
  return cells.flatMap((cell) => judged.get(cell) ?? [])
}
