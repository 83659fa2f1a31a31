/** One request: request and response, the reason for the response, its problems, and copies to reuse. */

import { useSignalEffect } from '@preact/signals'
import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { headerIn, isStream, statusOf } from '../../exchange/exchange.ts'
import { rejectionText } from '../../exchange/failed.ts'
import type { JournalEntryJson } from '../../exchange/plain.ts'
import type { ClientReport, RequestExplanation } from '../../generated/control-types.ts'
import { control, fetchEntry, type Place, saved } from '../api.ts'
import { CopyButton } from '../copy-button.tsx'
import { useCapabilities } from '../follow.ts'
import { inOrder } from '../in-order.ts'
import { Prose } from '../prose.tsx'
import { linkTo } from '../route.ts'
import { scenarioOf, whyNoRule } from '../rules/rule-of.ts'
import { acting, callOf, calls, feedState, toDetail } from '../state.ts'
import { endText } from '../stream-end.ts'
import { asMatcher, asStep, copyNotes } from './copy.ts'
import { KeepRecording } from './keep-recording.tsx'
import { RequestCopies } from './request-copies.tsx'
import { isCut, isWhole, maxKept, readable, sizeOf } from './sent-body.ts'
import { Source } from './source.tsx'

export function CallDetail({ session, seq }: Place): JSX.Element {
  const [entry, setEntry] = useState<JournalEntryJson>()
  const [why, setWhy] = useState<RequestExplanation>()
  const [report, setReport] = useState<ClientReport>()
  const [problem, setProblem] = useState('')
  const [entries, reports] = [useState(inOrder)[0], useState(inOrder)[0]]
  const live = callOf(session, seq)
  const pane = useRef<HTMLElement>(null)
  useSignalEffect(() => {
    if (!toDetail.value) return
    pane.current?.focus()
    toDetail.value = false
  })
  // An open response changes: it is read again with each change that the feed reports.
  const change = `${live?.ended} ${live?.response?.eventCount}`
  const isReadable = saved !== undefined || feedState.value === 'live'
  useEffect(() => {
    if (!isReadable) return
    const show = (found: JournalEntryJson | undefined): void => {
      setEntry(found)
      setProblem(found === undefined ? 'The journal no longer contains this request.' : '')
    }
    entries(fetchEntry({ session, seq }), show).catch((error: Error) => setProblem(error.message))
    reports(control<ClientReport>(session, 'GET', 'client-report'), setReport).catch(() => undefined)
  }, [session, seq, change, isReadable])
  useEffect(() => {
    control<RequestExplanation>(session, 'GET', `journal/${seq}/explain`).then(setWhy, () =>
      setWhy(undefined),
    )
  }, [session, seq])
  return (
    <article class="detail" tabIndex={-1} ref={pane} aria-label={`Request ${seq} in session ${session}`}>
      <a class="close" href={linkTo(['requests'])} aria-label="Close">
        ×
      </a>
      {problem !== '' ? <p class="empty">{problem}</p> : null}
      {entry === undefined ? null : <Entry entry={entry} why={why} report={report} />}
    </article>
  )
}

function Entry({
  entry,
  why,
  report,
}: {
  readonly entry: JournalEntryJson
  readonly why: RequestExplanation | undefined
  readonly report: ClientReport | undefined
}): JSX.Element {
  const { operation, seq, session, at, realAt, caller, request, cause } = entry
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
        <Fact name="Response">
          {endText(entry)}{' '}
          {isStream(entry) ? <a href={linkTo(['stream', session, String(seq)])}>Show events</a> : null}
        </Fact>
        {entry.cause.faults.length > 0 ? (
          <Fact name="Faults">
            <Source entry={entry} />
          </Fact>
        ) : null}
      </dl>
      <Copies entry={entry} why={why} />
      <Problems entry={entry} />
      <Findings entry={entry} report={report} />
      {why === undefined ? null : <Why why={why} />}
      <Body title="Request body" text={entry.request.body?.text} size={sizeOf(entry)} />
      {operation === undefined &&
      request.body === undefined &&
      headerIn(request.headers, 'content-type') !== undefined ? (
        <p class="unread">The request body was not read: the path is unknown.</p>
      ) : null}
      <Body title="Response body" text={entry.response?.body?.text} />
      <Works entry={entry} />
      <details>
        <summary>Request headers ({request.headers.length})</summary>
        <dl class="headers">
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

/** The jobs, images and videos that a request made or named, each with a link to the gallery. */
function Works({ entry }: { readonly entry: JournalEntryJson }): JSX.Element | null {
  const { session, seq, operation, request, cause } = entry
  const capabilities = useCapabilities()
  const draws = capabilities?.operations.some((one) => one.id === operation && one.draws) === true
  const own = cause.transitions.map(({ id }) => id)
  const named = `${request.url} ${request.body?.text ?? ''}`
  const used = calls.value
    .filter((call) => call.session === session && call.seq < seq)
    .flatMap((call) => call.cause.transitions.filter(({ from }) => from === null).map(({ id }) => id))
    .filter((id) => !own.includes(id) && named.includes(id))
  const made = draws && statusOf(entry) < 300 && own.length === 0 ? [`request-${seq}`] : []
  if (own.length + made.length + used.length === 0) return null
  const link = (id: string, text: ComponentChildren): JSX.Element => (
    <a href={linkTo(['media', id], within(session))}>{text}</a>
  )
  return (
    <section>
      <h2>Jobs, images and videos</h2>
      <ul>
        {cause.transitions.map(({ resource, id, from, to }) => (
          <li key={id}>
            {resource} {link(id, <code>{id}</code>)}: {shown(from)} → {shown(to)}
          </li>
        ))}
        {made.map((id) => (
          <li key={id}>{link(id, 'Images in the response')}</li>
        ))}
        {used.map((id) => (
          <li key={id}>Uses {link(id, <code>{id}</code>)}</li>
        ))}
      </ul>
    </section>
  )
}

function shown(value: unknown): string {
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

function Problems({ entry }: { readonly entry: JournalEntryJson }) {
  const { operation, cause } = entry
  const { rejection, violations, ignored, bug, unmatched } = cause
  const message = rejectionText(entry)
  if (rejection === undefined && violations.length === 0 && ignored.length === 0 && bug === undefined)
    return null
  return (
    <section class="problems">
      <h2>{rejection === undefined ? 'Notes' : 'Rejected'}</h2>
      {rejection === undefined ? null : (
        <p>
          The error is <code>{rejection.type}</code>
          {unmatched ? ', because no rule matched (strict)' : ''}
          {rejection.param === undefined ? '.' : <Prose text={`, about \`${rejection.param}\`.`} />}
        </p>
      )}
      {rejection === undefined || message === '' ? null : (
        <p>
          <Prose text={message} />
        </p>
      )}
      <ul>
        {violations.map(({ field, message }) => (
          <li key={field + message}>
            {field === '' || message.startsWith(`\`${field}\``) ? '' : <code>{field}</code>}{' '}
            <Prose text={message} /> <ContractLink operation={operation} field={field} />
          </li>
        ))}
        {ignored.length > 0 ? <li>Unknown fields, ignored: {ignored.join(', ')}</li> : null}
        {bug === undefined ? null : <li>Internal error of the simulator: {bug}</li>}
      </ul>
    </section>
  )
}

/** A link to the rule that a violation breaks. A saved trace does not include the contract. */
function ContractLink({
  operation,
  field,
}: Pick<JournalEntryJson, 'operation'> & { readonly field: string }) {
  const name = /^\w+/.exec(field)?.[0]
  return saved !== undefined || operation === undefined || name === undefined ? null : (
    <a href={linkTo(['contract', operation, name])}>{name} in the contract</a>
  )
}

/** What the client did wrong, as far as this request shows it. */
function Findings({
  entry: { session, seq },
  report,
}: {
  readonly entry: JournalEntryJson
  readonly report: ClientReport | undefined
}): JSX.Element | null {
  const found = report?.findings.filter(({ evidence }) => evidence.some((one) => one.seq === seq)) ?? []
  if (found.length === 0) return null
  return (
    <section>
      <h2>Findings</h2>
      <ul>
        {found.map(({ id, subject, message }) => (
          <li key={`${id} ${subject}`}>
            <a href={linkTo(['clients'], within(session))}>{id}</a>: <Prose text={message} />
          </li>
        ))}
      </ul>
    </section>
  )
}

/** The change of a link to another view, which shows the session that the page acts on. */
const within = (session: string) => (session === acting.value ? {} : { session })

/** A sentence about a rule, whose name is a link. */
function AboutRule({
  text,
  rule,
  session,
}: {
  readonly text: string
  readonly rule: string | undefined
  readonly session: string
}): JSX.Element {
  const [, start, rest] = (rule !== undefined && /^(rule )(.*)$/is.exec(text)) || []
  if (rule === undefined || start === undefined || rest?.startsWith(rule) !== true)
    return <Prose text={text} />
  return (
    <>
      {start}
      <a href={linkTo(['rules'], within(session))}>{rule}</a>
      <Prose text={rest.slice(rule.length)} />
    </>
  )
}

function Why({ why: { because, rules, rule, session } }: { readonly why: RequestExplanation }): JSX.Element {
  return (
    <section>
      <h2>Why this response</h2>
      <p>
        <AboutRule text={because} rule={rule} session={session} />
      </p>
      {rules.length === 0 ? null : (
        <details open={rule === undefined}>
          <summary>Rules, closest match first ({rules.length})</summary>
          <ol class="rules">
            {rules.map(({ rule: id, outcome, sentence }) => (
              <li key={id} class={outcome}>
                <AboutRule text={sentence} rule={id} session={session} />
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
  readonly text: string | undefined
  /** The bytes of the whole body, if they are known. */
  readonly size?: number
}

function Body({ title, text, size = 0 }: BodyProps): JSX.Element | null {
  if (text === undefined || text === '') return null
  return (
    <section>
      <h2>
        {title} <CopyButton label="Copy" text={() => text} />
      </h2>
      {isCut(text) ? (
        <p class="unused">
          The journal keeps only the first {maxKept.toLocaleString('en')} characters
          {size === 0 ? '' : ` of these ${size.toLocaleString('en')} bytes`}.
        </p>
      ) : null}
      <pre>{readable(text)}</pre>
    </section>
  )
}

function Copies({ entry, why }: { readonly entry: JournalEntryJson } & Explained): JSX.Element {
  const operations = useCapabilities()?.operations
  const template = operations?.find(({ id }) => id === entry.operation)?.path
  const noRule = whyNoRule(entry, why)
  const notes = operations === undefined ? '' : copyNotes(entry, template, noRule)
  return (
    <>
      <fieldset class="copies" aria-label="Copy as">
        Copy as
        <RequestCopies entry={entry} template={template} />
        <CopyButton
          label="rule"
          title="A scenario file with one rule, which gives this response"
          disabled={noRule !== undefined}
          text={() => scenarioOf(entry, template, why?.faults)}
        />
        <CopyButton
          label="conditions"
          title="This request as JSON, for sim.verify, toHaveReceived in vitest, or when: of a rule"
          text={() => asMatcher(entry, template)}
        />
        <CopyButton
          label="step"
          title="An item for steps: of a scenario file, which gateway-sim replay runs"
          disabled={!isWhole(entry)}
          text={() => asStep(entry, template)}
        />
      </fieldset>
      {notes === '' ? null : <p class="hint">{notes}</p>}
      <div class="copies reuse">
        <KeepRecording calls={[entry]} />
      </div>
    </>
  )
}

interface Explained {
  readonly why: RequestExplanation | undefined
}
