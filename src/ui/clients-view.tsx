/** The client report: what the clients of a session do wrong, and the sessions of the server. */
import type { JSX } from 'preact'
import type { ClientReport, Finding, SessionState } from '../generated/control-types.ts'
import { counted } from '../text/printable.ts'
import { control, saved } from './api.ts'
import { Prose } from './prose.tsx'
import { useFollowed } from './reads.ts'
import { filterBy, linkTo } from './route.ts'
import { acting, attempt, callOf, selected } from './state.ts'

export function ClientsView(): JSX.Element {
  // A run has a session for each test: whoever opens its file looks for those with findings.
  const found = saved?.sessions.filter(({ clientReport }) => clientReport.findings.length > 0) ?? []
  if (selected.value === undefined && found.length > 0)
    return (
      <div class="sheet">
        {found.map(({ name, clientReport }) => (
          <Report key={name} session={name} report={clientReport} />
        ))}
      </div>
    )
  return (
    <div class="sheet">
      <CurrentReport />
      {saved === undefined ? <Sessions /> : null}
    </div>
  )
}

function CurrentReport(): JSX.Element {
  const { value: report } = useFollowed<ClientReport>('client-report')
  if (report === undefined) return <p class="empty">Loading the client report…</p>
  return <Report session={acting.value} report={report} />
}

interface ReportProps {
  readonly session: string
  readonly report: ClientReport
}

function Report({ session, report }: ReportProps): JSX.Element {
  const { requests, errors, warnings, hints, findings, more, unseen = 0, uncheckedWaits = 0 } = report
  const counts = [counted(errors, 'error'), counted(warnings, 'warning'), counted(hints, 'hint')]
  return (
    <section>
      <h1>Clients in session {session}</h1>
      <p role="status">
        {counts.join(', ')} in {counted(requests, 'request')}.{' '}
        <a href={linkTo(['requests'], { session, only: 'rejected' })}>Rejected requests</a>
      </p>
      {findings.map((finding) => (
        <FindingItem key={`${finding.code} ${finding.subject}`} session={session} finding={finding} />
      ))}
      {more > 0 ? <p>{counted(more, 'more finding')} not listed.</p> : null}
      {unseen > 0 ? (
        <p>The first {counted(unseen, 'request')} could not be checked: the journal has evicted them.</p>
      ) : null}
      {uncheckedWaits > 0 ? (
        <p>
          Waits after {counted(uncheckedWaits, 'response')} with retry-after were not checked, because clients
          do not wait in auto clock mode or at a speed above 1.
        </p>
      ) : null}
    </section>
  )
}

const looks = { error: 'bad', warning: 'warn', hint: 'soft' } as const

interface FindingItemProps {
  readonly session: string
  readonly finding: Finding
}

function FindingItem({ session, finding }: FindingItemProps): JSX.Element {
  const { code, severity, subject, message, remedy, times, evidence } = finding
  return (
    <article class="panel" aria-label={`${severity}: ${code}`}>
      <h2>
        <span class={looks[severity]}>{severity}</span> <code>{code}</code>
        {times > 1 ? <span class="soft"> {times} times</span> : null}
      </h2>
      <p>
        <Prose text={message} />
      </p>
      <p>
        <strong>Remedy:</strong> <Prose text={remedy} />
      </p>
      {subject === '' ? null : <p class="soft">{subject}</p>}
      <p>
        {evidence.map(({ seq, requestId, rule }) => (
          <span key={seq}>
            <a href={linkTo(['requests', session, String(seq)])} title={requestId}>
              #{seq} {callOf(session, seq)?.operation ?? requestId}
            </a>
            {rule === undefined ? '' : ` (rule ${rule})`}{' '}
          </span>
        ))}
        {times > evidence.length ? '…' : ''}
      </p>
    </article>
  )
}

interface SessionPage {
  readonly more: number
  readonly sessions: readonly SessionState[]
}

function Sessions(): JSX.Element {
  const { value, reload } = useFollowed<SessionPage>('sessions?limit=100')
  const create = async (): Promise<void> => {
    const session = await attempt(control<SessionState>(undefined, 'POST', 'sessions', {}))
    if (session !== undefined) filterBy({ session: session.name })
    reload()
  }
  const remove = async (name: string, requests: number): Promise<void> => {
    if (!confirm(`Delete session ${name} and ${counted(requests, 'request')}?`)) return
    // The page leaves the session first, because the server rejects requests to a deleted one.
    if (acting.peek() === name) filterBy({ session: '' })
    await attempt(control(undefined, 'DELETE', `sessions/${encodeURIComponent(name)}`))
    reload()
  }
  return (
    <section>
      <h1>Sessions</h1>
      <ul>
        {value?.sessions.map(({ name, requests, clock, seed, baseUrl }) => (
          <li key={name}>
            <a href={linkTo(['clients'], { session: name })}>{name}</a>: {counted(requests, 'request')},{' '}
            {clock.mode} clock at {clock.now}, seed <code>{seed}</code>, base URL <code>{baseUrl}</code>{' '}
            {/* A request would create it again. */}
            {name === 'default' ? null : (
              <button type="button" aria-label={`Delete ${name}`} onClick={() => void remove(name, requests)}>
                Delete
              </button>
            )}
          </li>
        ))}
      </ul>
      {(value?.more ?? 0) > 0 ? <p>{counted(value?.more ?? 0, 'more session')} not listed.</p> : null}
      <button type="button" onClick={create} title="Keeps its requests separate from those of other sessions">
        New session
      </button>
    </section>
  )
}
