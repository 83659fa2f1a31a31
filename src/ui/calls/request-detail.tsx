/** One request: request and response, the reason for the response, its problems, and how to repeat it. */
import type { ComponentChildren, JSX } from 'preact'
import { useState } from 'preact/hooks'
import { headerIn, isStream, statusOf } from '../../exchange/exchange.ts'
import { rejectionText } from '../../exchange/failed.ts'
import type { JournalEntryJson } from '../../exchange/plain.ts'
import type { ClientReport, RequestExplanation } from '../../generated/control-types.ts'
import { decisionText } from '../../protocol/plan.ts'
import { control, fetchEntry, type Place, saved } from '../api.ts'
import { Prose } from '../prose.tsx'
import { useRead } from '../reads.ts'
import { linkTo } from '../route.ts'
import { callOf, feedState } from '../state.ts'
import { curlOf } from './curl.ts'
import { HarButton } from './har-button.tsx'
import { readableBody } from './readable-body.ts'
import { endText } from './stream-end.ts'
import { StreamEvents } from './stream-events.tsx'

export function RequestDetail({ session, seq }: Place): JSX.Element {
  const live = callOf(session, seq)
  // An open response changes: it is read again with each change that the feed reports.
  const changes = [live?.ended, live?.response?.eventCount, feedState.value]
  const { value: entry, problem } = useRead(() => fetchEntry({ session, seq }), changes)
  const report = useRead(() => control<ClientReport>(session, 'GET', 'client-report'), changes)
  const why = useRead(() => control<RequestExplanation>(session, 'GET', `journal/${seq}/explain`), changes)
  return (
    <article class="detail" aria-label={`Request ${seq} in session ${session}`}>
      <a class="close" href={linkTo(['requests'])} aria-label="Close">
        ×
      </a>
      {problem === undefined ? null : <p class="empty">{problem}</p>}
      {entry === undefined ? null : <Entry entry={entry} why={why.value} report={report.value} />}
    </article>
  )
}

interface EntryProps {
  readonly entry: JournalEntryJson
  readonly why: RequestExplanation | undefined
  readonly report: ClientReport | undefined
}

function Entry({ entry, why, report }: EntryProps): JSX.Element {
  const { operation, seq, session, at, realAt, caller, request, response, cause } = entry
  const status = statusOf(entry)
  return (
    <>
      <h1>
        <span class={`code c${String(status)[0]}`}>{status}</span> {operation ?? 'unknown operation'}
      </h1>
      <p class="path">
        {request.method} {request.url}
      </p>
      <dl class="facts">
        <Fact name="Request">{`${seq} in session ${session}`}</Fact>
        <Fact name="Virtual time">{at}</Fact>
        <Fact name="Real time">{realAt}</Fact>
        <Fact name="Request id">{cause.requestId}</Fact>
        <Fact name="API key">{caller === undefined ? 'none' : `${entry.key} (${caller})`}</Fact>
        <Fact name="Response">{endText(entry)}</Fact>
        {cause.faults.length === 0 ? null : <Fact name="Faults">{faultsText(cause)}</Fact>}
        {cause.transitions.map(({ resource, id, from, to }) => (
          <Fact key={id} name={resource}>
            <code>{id}</code>: {stateText(from)} → {stateText(to)}
          </Fact>
        ))}
      </dl>
      {saved === undefined ? (
        <div class="line">
          <CopyButton label="Copy as curl" text={curlOf(entry)} />
          <HarButton session={session} seq={seq} />
        </div>
      ) : null}
      <Problems entry={entry} />
      <Findings entry={entry} report={report} />
      {why === undefined ? null : <Why why={why} />}
      {isStream(entry) ? (
        <StreamEvents entry={entry} />
      ) : (
        <Body title="Response body" body={response?.body} />
      )}
      <Body title="Request body" body={request.body} />
      {operation === undefined && request.body === undefined && headerIn(request.headers, 'content-type') ? (
        <p>The request body was not read: the path is unknown.</p>
      ) : null}
      <details>
        <summary>Request headers ({request.headers.length})</summary>
        <dl class="facts">
          {request.headers.map(([name, value]) => (
            <Fact key={name} name={name}>
              {value}
            </Fact>
          ))}
        </dl>
      </details>
    </>
  )
}

/** `disconnect, by rule cut`. */
function faultsText({ faults, rule, decidedBy }: JournalEntryJson['cause']): string {
  const other = decidedBy === undefined ? '' : `, by ${decisionText(decidedBy)}`
  return `${faults.join(', ')}${rule === undefined ? other : `, by rule ${rule}`}`
}

function stateText(value: unknown): string {
  if (value === null) return 'none'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function Fact({
  name,
  children,
}: {
  readonly name: string
  readonly children: ComponentChildren
}): JSX.Element {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  )
}

function Problems({ entry }: { readonly entry: JournalEntryJson }): JSX.Element | null {
  const { rejection, violations, ignored, bug, unmatched } = entry.cause
  if (rejection === undefined && violations.length === 0 && ignored.length === 0 && bug === undefined)
    return null
  return (
    <section class="problems">
      <h2>{rejection === undefined ? 'Notes' : 'Rejected'}</h2>
      {rejection === undefined ? null : (
        <p>
          <code>{rejection.type}</code>
          {unmatched ? ', because no rule matched (strict)' : ''} <Prose text={rejectionText(entry)} />
        </p>
      )}
      <ul>
        {violations.map(({ field, message }) => (
          <li key={field + message}>
            <Prose text={message} />
          </li>
        ))}
        {ignored.length > 0 ? <li>Unknown fields, ignored: {ignored.join(', ')}</li> : null}
        {bug === undefined ? null : <li>Internal error of the simulator: {bug}</li>}
      </ul>
    </section>
  )
}

/** What the client did wrong, as far as this request shows it. */
function Findings({ entry: { session, seq }, report }: Omit<EntryProps, 'why'>): JSX.Element | null {
  const found = report?.findings.filter(({ evidence }) => evidence.some((one) => one.seq === seq)) ?? []
  if (found.length === 0) return null
  return (
    <section>
      <h2>Findings</h2>
      <ul>
        {found.map(({ code, subject, message }) => (
          <li key={`${code} ${subject}`}>
            <a href={linkTo(['clients'], { session })}>{code}</a>: <Prose text={message} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function Why({ why: { because, rules, rule, session } }: { readonly why: RequestExplanation }): JSX.Element {
  return (
    <section>
      <h2>Why this response</h2>
      <p>
        <Prose text={because} /> <a href={linkTo(['rules'], { session })}>All rules</a>
      </p>
      {rules.length === 0 ? null : (
        <details open={rule === undefined}>
          <summary>Rules, closest match first ({rules.length})</summary>
          <ol>
            {rules.map(({ rule: id, outcome, sentence }) => (
              <li key={id} class={outcome === 'answered' ? 'good' : undefined}>
                <Prose text={sentence} />
              </li>
            ))}
          </ol>
        </details>
      )}
    </section>
  )
}

interface BodyProps {
  readonly title: string
  readonly body: JournalEntryJson['request']['body']
}

function Body({ title, body }: BodyProps): JSX.Element | null {
  const text = body?.text ?? ''
  if (body === undefined || text === '') return null
  return (
    <section>
      <h2>
        {title} <CopyButton label="Copy" text={text} />
      </h2>
      {body.isComplete || body.isSummary ? null : (
        <p class="warn">
          The journal keeps only the beginning of these {body.size.toLocaleString('en')} bytes.
        </p>
      )}
      <pre>{readableBody(text)}</pre>
    </section>
  )
}

function CopyButton({ label, text }: { readonly label: string; readonly text: string }): JSX.Element {
  const [isCopied, setCopied] = useState(false)
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), 1500)
  }
  return (
    <button type="button" onClick={copy}>
      {isCopied ? 'Copied' : label}
    </button>
  )
}
