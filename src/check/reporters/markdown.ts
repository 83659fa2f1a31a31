/** The report of a check as Markdown, for the summary of a CI job. */
import { markdownTable } from '../../text/table.ts'
import type { CheckReport } from '../report.ts'
import { placeOf } from './words.ts'

/** `config` is the content of a config file; empty for none. */
export function markdownReport(report: CheckReport, config: string): string {
  const { baseUrl, summary, deviations, additions, accepted, unusedAccepted, skipped } = report
  const parts = [
    `## gateway-sim check: ${summary.deviations === 0 ? 'no deviations' : `${summary.deviations} found`}\n`,
    `${inline(baseUrl)}: ${summary.checked} probes judged, ${summary.skipped} not judged.\n`,
  ]
  if (deviations.length > 0)
    parts.push(
      markdownTable(
        ['severity', 'operations', 'place', 'expected', 'got', 'contract'],
        deviations.map((finding) =>
          [
            finding.severity,
            finding.operations.join(', '),
            placeOf(finding),
            finding.expected,
            finding.got,
            finding.states === undefined ? finding.section : `${finding.section}: ${finding.states}`,
          ].map(inline),
        ),
      ),
    )
  parts.push(
    ...list(
      'Accepted',
      accepted.map((one) => `${one.operations.join(', ')} ${placeOf(one)}: ${one.accepted}`),
    ),
    ...list('Accepted, and not found', unusedAccepted),
    ...list(
      'Beyond the contract',
      additions.map((one) => `${one.operations.join(', ')} ${one.pointer}`),
    ),
    ...list(
      'Not judged',
      skipped.map(({ probe, reason }) => `${probe}: ${reason}`),
    ),
  )
  if (config !== '')
    parts.push(`### gateway-sim.config.yaml to behave so\n\n\`\`\`yaml\n${config.trimEnd()}\n\`\`\`\n`)
  return parts.join('\n')
}

function list(title: string, lines: readonly string[]): string[] {
  return lines.length === 0
    ? []
    : [`### ${title}\n`, `${lines.map((line) => `- ${inline(line)}`).join('\n')}\n`]
}

// Text from a gateway must not turn into an image, a link or a heading.
function inline(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\\`*_[\]<>#~!]/g, (character) => `\\${character}`)
}
