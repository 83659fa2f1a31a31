/** The report of a run for people. */
import type { Paint } from '../../../text/paint.ts'
import { asciiOnly } from '../../../text/printable.ts'
import { textTable } from '../../../text/table.ts'
import type { RunReport } from '../report.ts'
import { endOf, linesOf, nameOf, statusesOf, sumOf, titleOf } from './words.ts'

/** Lines for stderr; with `quiet` only the reasons for a failure. */
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
    lines.push(`gateway-sim: ${paint(check.fails ? 'red' : 'yellow', titleOf(check))}`)
    for (const line of linesOf(check)) lines.push(...line.split('\n').map((part) => `  ${asciiOnly(part)}`))
  }
  const failed = checks.filter(({ fails }) => fails)
  if (failed.length > 0) {
    const names = failed.map(({ name, count }) => `${name} (${count})`).join(', ')
    const verdict =
      commandCode === 0
        ? `failed with ${exitCode} although ${endOf(report)}: ${names}`
        : `also failed: ${names}`
    lines.push(`gateway-sim: ${paint('red', verdict)}`)
  }
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`
}
