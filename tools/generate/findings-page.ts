/** Writes docs/reference/findings.md from the table of findings. */

import { type ClientCode, clientCodes, contractCodes, findingCodes } from '../../src/judges/codes.ts'
import { pageHead } from './page-parts.ts'

/** The text of docs/reference/findings.md. */
export function findingsPage(): string {
  const description = 'All findings about clients, with their remedies, and about the responses of gateways.'
  return `${pageHead('Findings', description, 'src/judges/codes.ts')}
The [client report](../test/client-report.md) page explains the severities, the checks of waits, and how to
turn findings off. A report lists 1,000 findings; further findings and repetitions for the same job or field
are only counted.

${findingCodes.map(sectionOf).join('\n')}
## Responses of a gateway

[\`check\`](../gateway/check.md) reports these findings: errors, or warnings if the contract leaves the
behaviour open, but typed clients rely on it.

${Object.entries(contractCodes)
  .map(([code, { summary }]) => `- \`${code}\`: ${summary}\n`)
  .join('')}`
}

function sectionOf(code: ClientCode): string {
  const { severity, summary, remedy, exceptions } = clientCodes[code]
  return `## ${code}

${capitalized(severity)}. ${summary}

- Remedy: ${remedy}
${exceptions === undefined ? '' : `- Not reported: ${exceptions}.\n`}`
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
