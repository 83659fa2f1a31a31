/** Writes docs/reference/findings.md from the kinds of findings. */

import { findingKinds } from '../../src/client-report/findings/all.ts'
import type { FindingKind } from '../../src/client-report/observed-call.ts'
import { markdownTable } from '../../src/text/printable.ts'
import { pageHead } from './page-head.ts'

/** The text of docs/reference/findings.md. */
export function clientReportPage(): string {
  const description = 'Every finding of the client report, with what the client did and the remedy.'
  return `${pageHead('Findings', description, 'src/client-report/findings')}
The simulator judges how well a client follows the contract while it answers its calls. That covers what a
test of the responses alone does not show: a job that is submitted twice, a \`retry-after\` that is not
honoured, a video that is paid for and never downloaded. Only what a server can see is judged.

\`\`\`ts
import { createSimulator } from 'gateway-sim'

const sim = createSimulator()
await sim.fetch('http://gateway.test/v1/chat/completions', {
  method: 'POST',
  headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json' },
  body: JSON.stringify({
    model: 'gpt-4o',
    messages: [{ role: 'user', content: 'Hello' }],
    temperature: 0.2,
    top_p: 0.9,
  }),
})
const { ok, findings } = sim.clientReport()
console.log(ok) // → false
console.log(findings[0]?.severity, findings[0]?.id) // → warning temperature-and-top-p
\`\`\`

\`sim.clientReport()\` can be called at any time and changes nothing. Each session has its own report, and a
reset starts a new one. \`gateway-sim exec\` prints the report after a run, and tests with
\`gateway-sim/vitest\` have \`expect(sim).toBeWellBehaved()\`. \`clientReportText\` formats a report as text,
\`clientReportMarkdown\` as a table.

- An **error** violates the contract or bills twice. A **warning** causes trouble in production. A **hint** is
  worth knowing and often intended: a client with hints only is well behaved.
- Each finding says what the client did, the remedy, its section on this page, and the requests that show it,
  with their \`seq\` and request id in the journal. Repetitions for the same job or field are only counted.
- Waits are judged by virtual or real time, whichever is longer, but not in the clock mode \`auto\`, where
  nobody waits. A test that advances a \`manual\` clock together with fake timers should use steps no longer
  than the waits; otherwise the client's timers fire late, and it seems not to have waited.
- Settings: \`clientReport.pollEvery\` (the minimum time between polls, \`1s\`) and \`clientReport.off\`
  (findings to turn off).
- A session keeps at most 1,000 findings and counts the rest. Where the journal keeps no bodies
  (\`memory.journalBodies: false\`) or only the beginning of a long one, less is found.

${markdownTable(
  ['Finding', 'Severity', 'The client'],
  findingKinds.map(({ id, severity, summary }) => [`[\`${id}\`](#${id})`, severity, summary]),
)}
${findingKinds.map(findingSection).join('\n')}`
}

function findingSection({ id, severity, summary, remedy, example, exceptions }: FindingKind): string {
  return `## ${id}

${capitalized(severity)}. ${summary}

- Remedy: ${remedy}
- Example: ${example}.
- Not reported: ${exceptions}.
`
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
