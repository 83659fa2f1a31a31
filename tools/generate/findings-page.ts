/** Writes docs/reference/findings.md from the table of findings. */

import { codes, type FindingCode, findingCodes } from '../../src/judges/codes.ts'
import { pageHead } from './page-parts.ts'

/** The text of docs/reference/findings.md. */
export function findingsPage(): string {
  const description = 'All findings of the client report, with their remedies.'
  return `${pageHead('Findings', description, 'src/judges/codes.ts')}
The [client report](../test/client-report.md) page explains the severities, the checks of waits, and how to
turn findings off. A report lists 1,000 findings; further findings and repetitions for the same job or field
are only counted.

${findingCodes.map(sectionOf).join('\n')}`
}

function sectionOf(code: FindingCode): string {
  const { severity, summary, remedy, exceptions } = codes[code]
  return `## ${code}

${capitalized(severity)}. ${summary}

- Remedy: ${remedy}
${exceptions === undefined ? '' : `- Not reported: ${exceptions}.\n`}`
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
