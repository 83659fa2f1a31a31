/** The client report of a session as text and as Markdown. */

import type { ClientReport, Finding, Severity } from '../generated/control-types.ts'
import { counted } from '../text/printable.ts'

/**
 * Formats a client report for a terminal: a summary, and each finding with its remedy and requests.
 *
 * @example
 * console.log(clientReportText(sim.clientReport()))
 */
export function clientReportText(report: ClientReport): string {
  const lines = report.findings.flatMap((finding) => [
    `${finding.severity}: ${finding.code} (${finding.docs})${times(finding)}`,
    `  ${finding.message}`,
    `  ${finding.remedy}`,
    `  requests: ${evidenceText(finding.evidence)}`,
  ])
  return `${[`Client report: ${sum(report)}`, ...lines, ...remarks(report)].join('\n')}\n`
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
          '| | Finding | What the client did | Remedy | Requests |',
          '| --- | --- | --- | --- | --- |',
          ...rows,
        ]
  const lines = ['## Client report', '', sum(report), ...table, ...remarks(report).map((line) => `\n${line}`)]
  return `${lines.join('\n')}\n`
}

function tableRow(finding: Finding): string {
  // Without the page of the documentation: a summary is read where the package is not installed.
  const { code, severity, message, remedy } = finding
  const cells = [severity, `\`${code}\`${times(finding)}`, message, remedy, evidenceText(finding.evidence)]
  return `| ${cells.map(escapeCell).join(' | ')} |`
}

function escapeCell(text: string): string {
  return text
    .replaceAll('\\', '\\\\')
    .replaceAll('|', '\\|')
    .replaceAll('<', '&lt;')
    .replaceAll(/\s*\n\s*/g, ' ')
}

function sum({ requests, errors, warnings, hints }: ClientReport): string {
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
  return `${findings} in ${counted(requests, 'request')}.`
}

const times = ({ times: count }: Finding): string => (count === 1 ? '' : `, ${count} times`)

/** `#0 req_1 [rule lost], #1 req_2`. @internal */
export function evidenceText(evidence: Finding['evidence']): string {
  return evidence
    .map(({ seq, requestId, rule }) => `#${seq} ${requestId}${rule === undefined ? '' : ` [rule ${rule}]`}`)
    .join(', ')
}

/** What a report leaves out, and why. @internal */
export const remarks = ({
  more,
  unseen = 0,
  uncheckedWaits = 0,
}: Pick<ClientReport, 'more' | 'unseen' | 'uncheckedWaits'>): string[] => [
  ...(unseen === 0
    ? []
    : [
        `The first ${counted(unseen, 'request')} could not be checked: the journal has evicted ` +
          `${unseen === 1 ? 'it' : 'them'} (settings memory.items and memory.bytes).`,
      ]),
  ...(more === 0 ? [] : [`${counted(more, 'more finding')} not listed.`]),
  ...(uncheckedWaits === 0
    ? []
    : [
        `Waits after ${counted(uncheckedWaits, 'response')} with \`retry-after\` were not checked. Use a ` +
          '`manual` clock, or a `real` clock at speed 1.',
      ]),
]
