/** Formats the report on clients, for a terminal and as Markdown. */
import { counted } from '../text/counted.ts'
import type { ClientReport, Finding, Severity } from './client-report.ts'

/**
 * Formats a client report for a terminal: a summary, and each finding with its remedy and its calls.
 *
 * @example
 * console.log(clientReportText(sim.clientReport()))
 */
export function clientReportText(report: ClientReport): string {
  const lines = report.findings.flatMap((finding) => [
    `${finding.severity}: ${finding.id} (${finding.section})${times(finding)}`,
    `  ${finding.message}`,
    `  ${finding.remedy}`,
    `  calls: ${evidence(finding)}`,
  ])
  return `${[`Client report: ${sum(report)}`, ...lines, ...beyond(report)].join('\n')}\n`
}

/**
 * Formats a client report as a table in GitHub Flavored Markdown.
 *
 * @example
 * await appendFile(process.env.GITHUB_STEP_SUMMARY, clientReportMarkdown(sim.clientReport()))
 */
export function clientReportMarkdown(report: ClientReport): string {
  const rows = report.findings.map(tableRow)
  const table =
    rows.length === 0
      ? []
      : [
          '',
          '| | Finding | What the client did | What to do | Section | Calls |',
          '| --- | --- | --- | --- | --- | --- |',
          ...rows,
        ]
  const lines = ['## Client report', '', sum(report), ...table, ...beyond(report).map((line) => `\n${line}`)]
  return `${lines.join('\n')}\n`
}

function tableRow(finding: Finding): string {
  const { id, severity, message, remedy, section } = finding
  const cells = [severity, `\`${id}\`${times(finding)}`, message, remedy, section, evidence(finding)]
  return `| ${cells.map(escapeCell).join(' | ')} |`
}

function escapeCell(text: string): string {
  return text
    .replaceAll('\\', '\\\\')
    .replaceAll('|', '\\|')
    .replaceAll('<', '&lt;')
    .replaceAll(/\s*\n\s*/g, ' ')
}

function sum({ calls, errors, warnings, hints }: ClientReport): string {
  const counts = (
    [
      ['error', errors],
      ['warning', warnings],
      ['hint', hints],
    ] as const satisfies readonly (readonly [Severity, number])[]
  )
    .filter(([, count]) => count > 0)
    .map(([word, count]) => counted(count, word))
  const findings = counts.length === 0 ? 'no findings' : counts.join(', ')
  return `${findings} in ${counted(calls, 'call')}.`
}

const times = ({ times: count }: Finding): string => (count === 1 ? '' : `, ${count} times`)

function evidence({ evidence: calls }: Finding): string {
  return calls.map(({ seq, requestId }) => `#${seq} ${requestId}`).join(', ')
}

const beyond = ({ more }: ClientReport): string[] =>
  more === 0 ? [] : [`${counted(more, 'finding')} more, which are not kept.`]
