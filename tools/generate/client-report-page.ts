/** Writes docs/reference/findings.md from the kinds of findings. */

import { findingKinds } from '../../src/client-report/findings/all.ts'
import type { FindingKind } from '../../src/client-report/observed-call.ts'
import { pageHead } from './page-parts.ts'

/** The text of docs/reference/findings.md. */
export function clientReportPage(): string {
  const description = 'All findings of the client report, with their remedies.'
  return `${pageHead('Findings', description, 'src/client-report/findings')}
The [client report](../test/client-report.md) page explains the severities, the checks of waits, and how to
turn findings off. A session keeps 1,000 findings; further findings and repetitions for the same job or field
are only counted.

${findingKinds.map(findingSection).join('\n')}`
}

function findingSection({ id, severity, summary, remedy, exceptions }: FindingKind): string {
  return `## ${id}

${capitalized(severity)}. ${summary.replace(/ Not checked in [^.]*`auto`[^.]*\./, '')}

- Remedy: ${remedy}
${exceptions === undefined ? '' : `- Not reported: ${exceptions}.\n`}`
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
