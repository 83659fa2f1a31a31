/** The reports on a trial for a terminal, for programs and for CI systems. */
import { junitXml } from '../text/junit.ts'
import type { Paint } from '../text/paint.ts'
import { counted } from '../text/printable.ts'
import { costOf } from './cost.ts'
import type { ObservedRun } from './judge.ts'
import { textOfTable } from './table.ts'
import { type Cell, type JudgedCell, titleOf } from './trial.ts'
import { evidenceText, verdictsText } from './trial-text.ts'

export interface TrialReport {
  readonly version: string
  readonly command: readonly string[]
  readonly healthy: ObservedRun
  /** The number of planned runs. */
  readonly planned: number
  readonly cells: readonly JudgedCell[]
}

/** The command that repeats one run. */
export type CommandFor = (cell: Cell) => string

export function prettyTrial(report: TrialReport, again: CommandFor, paint: Paint): string {
  const { cells, healthy, planned } = report
  const bad = cells.filter(({ acceptable }) => !acceptable)
  const lines = bad.map(
    ({ cell, verdict, reason, evidence }) =>
      `${paint('red', `${titleOf(cell)}: ${verdict}`)}\n` +
      `  ${cell.failure.what}\n  ${reason}${evidenceText(evidence)}\n` +
      `  ${paint('dim', again(cell))}\n`,
  )
  const table = cells.length === 0 ? '' : `${textOfTable(cells, paint)}\n`
  return (
    `Healthy run: ${counted(healthy.entries.length, 'request')} in ${healthy.seconds.toFixed(1)} s.\n\n` +
    `${table}${lines.join('\n')}${lines.length === 0 ? '' : '\n'}${summaryOf(cells, planned)}\n`
  )
}

/** `12 runs: 8 recovered, 4 gave up; 0 not acceptable`. */
export function summaryOf(cells: readonly JudgedCell[], planned: number): string {
  const bad = cells.filter(({ acceptable }) => !acceptable).length
  const missing = planned > cells.length ? `; ${planned - cells.length} not run` : ''
  const found = verdictsText(cells) || 'nothing to try'
  return `${counted(cells.length, 'run')}: ${found}; ${bad} not acceptable${missing}`
}

export function jsonTrial({ version, command, healthy, planned, cells }: TrialReport): object {
  return {
    version,
    command,
    healthy: { requests: healthy.entries.length, seconds: healthy.seconds },
    runs: cells.map((one) => {
      const { cell, verdict, acceptable, reason, half, evidence, run } = one
      return {
        operation: cell.operation,
        failure: cell.failure.id,
        nature: cell.failure.nature,
        nth: cell.nth ?? null,
        always: cell.nth === undefined,
        verdict,
        acceptable,
        reason,
        half,
        exitCode: run.end.kind === 'exited' ? run.end.code : null,
        evidence,
        requests: run.entries.length,
        ...costOf(one, healthy),
        seconds: run.seconds,
        findings: run.findings.map(({ id }) => id),
        session: titleOf(cell),
        stderr: run.stderr.slice(-2000),
      }
    }),
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
