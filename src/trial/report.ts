/** The report on a trial. */
import { stringify } from 'yaml'
import type { Item, Report } from '../report/report.ts'
import { textReport } from '../report/text.ts'
import { counted } from '../text/printable.ts'
import type { ObservedRun } from './judge.ts'
import { reasonLine, type ShownRun, tableSection, verdictsText } from './table.ts'
import { type Cell, type JudgedCell, scenarioOf, titleOf } from './trial.ts'
import type { TrialResult } from './try-failures.ts'

export interface Trial {
  readonly version: string
  readonly command: readonly string[]
  readonly healthy: ObservedRun
  /** The number of planned runs. */
  readonly planned: number
  readonly cells: readonly JudgedCell[]
}

/** The values of flags, by name. */
export type TrialFlags = Readonly<Record<string, unknown>>

/** The flags that change a run. */
const repeated = ['scenario', 'config', 'recordings', 'handlers', 'clock', 'seed', 'timeout']

/** The command that repeats one run. */
function commandOf({ operation, failure }: Cell, command: readonly string[], flags: TrialFlags): string {
  const words = repeated.flatMap((name) =>
    [flags[name] ?? []].flat().flatMap((one) => [`--${name}`, String(one)]),
  )
  const only = ['--only', `${operation}:${failure.id}`]
  return ['gateway-sim', 'trial', ...[...only, ...words, '--', ...command].map(quoted)].join(' ')
}

const quoted = (word: string): string =>
  /^[\w./:=@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`

export function reportOf(trial: Trial, flags: TrialFlags): Report {
  const { command, healthy, planned, cells } = trial
  const bad = cells.filter(({ acceptable }) => !acceptable)
  const withoutFailure = cells.length === 0 ? 'skipped' : 'passed'
  const seconds = healthy.seconds.toFixed(1)
  return {
    command: 'gateway-sim trial',
    subject: command.join(' '),
    outcome: bad.length > 0 ? 'failed' : withoutFailure,
    summary: summaryOf(cells, planned),
    sections: [
      { notes: [`Healthy run: ${counted(healthy.entries.length, 'request')} in ${seconds} s.`] },
      tableSection(cells.map(shownRun)),
      {
        title: 'Not acceptable',
        outcome: 'failed',
        items: cells.map((one) => itemOf(one, commandOf(one.cell, command, flags))),
      },
    ],
    data: jsonTrial(trial),
  }
}

const shownRun = (one: JudgedCell): ShownRun => {
  const { cell, verdict, reason, evidence, acceptable } = one
  const { operation, nth, failure } = cell
  return {
    title: titleOf(cell),
    operation,
    failure: failure.id,
    what: failure.what,
    nth,
    verdict,
    reason,
    evidence,
    acceptable,
  }
}

/** A case for each run; those that are not acceptable are shown everywhere. */
function itemOf(one: JudgedCell, again: string): Item {
  const { cell, run, acceptable, verdict } = one
  const testCase = {
    suite: cell.operation,
    name: titleOf(cell),
    type: verdict,
    durationMs: run.seconds * 1000,
  }
  const item = itemOfRun(shownRun(one))
  if (acceptable) return { ...item, outcome: 'passed', testCase, isOnlyCase: true }
  const stderr = run.stderr.slice(-maxErrorText)
  return {
    ...item,
    testCase,
    code: [{ language: 'sh', text: again }],
    attachments: [
      { language: 'yaml', text: scenarioText(cell) },
      ...(stderr === '' ? [] : [{ language: 'text', text: stderr }]),
    ],
  }
}

const itemOfRun = (run: ShownRun): Item => ({
  outcome: 'failed',
  title: `${run.title}: ${run.verdict}`,
  lines: [run.what, reasonLine(run)],
})

/** The maximum number of characters kept from the stderr of a run. */
const maxErrorText = 2000

/** The scenario that makes one failure by hand, as a YAML file. */
const scenarioText = (cell: Cell): string => stringify(scenarioOf(cell), { lineWidth: 100 })

/** `12 runs: 8 recovered, 4 gave up; 0 not acceptable`. */
function summaryOf(cells: readonly JudgedCell[], planned: number): string {
  const bad = cells.filter(({ acceptable }) => !acceptable).length
  const missing = planned > cells.length ? `; ${planned - cells.length} not run` : ''
  const found = verdictsText(cells) || 'nothing to try'
  return `${counted(cells.length, 'run')}: ${found}; ${bad} not acceptable${missing}`
}

function jsonTrial({ version, command, healthy, planned, cells }: Trial): object {
  return {
    version,
    command,
    healthy: { requests: healthy.entries.length, seconds: healthy.seconds },
    runs: cells.map(({ cell, verdict, acceptable, reason, evidence, run }) => ({
      operation: cell.operation,
      failure: cell.failure.id,
      nature: cell.failure.nature,
      nth: cell.nth ?? null,
      always: cell.nth === undefined,
      verdict,
      acceptable,
      reason,
      exitCode: run.end.kind === 'exited' ? run.end.code : null,
      evidence,
      requests: run.entries.length,
      seconds: run.seconds,
      findings: run.findings.map(({ code }) => code),
      session: titleOf(cell),
      stderr: run.stderr.slice(-maxErrorText),
    })),
    summary: {
      planned,
      run: cells.length,
      unacceptable: cells.filter(({ acceptable }) => !acceptable).length,
    },
  }
}

/**
 * Formats results in a test: a table of the runs that are not acceptable, with the reason for each verdict,
 * and the count of verdicts.
 *
 * @example
 * const results = await tryFailures(({ sim }) => answer(new OpenAI(sim.sdk.openai())))
 * assert.ok(results.every(({ acceptable }) => acceptable), trialText(results))
 */
export function trialText(results: readonly TrialResult[]): string {
  return trialTextOf(results, 'acceptable', ({ acceptable }) => acceptable)
}

/** The same for another expectation. `expected` is an adjective, such as `acceptable`. */
export function trialTextOf(
  results: readonly TrialResult[],
  expected: string,
  isExpected: (result: TrialResult) => boolean,
): string {
  const bad = results.filter((result) => !isExpected(result)).map((one) => ({ ...one, acceptable: false }))
  const summary = `${counted(results.length, 'run')}: ${verdictsText(results)}; ${bad.length} not ${expected}`
  if (bad.length === 0) return summary
  return textReport({
    command: 'tryFailures',
    subject: counted(results.length, 'run'),
    outcome: 'failed',
    summary,
    sections: [tableSection(bad), { items: bad.map(itemOfRun) }],
    data: results,
  }).trimEnd()
}
