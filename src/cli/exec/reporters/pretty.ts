/** The report of a run for people: what was called, what was found, and why the run fails. */

import type { Paint } from '../../../text/paint.ts'
import { textTable } from '../../../text/table.ts'
import { printable } from '../../call-log.ts'
import type { RunReport } from '../report.ts'
import { endOf, headings, linesOf, nameOf, statusesOf, sumOf } from './words.ts'

/** Lines for the error stream; with `quiet` only what fails the run. */
export function prettyRun(report: RunReport, paint: Paint, quiet: boolean): string {
  const { operations, checks, commandCode, exitCode } = report
  const lines: string[] = []
  if (!quiet) {
    lines.push(`gateway-sim: ${paint('bold', sumOf(report))}`)
    if (operations.length > 0)
      lines.push(
        ...textTable(
          ['operation', 'calls', 'statuses'],
          operations.map((operation) => [nameOf(operation), String(operation.calls), statusesOf(operation)]),
        )
          .trimEnd()
          .split('\n')
          .map((line) => `  ${line}`),
      )
  }
  for (const check of checks) {
    if (check.lines.length === 0 || (quiet && !check.fails)) continue
    lines.push(
      `gateway-sim: ${paint(check.fails ? 'red' : 'yellow', `${headings[check.name]} (${check.sum})`)}`,
    )
    for (const line of linesOf(check)) lines.push(...line.split('\n').map((part) => `  ${printable(part)}`))
  }
  const fails = checks.filter(({ fails: failing }) => failing)
  if (fails.length > 0) {
    const why = fails.map(({ name, count }) => `${name} (${count})`).join(', ')
    lines.push(
      `gateway-sim: ${paint('red', commandCode === 0 ? `fails with ${exitCode} although ${endOf(report)}: ${why}` : `fails as well: ${why}`)}`,
    )
  }
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`
}
