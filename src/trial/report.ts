/** The reports on a trial. */
import { junitXml } from '../text/junit.ts'
import { markdownReport } from '../text/markdown.ts'
import type { Paint } from '../text/paint.ts'
import { counted, textTable } from '../text/printable.ts'
import type { ObservedRun, VerdictName } from './judge.ts'
import { type Cell, type JudgedCell, titleOf } from './trial.ts'

export interface TrialReport {
  readonly version: string
  readonly command: readonly string[]
  readonly healthy: ObservedRun
  /** How many runs were planned. */
  readonly planned: number
  readonly cells: readonly JudgedCell[]
}

/** A column of the table: an operation, and whether one of its requests fails or every one. */
const columnOf = ({ operation, nth }: Cell): string =>
  `${operation} ${nth === undefined ? 'always' : `#${nth}`}`

/** Failures down, operations across: a trial has forty of the first and a handful of the second. */
function verdictTable(cells: readonly JudgedCell[]): [head: string[], rows: string[][]] {
  const columns = [...new Set(cells.map(({ cell }) => columnOf(cell)))]
  const failures = [...new Set(cells.map(({ cell }) => cell.failure.id))]
  const rows = failures.map((failure) => [
    failure,
    ...columns.map((column) => {
      const found = cells.find(({ cell }) => cell.failure.id === failure && columnOf(cell) === column)
      return found === undefined ? '' : signOf(found)
    }),
  ])
  return [['failure', ...columns], rows]
}

/** The verdict; in capitals where it is not acceptable. */
function signOf({ verdict, acceptable, half }: JudgedCell): string {
  const text = half ? `${verdict}, half text` : verdict
  return acceptable ? text : text.toUpperCase()
}

export function prettyTrial(report: TrialReport, again: (cell: Cell) => string, paint: Paint): string {
  const { cells, healthy, planned } = report
  const bad = cells.filter(({ acceptable }) => !acceptable)
  const lines = bad.map(
    ({ cell, verdict, reason, evidence }) =>
      `${paint('red', `${titleOf(cell)}: ${verdict}`)}\n` +
      `  ${cell.failure.what}\n  ${reason}${evidence.length === 0 ? '' : ` Requests: ${firstOf(evidence)}.`}\n` +
      `  ${paint('dim', again(cell))}\n`,
  )
  const table = cells.length === 0 ? '' : `${textTable(...verdictTable(cells))}\n`
  return (
    `Healthy run: ${counted(healthy.entries.length, 'request')} in ${healthy.seconds.toFixed(1)} s.\n\n` +
    `${table}${lines.join('\n')}${lines.length === 0 ? '' : '\n'}${summaryOf(cells, planned)}\n`
  )
}

const maxCalls = 5
const firstOf = (evidence: readonly number[]): string =>
  evidence.length > maxCalls ? `${evidence.slice(0, maxCalls).join(', ')}, …` : evidence.join(', ')

function summaryOf(cells: readonly JudgedCell[], planned: number): string {
  const counts = new Map<VerdictName, number>()
  for (const { verdict } of cells) counts.set(verdict, (counts.get(verdict) ?? 0) + 1)
  const bad = cells.filter(({ acceptable }) => !acceptable).length
  const missing = planned > cells.length ? `; ${planned - cells.length} not run` : ''
  const list = [...counts].map(([verdict, count]) => `${count} ${verdict}`).join(', ')
  const found = list === '' ? 'nothing to try' : list
  return `${counted(cells.length, 'run')}: ${found}; ${bad} not acceptable${missing}`
}

export function jsonTrial({ version, command, healthy, planned, cells }: TrialReport): object {
  return {
    version,
    command,
    healthy: { requests: healthy.entries.length, seconds: healthy.seconds },
    runs: cells.map(({ cell, verdict, acceptable, reason, half, evidence, run }) => ({
      operation: cell.operation,
      failure: cell.failure.id,
      nature: cell.failure.nature,
      nth: cell.nth ?? null,
      always: cell.nth === undefined,
      verdict,
      acceptable,
      reason,
      half,
      evidence,
      exitCode: run.end.kind === 'exited' ? run.end.code : null,
      requests: run.entries.length,
      seconds: run.seconds,
      findings: run.findings.map(({ id }) => id),
      stderr: run.stderr.slice(-2000),
    })),
    summary: {
      planned,
      run: cells.length,
      unacceptable: cells.filter(({ acceptable }) => !acceptable).length,
    },
  }
}

export function junitTrial({ command, cells }: TrialReport): string {
  const operations = [...new Set(cells.map(({ cell }) => cell.operation))]
  return junitXml(
    'gateway-sim trial',
    operations.map((operation) => ({
      name: operation,
      cases: cells
        .filter(({ cell }) => cell.operation === operation)
        .map(({ cell, verdict, acceptable, reason, run }) => ({
          name: titleOf(cell),
          classname: `gateway-sim trial ${command.join(' ')}`,
          type: 'gateway-sim',
          outcome: acceptable ? 'passed' : 'failed',
          durationMs: run.seconds * 1000,
          message: `${verdict}: ${reason}`,
          text: run.stderr.slice(-2000),
        })),
    })),
  )
}

export function markdownTrial({ command, planned, cells }: TrialReport): string {
  const [head, rows] = verdictTable(cells)
  return markdownReport({
    title: `gateway-sim trial: ${command.join(' ')}`,
    summary: summaryOf(cells, planned),
    table: { head, rows },
    lists: [
      {
        title: 'Not acceptable',
        lines: cells
          .filter(({ acceptable }) => !acceptable)
          .map(({ cell, verdict, reason }) => `${titleOf(cell)}: ${verdict}. ${reason}`),
      },
    ],
  })
}
