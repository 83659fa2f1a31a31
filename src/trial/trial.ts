/** The runs of a trial: one for each failure of each request in the healthy run. */
import type { JournalEntry } from '../exchange/exchange.ts'
import type { ScenarioInput } from '../generated/scenario-types.ts'
import type { Vocabulary } from '../protocol/operations.ts'
import { allFailures, type Failure } from './failure.ts'
import { judgeRun, type ObservedRun, type TrialVerdict } from './judge.ts'
import { isNamed } from './names.ts'
import { acceptedBy, isAcceptable, type PolicyEntry } from './policy.ts'
import { type Target, targetsOf } from './target.ts'

/** One run of a trial. */
export interface Cell {
  readonly operation: string
  /** The number of the failing request; undefined if every request fails. */
  readonly nth: number | undefined
  readonly failure: Failure
  readonly target: Target
}

/** A run with its verdict. */
export interface JudgedCell extends TrialVerdict {
  readonly cell: Cell
  readonly acceptable: boolean
  /** Why the policy accepts it, if the default does not. */
  readonly accepted: string | undefined
  readonly run: ObservedRun
}

export interface CellSelection {
  /** Names of failures or operations; empty for all. */
  readonly only: readonly string[]
  readonly except: readonly string[]
}

/** The runs to make, in the order of the healthy run's requests and of the catalogue. */
export function cellsOf(
  healthy: readonly JournalEntry[],
  vocabulary: Vocabulary,
  { only, except }: CellSelection,
): Cell[] {
  const met = new Set<string>()
  const isFirst = (key: string): boolean => !met.has(key) && met.add(key) !== undefined
  return targetsOf(healthy, vocabulary).flatMap((target) => {
    const { operation } = target.operation.endpoint
    return allFailures
      .filter((failure) => failure.meets(target))
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

/** Why the healthy run is no reference for the others; undefined if it is. */
export function unusable({ end, entries }: ObservedRun): string | undefined {
  if (end.kind === 'timedOut') return 'the command did not end within --timeout in the healthy run'
  if (end.kind === 'killed') return `${end.signal} killed the command in the healthy run`
  if (end.code !== 0)
    return (
      `the command exited with ${end.code} in the healthy run: ` +
      'make it succeed with `gateway-sim exec` first'
    )
  if (entries.length > 0) return undefined
  return (
    'no request reached the simulator: expected the command to take its base URL from the environment ' +
    '(such as OPENAI_BASE_URL, ANTHROPIC_BASE_URL or GATEWAY_SIM_URL)'
  )
}

export interface TrialRunner {
  /** Runs the client once, with the failure. */
  run(cell: Cell): Promise<ObservedRun>
  readonly healthy: ObservedRun
  readonly vocabulary: Vocabulary
  /** Number of concurrent runs. */
  readonly jobs: number
  /** Verdicts that are acceptable beyond the defaults. Default: none. */
  readonly policy?: readonly PolicyEntry[]
  /** Called with the verdict on each cell. */
  done(cell: JudgedCell): void
  /** Whether to start no more runs. */
  isStopped(): boolean
}

/** Runs the cells. The results have the order of `cells`, without cells that did not run. */
export async function runCells(cells: readonly Cell[], runner: TrialRunner): Promise<JudgedCell[]> {
  const judged = new Map<Cell, JudgedCell>()
  const waiting = [...cells]
  const work = async (): Promise<void> => {
    for (let cell = waiting.shift(); cell !== undefined && !runner.isStopped(); cell = waiting.shift()) {
      const one = await judgedCell(cell, runner)
      if (one === undefined) return
      judged.set(cell, one)
      runner.done(one)
    }
  }
  await Promise.all(Array.from({ length: runner.jobs }, work))
  return cells.flatMap((cell) => judged.get(cell) ?? [])
}

/** Undefined if the trial was stopped. */
async function judgedCell(cell: Cell, runner: TrialRunner): Promise<JudgedCell | undefined> {
  const { healthy, vocabulary, policy = [] } = runner
  const { nature, cutsText } = cell.failure
  const run = await runner.run(cell)
  if (runner.isStopped()) return undefined
  const result = judgeRun(run, healthy, { nature, cutsText, rule: trialRule }, vocabulary)
  const acceptable = isAcceptable(result.verdict, nature)
  const accepted = acceptable ? undefined : acceptedBy(policy, cell, result.verdict)
  return {
    ...result,
    run,
    cell,
    acceptable: acceptable || accepted !== undefined,
    accepted,
  }
}
