/** The client report of a session: its schema, and its text formats. */

import * as z from 'zod'
import type { ClientReport, Finding, Severity } from '../generated/control-types.ts'
import { docsPage } from '../protocol/docs-page.ts'
import { counted } from '../text/printable.ts'

/**
 * Formats a client report for a terminal: a summary, and each finding with its remedy and requests.
 *
 * @example
 * console.log(clientReportText(sim.clientReport()))
 */
export function clientReportText(report: ClientReport): string {
  const lines = report.findings.flatMap((finding) => [
    `${finding.severity}: ${finding.id} (${finding.docs})${times(finding)}`,
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
  const { id, severity, message, remedy } = finding
  const cells = [severity, `\`${id}\`${times(finding)}`, message, remedy, evidenceText(finding.evidence)]
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

const remarks = ({ more, uncheckedWaits = 0 }: ClientReport): string[] => [
  ...(more === 0 ? [] : [`${counted(more, 'more finding')} not listed.`]),
  ...(uncheckedWaits === 0
    ? []
    : [
        `Waits after ${counted(uncheckedWaits, 'response')} with \`retry-after\` were not checked. Use a ` +
          '`manual` clock, or a `real` clock at speed 1.',
      ]),
]

/** @internal */
export const severitySchema = () => z.enum(['error', 'warning', 'hint'])

/** @internal */
export const evidenceSchema = () =>
  z.strictObject({
    seq: z.int().describe("The `seq` of the request in the session's journal."),
    requestId: z.string(),
    rule: z.string().optional().describe('The rule that responded, if any.'),
  })

/** @internal */
export const findingSchema = () =>
  z.strictObject({
    id: z.string().describe('The kind of finding, such as `polled-too-fast`.'),
    severity: severitySchema(),
    subject: z.string().describe('The job, field or request that the finding is about.'),
    message: z.string().describe('What the client did.'),
    remedy: z.string().describe('What to do instead.'),
    docs: z
      .string()
      .describe(`The URL of the documentation, such as \`${docsPage('findings')}#polled-too-fast\`.`),
    times: z.int().describe('The number of occurrences.'),
    evidence: z.array(evidenceSchema()).describe('The first requests that show the finding (at most ten).'),
  })

/** The shape of `ClientReport`. @internal */
export const clientReportSchema = () =>
  z.strictObject({
    ok: z.boolean().describe('True if there are no errors or warnings. Hints are allowed.'),
    requests: z.int().describe('The number of requests that the report covers.'),
    errors: z.int(),
    warnings: z.int(),
    hints: z.int(),
    findings: z.array(findingSchema()).describe('The findings, by severity and then by first occurrence.'),
    more: z.int().describe('The number of findings beyond the limit of 1,000. They are not listed.'),
    uncheckedWaits: z
      .int()
      .optional()
      .describe(
        'The number of `retry-after` waits that could not be checked. Present only in `auto` clock mode ' +
          'and at a clock speed above 1.',
      ),
  })
