/** The report of a run as Markdown, for the summary of a CI job. */
import { markdownTable } from '../../../text/table.ts'
import type { RunReport } from '../report.ts'
import { endOf, linesOf, nameOf, statusesOf, sumOf, titleOf } from './words.ts'

export function markdownRun(report: RunReport): string {
  const { operations, checks, exitCode } = report
  const parts = [
    `## gateway-sim: ${exitCode === 0 ? 'passed' : `failed with ${exitCode}`}\n`,
    `${inline(endOf(report))}; ${sumOf(report)}.\n`,
  ]
  if (operations.length > 0)
    parts.push(
      markdownTable(
        ['operation', 'calls', 'statuses'],
        operations.map((operation) => [nameOf(operation), String(operation.calls), statusesOf(operation)]),
      ),
    )
  for (const check of checks) {
    if (check.lines.length === 0) continue
    parts.push(`### ${titleOf(check)}${check.fails ? ': failed' : ''}\n`)
    parts.push(
      `${linesOf(check)
        .map((line) => `- ${inline(line)}`)
        .join('\n')}\n`,
    )
  }
  return parts.join('\n')
}

// Text from a client must not turn into an image, a link or a heading.
function inline(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\\`*_[\]<>#|~!]/g, (character) => `\\${character}`)
}
