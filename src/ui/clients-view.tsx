/** The client report: what the clients of the session do wrong, and the requests that show it. */
import type { JSX } from 'preact'
import type { ClientReport, Finding } from '../generated/control-types.ts'
import { counted, summaryOf } from './client-summary.ts'
import { useFollowed } from './follow.ts'
import { Prose } from './prose.tsx'
import { linkTo } from './route.ts'
import { acting, callOf } from './state.ts'

export function ClientsView(): JSX.Element {
  return <Report key={acting.value} />
}

function Report(): JSX.Element {
  const { value: report } = useFollowed<ClientReport>('client-report')
  if (report === undefined) return <p class="empty">Loading the client report…</p>
  const { findings, more, uncheckedWaits = 0 } = report
  return (
    <div class="sheet">
      <h1>Clients of the session {acting.value}</h1>
      <p role="status">{summaryOf(report)}</p>
      {findings.map((finding) => (
        <Item key={`${finding.id} ${finding.subject}`} finding={finding} />
      ))}
      {more > 0 ? <p class="hint">{counted(more, 'more finding')} not listed.</p> : null}
      {uncheckedWaits > 0 ? (
        <p class="hint">
          Waits after {counted(uncheckedWaits, 'response')} with retry-after were not checked, because time
          does not pass in auto clock mode.
        </p>
      ) : null}
    </div>
  )
}

function Item({ finding }: { readonly finding: Finding }): JSX.Element {
  const { id, severity, subject, message, remedy, docs, times, evidence } = finding
  return (
    <article class={`finding is-${severity}`} aria-label={`${severity}: ${id}`}>
      <h2>
        <span class="severity">{severity}</span> <code>{id}</code>
        {times > 1 ? <span class="times"> {times} times</span> : null}
      </h2>
      <p>
        <Prose text={message} />
      </p>
      <p>
        <strong>Remedy:</strong> <Prose text={remedy} />
      </p>
      <p class="hint">
        {subject === '' ? '' : `${subject}. `}Rule: <code>{docs}</code>
      </p>
      <ul class="evidence" aria-label="Related requests">
        {evidence.map(({ seq, requestId }) => (
          <li key={seq}>
            <a href={linkTo(['requests', acting.value, String(seq)])} title={requestId}>
              #{seq} {callOf(acting.value, seq)?.operation ?? requestId}
            </a>
          </li>
        ))}
        {times > evidence.length ? <li>…</li> : null}
      </ul>
    </article>
  )
}
