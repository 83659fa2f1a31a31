/** Writes docs/reference/findings.md from the kinds of findings. */

import { findingKinds } from '../../src/client-report/findings/all.ts'
import type { FindingKind } from '../../src/client-report/observed-call.ts'
import { pageHead } from './page-parts.ts'

/** The text of docs/reference/findings.md. */
export function clientReportPage(): string {
  const description = 'Every finding of the client report, with what the client did and the remedy.'
  return `${pageHead('Findings', description, 'src/client-report/findings')}
The [client report](../test/client-report.md) has these findings. An **error** violates the contract or bills
twice. A **warning** causes trouble in production. A **hint** is often intended: a client with hints only is
well behaved.

- Waits are checked by virtual or real time, whichever is longer, and not in the clock mode \`auto\`.
- Settings: \`clientReport.pollEvery\` is the minimum time between polls, and \`clientReport.off\` turns
  findings off by id.
- A session keeps 1,000 findings and counts the rest. Repetitions for the same job or field are only counted.

${findingKinds.map(findingSection).join('\n')}`
}

function findingSection({ id, severity, summary, remedy, exceptions }: FindingKind): string {
  return `## ${id}

${capitalized(severity)}. ${summary.replace(' Not checked in the clock mode `auto`.', '')}

- Remedy: ${remedy}
- Not reported: ${exceptions}.
`
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
