/** The client report: what the clients of a session do wrong, and the requests that show it. */

import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { statusOf } from '../exchange/exchange.ts'
import { rejectionText } from '../exchange/failed.ts'
import type { ClientReport, Finding, LiveCall } from '../generated/control-types.ts'
import { counted } from '../text/printable.ts'
import { fetchEntry, saved } from './api.ts'
import { rejectedIn, summaryOf } from './client-summary.ts'
import { useFollowed } from './follow.ts'
import { Prose } from './prose.tsx'
import { linkTo } from './route.ts'
import { SessionList } from './session-list.tsx'
import { acting, callOf, calls, selected, sessions } from './state.ts'

/** The links to sessions without findings, one of which may be that of the failed test. */
const maxLinks = 50

export function ClientsView(): JSX.Element {
  if (saved !== undefined) return <Reports />
  const [first, second] = [<SessionList key="sessions" />, <Reports key="reports" />]
  return <>{sessions.value.length > 1 ? [first, second] : [second, first]}</>
}

function Reports(): JSX.Element {
  if (saved === undefined || selected.value !== undefined) return <Current key={acting.value} />
  // A run has a session for each test: whoever opens its file looks for those with findings.
  const found = saved.sessions.filter(({ clientReport }) => clientReport.findings.length > 0)
  if (found.length === 0) return <Current key={acting.value} />
  const others = saved.sessions.filter((session) => !found.includes(session))
  return (
    <>
      {found.map(({ name, clientReport }) => (
        <Report key={name} session={name} report={clientReport} />
      ))}
      {others.length > 0 ? (
        <div class="sheet">
          <p class="hint">{counted(others.length, 'other session')} without findings.</p>
          <ul class="sessions">
            {others.slice(0, maxLinks).map(({ name }) => (
              <li key={name}>
                <a href={linkTo(['requests'], { session: name })}>{name}</a>
              </li>
            ))}
          </ul>
        </div>
      ) : null}
    </>
  )
}

function Current(): JSX.Element {
  const { value: report } = useFollowed<ClientReport>('client-report')
  if (report === undefined) return <p class="empty">Loading the client report…</p>
  return <Report session={acting.value} report={report} />
}

interface ReportProps {
  readonly session: string
  readonly report: ClientReport
}

function Report({ session, report }: ReportProps): JSX.Element {
  const { findings, more, unseen = 0, uncheckedWaits = 0 } = report
  return (
    <div class="sheet">
      <h1>Clients in session {session}</h1>
      <p role="status">{summaryOf(report)}</p>
      <Rejected session={session} />
      {findings.map((finding) => (
        <Item key={`${finding.id} ${finding.subject}`} session={session} finding={finding} />
      ))}
      {more > 0 ? <p class="hint">{counted(more, 'more finding')} not listed.</p> : null}
      {unseen > 0 ? (
        <p class="hint">
          The first {counted(unseen, 'request')} could not be checked, because the journal has evicted them.
        </p>
      ) : null}
      {uncheckedWaits > 0 ? (
        <p class="hint">
          Waits after {counted(uncheckedWaits, 'response')} with retry-after were not checked, because clients
          do not wait in auto clock mode or at a speed above 1.
        </p>
      ) : null}
    </div>
  )
}

/** The most rejections shown; the list of requests has a filter for all of them. */
const maxRejections = 20

function Rejected({ session }: { readonly session: string }): JSX.Element | null {
  const groups = rejectedIn(calls.value, session)
  if (groups.length === 0) return null
  const count = groups.reduce((sum, { length }) => sum + length, 0)
  return (
    <section aria-label={`Rejected requests in session ${session}`}>
      <h2>Rejected requests ({count})</h2>
      <ul class="plain-list">
        {groups.slice(0, maxRejections).map((group) => (
          <Rejection key={group[0]?.seq} group={group} />
        ))}
      </ul>
      {groups.length > maxRejections ? (
        <a href={linkTo(['requests'], { session, only: 'rejected' })}>All rejected requests</a>
      ) : null}
    </section>
  )
}

/** Requests that were rejected for the same reason, with the message of the first. */
function Rejection({ group }: { readonly group: readonly LiveCall[] }): JSX.Element {
  const { session, seq, operation, response, request, cause } = group[0] as LiveCall
  const [message, setMessage] = useState('')
  useEffect(() => {
    if (cause.violations.length === 0)
      fetchEntry({ session, seq }).then(
        (entry) => setMessage(entry === undefined ? '' : rejectionText(entry)),
        () => undefined,
      )
  }, [session, seq])
  const reason = cause.violations[0]?.message ?? (message || (cause.rejection?.type ?? ''))
  const name = operation ?? `${request.method} ${request.url}`
  const more =
    cause.violations.length > 1 ? `; ${counted(cause.violations.length - 1, 'more violation')}` : ''
  return (
    <li>
      <span class="code c4">{statusOf({ response })}</span> <strong>{name}</strong>{' '}
      <Prose text={`${reason}${more}`} />{' '}
      {group.slice(0, maxEvidence).map((call) => (
        <>
          <a key={call.seq} href={linkTo(['requests', session, String(call.seq)])}>
            #{call.seq}
          </a>{' '}
        </>
      ))}
      {group.length > maxEvidence ? `and ${group.length - maxEvidence} more` : null}
    </li>
  )
}

const maxEvidence = 5

function Item({ session, finding }: { readonly session: string; readonly finding: Finding }): JSX.Element {
  const { id, severity, subject, message, remedy, times, evidence } = finding
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
        {subject === '' ? '' : `${subject}. `}Documentation: <em>Findings</em> (reference/findings.md),
        section <code>{id}</code>
      </p>
      <ul class="evidence" aria-label="Related requests">
        {evidence.map(({ seq, requestId, rule }) => (
          <li key={seq}>
            <a href={linkTo(['requests', session, String(seq)])} title={requestId}>
              #{seq} {callOf(session, seq)?.operation ?? requestId}
            </a>
            {rule === undefined ? null : <> (rule {rule})</>}
          </li>
        ))}
        {times > evidence.length ? <li>…</li> : null}
      </ul>
    </article>
  )
}
