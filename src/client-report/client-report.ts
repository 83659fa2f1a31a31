/** How well the clients of a session use the contract: as plain data, its schema, and as text. */

import * as z from 'zod'
import { lazy } from '../engine/fields.ts'
import type { ClientReport, Finding, Severity } from '../generated/control-types.ts'
import { counted } from '../text/printable.ts'

/**
 * Formats a client report for a terminal: a summary, and each finding with its remedy and its calls.
 *
 * @example
 * console.log(clientReportText(sim.clientReport()))
 */
export function clientReportText(report: ClientReport): string {
  const lines = report.findings.flatMap((finding) => [
    `${finding.severity}: ${finding.id} (${finding.docs})${times(finding)}`,
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
          '| | Finding | What the client did | Remedy | Docs | Calls |',
          '| --- | --- | --- | --- | --- | --- |',
          ...rows,
        ]
  const lines = ['## Client report', '', sum(report), ...table, ...beyond(report).map((line) => `\n${line}`)]
  return `${lines.join('\n')}\n`
}

function tableRow(finding: Finding): string {
  const { id, severity, message, remedy, docs } = finding
  const cells = [severity, `\`${id}\`${times(finding)}`, message, remedy, docs, evidence(finding)]
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

/** @internal */
export const severitySchema = lazy(() => z.enum(['error', 'warning', 'hint']))

/** @internal */
export const evidenceSchema = lazy(() =>
  z.strictObject({
    seq: z.int().describe("Its number in the session's journal."),
    requestId: z.string(),
  }),
)

/** @internal */
export const findingSchema = lazy(() =>
  z.strictObject({
    id: z.string().describe('Its kind: `polled-too-fast`.'),
    severity: severitySchema(),
    subject: z.string().describe('What it is about: a job, a field, a request.'),
    message: z.string().describe('What the client did, with the facts of this case.'),
    remedy: z.string().describe('What to do instead.'),
    docs: z.string().describe('The page with the rule: `docs/reference/findings.md#polled-too-fast`.'),
    times: z.int().describe('How often it was seen.'),
    evidence: z.array(evidenceSchema()).describe('The first calls that show it, at most ten.'),
  }),
)

/** The shape of `ClientReport`. @internal */
export const clientReportSchema = lazy(() =>
  z.strictObject({
    ok: z.boolean().describe('True when there are no errors and no warnings; there may be hints.'),
    calls: z.int().describe('How many calls were judged.'),
    errors: z.int(),
    warnings: z.int(),
    hints: z.int(),
    findings: z
      .array(findingSchema())
      .describe('Errors first, then in the order in which they were first seen.'),
    more: z.int().describe('The number of further findings; only the first 1,000 are kept.'),
  }),
)
