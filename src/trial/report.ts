/** The report on a trial. */
import { stringify } from 'yaml'
import { formatDuration } from '../engine/duration.ts'
import { grouped } from '../engine/fields.ts'
import type { Cell, Item, Report, Section } from '../report/report.ts'
import { textReport } from '../report/text.ts'
import { counted } from '../text/printable.ts'
import { durationOf, type ObservedRun } from './judge.ts'
import { type JudgedRun, scenarioOf, type Cell as TrialCell, type TrialResult, titleOf } from './trial.ts'

export interface Trial {
  readonly version: string
  readonly command: readonly string[]
  readonly healthy: ObservedRun
  /** How the client's time ran, in one sentence. */
  readonly note: string
  /** All planned runs, also those that the trial did not reach. */
  readonly planned: readonly TrialCell[]
  readonly runs: readonly JudgedRun[]
}

/** The values of flags, by name. */
export type TrialFlags = Readonly<Record<string, unknown>>

/** The flags that change a run. */
const repeated = [
  ...['scenario', 'config', 'recordings', 'handlers', 'clock', 'seed'],
  ...['timeout', 'client-time', 'patience', 'max'],
]

/** The command that repeats one run. */
function commandOf(
  { operation, failure }: TrialResult,
  command: readonly string[],
  flags: TrialFlags,
): string {
  const words = repeated.flatMap((name) =>
    [flags[name] === 'fast' ? [] : (flags[name] ?? [])].flat().flatMap((one) => [`--${name}`, String(one)]),
  )
  const only = ['--only', `${operation}:${failure}`]
  return ['gateway-sim', 'trial', ...[...only, ...words, '--', ...command].map(quoted)].join(' ')
}

const quoted = (word: string): string =>
  /^[\w./:=@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`

export function reportOf(trial: Trial, flags: TrialFlags): Report {
  const { command, healthy, note, runs } = trial
  const results = runs.map(({ result }) => result)
  const isAcceptable = results.every(({ acceptable }) => acceptable)
  const withoutFailure = runs.length === 0 ? 'skipped' : 'passed'
  const notRun = notRunIn(trial)
  const missing = notRun.length > 0 ? `; ${notRun.length} not run` : ''
  return {
    command: 'gateway-sim trial',
    subject: command.join(' '),
    outcome: isAcceptable ? withoutFailure : 'failed',
    summary: summaryOf(results, 'acceptable', ({ acceptable }) => acceptable) + missing,
    sections: [
      {
        notes: [
          `Healthy run: ${counted(healthy.entries.length, 'request')} in ${durationOf(healthy)}. ${note}`,
        ],
      },
      tableSection(results),
      {
        title: 'Not acceptable',
        outcome: 'failed',
        items: runs.map((run) => itemOf(run, commandOf(run.result, command, flags))),
      },
      { title: 'Not run', items: notRun.map(skippedItem) },
    ],
    data: jsonTrial(trial, notRun),
  }
}

/** The planned runs that the trial did not reach, or stopped. */
function notRunIn({ planned, runs }: Trial): TrialCell[] {
  const ended = new Set(runs.map(({ cell }) => cell))
  return planned.filter((cell) => !ended.has(cell))
}

function skippedItem(cell: TrialCell): Item {
  const title = titleOf(cell)
  return { outcome: 'skipped', title, testCase: { suite: cell.operation, name: title } }
}

/** A case for each run; those that are not acceptable are shown everywhere. */
function itemOf({ cell, run, result }: JudgedRun, again: string): Item {
  const { operation, title, verdict, acceptable } = result
  const testCase = { suite: operation, name: title, type: verdict, durationMs: run.seconds * 1000 }
  const item = { ...itemOfResult(result), testCase }
  if (acceptable) return { ...item, outcome: 'passed', isOnlyCase: true }
  const stderr = run.stderr.slice(-maxErrorText)
  return {
    ...item,
    code: [{ language: 'sh', text: again }],
    attachments: [
      // The scenario that makes the failure by hand.
      { language: 'yaml', text: stringify(scenarioOf(cell), { lineWidth: 100 }) },
      ...(stderr === '' ? [] : [{ language: 'text', text: stderr }]),
    ],
  }
}

const itemOfResult = (result: TrialResult): Item => ({
  outcome: 'failed',
  title: `${result.title}: ${result.verdict}`,
  lines: [result.what, reasonLine(result)],
})

/** The maximum number of characters kept from the stderr of a run. */
const maxErrorText = 2000

/** `12 runs: 8 recovered, 4 gave up; 0 not acceptable`. `expected` is an adjective. */
function summaryOf(
  results: readonly TrialResult[],
  expected: string,
  isExpected: (result: TrialResult) => boolean,
): string {
  const verdicts = [...grouped(results, ({ verdict }) => verdict)]
    .map(([verdict, all]) => `${all.length} ${verdict}`)
    .join(', ')
  const others = results.filter((result) => !isExpected(result)).length
  return `${counted(results.length, 'run')}: ${verdicts || 'nothing to try'}; ${others} not ${expected}`
}

function jsonTrial(
  { version, command, healthy, note, planned, runs }: Trial,
  notRun: readonly TrialCell[],
): object {
  return {
    version,
    command,
    clientTime: note,
    healthy: { requests: healthy.entries.length, seconds: healthy.seconds },
    runs: runs.map(({ result: { title, what: _, nth = null, ...result }, run }) => ({
      ...result,
      nth,
      always: nth === null,
      exitCode: run.end.kind === 'exited' ? run.end.code : null,
      requests: run.entries.length,
      findings: run.findings.map(({ code }) => code),
      session: title,
      stderr: run.stderr.slice(-maxErrorText),
    })),
    notRun: notRun.map(titleOf),
    summary: {
      planned: planned.length,
      run: runs.length,
      unacceptable: runs.filter(({ result }) => !result.acceptable).length,
    },
  }
}

/** The table: a row for each failure of an operation, with a verdict in each cell. */
function tableSection(runs: readonly TrialResult[]): Section {
  const alike = grouped(runs, ({ operation, failure }) => `${operation} ${failure}`)
  return {
    table: {
      head: ['operation', 'failure', 'once', 'after', 'always', 'after'],
      rows: [...alike.values()].flatMap(rowsOf),
    },
  }
}

/** A row for each request that fails once; the first one also shows the run in which every request fails. */
function rowsOf(runs: readonly TrialResult[]): (string | Cell)[][] {
  const always = runs.find(({ nth }) => nth === undefined)
  const single = runs.filter(({ nth }) => nth !== undefined)
  const [{ operation, failure }] = runs as readonly [TrialResult]
  if (single.length === 0) return [[operation, failure, '', '', ...cellsOf(always)]]
  return single.map((once, index) => [
    operation,
    single.length === 1 ? failure : `${failure} (request ${once.nth})`,
    ...cellsOf(once),
    ...cellsOf(index === 0 ? always : undefined),
  ])
}

/** A verdict, in capitals if it is not acceptable, and the client's time until then. */
function cellsOf(run: TrialResult | undefined): [string | Cell, string] {
  if (run === undefined) return ['', '']
  const { verdict, acceptable, seconds } = run
  const time = shownTime(seconds)
  if (!acceptable) return [{ text: verdict.toUpperCase(), outcome: 'failed' }, time]
  return [{ text: verdict, outcome: verdict === 'recovered' ? 'passed' : 'warning' }, time]
}

function shownTime(seconds: number): string {
  if (seconds < 1) return '< 1s'
  return seconds === Number.POSITIVE_INFINITY ? 'for ever' : formatDuration(Math.round(seconds) * 1000)
}

const maxRequests = 5

/** The reason for a verdict: `… See request 0.` */
function reasonLine({ reason, evidence }: TrialResult): string {
  if (evidence.length === 0) return reason
  const more = evidence.length > maxRequests ? ', …' : ''
  const shown = evidence.slice(0, maxRequests).join(', ')
  return `${reason} See request${evidence.length === 1 ? '' : 's'} ${shown}${more}.`
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
  const summary = summaryOf(results, expected, isExpected)
  if (bad.length === 0) return summary
  return textReport({
    command: 'tryFailures',
    subject: counted(results.length, 'run'),
    outcome: 'failed',
    summary,
    sections: [tableSection(bad), { items: bad.map(itemOfResult) }],
    data: results,
  }).trimEnd()
}
