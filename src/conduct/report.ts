/** The verdict on clients as text, for a terminal and for Markdown. Judges nothing itself. */
import type { ClientReport, Finding, Severity } from './verdict.ts'

/**
 * A client report for a terminal: its sum, and each finding with its remedy and the calls that show it.
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
  return `${[`Conduct of the client: ${sum(report)}`, ...lines, ...beyond(report)].join('\n')}\n`
}

/**
 * A client report as a table of GitHub's Markdown.
 *
 * @example
 * await appendFile(process.env.GITHUB_STEP_SUMMARY, clientReportMarkdown(sim.clientReport()))
 */
export function clientReportMarkdown(report: ClientReport): string {
  const cell = (text: string): string =>
    text
      .replaceAll('\\', '\\\\')
      .replaceAll('|', '\\|')
      .replaceAll('<', '&lt;')
      .replaceAll(/\s*\n\s*/g, ' ')
  const rows = report.findings.map(
    (finding) =>
      `| ${[finding.severity, `\`${finding.id}\`${times(finding)}`, finding.message, finding.remedy, finding.section, evidence(finding)].map(cell).join(' | ')} |`,
  )
  const table =
    rows.length === 0
      ? []
      : [
          '',
          '| | Finding | What the client did | What to do | Section | Calls |',
          '| --- | --- | --- | --- | --- | --- |',
          ...rows,
        ]
  return `${[`## Conduct of the client`, '', `${sum(report)}`, ...table, ...beyond(report).map((line) => `\n${line}`)].join('\n')}\n`
}

function sum({ calls, errors, warnings, hints }: ClientReport): string {
  const counted = (
    [
      ['error', errors],
      ['warning', warnings],
      ['hint', hints],
    ] as const satisfies readonly (readonly [Severity, number])[]
  )
    .filter(([, count]) => count > 0)
    .map(([word, count]) => number(count, word))
  return `${counted.length === 0 ? 'nothing to find fault with' : counted.join(', ')} in ${number(calls, 'call')}.`
}

const number = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`

const times = ({ times: count }: Finding): string => (count === 1 ? '' : `, ${count} times`)

function evidence({ evidence: calls }: Finding): string {
  return calls.map(({ seq, requestId }) => `#${seq} ${requestId}`).join(', ')
}

const beyond = ({ more }: ClientReport): string[] =>
  more === 0 ? [] : [`${number(more, 'finding')} more, which are not kept.`]
