/** A report on a trial whose runs were not made. */
import type { JournalEntry } from '../../src/exchange/exchange.ts'
import { allFailures } from '../../src/trial/failures.ts'
import type { ObservedRun, VerdictName } from '../../src/trial/judge.ts'
import type { Trial } from '../../src/trial/report.ts'
import { type JudgedRun, titleOf } from '../../src/trial/trial.ts'

export const runWith = (entries: readonly JournalEntry[], stderr = ''): ObservedRun => ({
  end: { kind: 'exited', code: stderr === '' ? 0 : 1 },
  stdout: '',
  stderr,
  seconds: 1.25,
  entries,
  findings: [],
})

interface CellOptions {
  readonly operation?: string
  readonly failure?: string
  readonly nth?: number | undefined
  readonly verdict?: VerdictName
  readonly acceptable?: boolean
  readonly run?: ObservedRun
}

export function judged(options: CellOptions): JudgedRun {
  const { operation = 'chat.create', failure: id = 'reset', verdict = 'recovered', nth } = options
  const { acceptable = true, run = runWith([]) } = options
  const failure = allFailures.find((one) => one.id === id)
  if (failure === undefined) throw new Error(`no failure ${id}`)
  const target = {
    operation: { endpoint: { operation } },
    nth: nth ?? 1,
    position: { received: nth ?? 1, checked: nth ?? 1 },
    delivery: 'stream',
    events: 10,
    isJson: false,
  } as unknown as JudgedRun['cell']['target']
  const cell = { operation, nth, failure, target }
  const { nature, what } = failure
  const place = { title: titleOf(cell), operation, failure: id, nature, what, nth }
  const reason = 'Because of a | and <b>.'
  return { cell, run, result: { ...place, verdict, acceptable, reason, evidence: [0], seconds: run.seconds } }
}

export const trialOf = (runs: readonly JudgedRun[], healthy = runWith([])): Trial => ({
  version: '1.0.0',
  command: ['node', 'app.js'],
  healthy,
  note: 'Client time: real.',
  planned: runs.map(({ cell }) => cell),
  runs,
})

/** A run of each failure for each of these operations, once and always. */
export const everyCell = (operations: readonly string[]): JudgedRun[] =>
  operations.flatMap((operation) =>
    allFailures.flatMap(({ id }) =>
      [1, undefined].map((nth) =>
        judged({
          operation,
          failure: id,
          nth,
          ...(id === 'stall' ? { verdict: 'hung', acceptable: false } : {}),
        }),
      ),
    ),
  )
