/** Breakpoints, the requests that wait at them, and how these can go on. */
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { BreakpointState } from '../generated/control-types.ts'
import { control } from './api.ts'
import { linkTo } from './route.ts'
import { acting, attempt, breakpoints, calls } from './state.ts'

const phaseTexts = {
  response: 'the response',
  request: 'the request is processed',
  event: 'each event of a stream',
} as const

export function BreakpointsView(): JSX.Element {
  const { breakpoints: all, held } = breakpoints.value
  return (
    <div class="sheet">
      <h1>Breakpoints</h1>
      <p>
        A breakpoint holds requests in session <strong>{acting.value}</strong>. The virtual clock is stopped
        meanwhile: nothing expires, and the journal is the same as without the breakpoint.
      </p>
      <AddForm />
      <h2>Held requests ({held.length})</h2>
      {held.length === 0 ? <p class="empty">No requests are held.</p> : null}
      {held.map((one) => (
        <HeldRequest key={`${one.id} ${one.event?.index}`} held={one} />
      ))}
      <h2>Active ({all.filter(({ left }) => left !== 0).length})</h2>
      <ul>
        {all.map((one) => (
          <li key={one.id}>
            <code>{one.operation}</code> in {one.session}, before {phaseTexts[one.phase]}
            {one.left === null ? '' : `, ${one.left === 0 ? 'used up' : `${one.left} more`}`}{' '}
            <button
              type="button"
              onClick={() => attempt(control(one.session, 'DELETE', `breakpoints/${one.id}`))}
            >
              Remove
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}

function AddForm(): JSX.Element {
  const [operation, setOperation] = useState('*')
  const [phase, setPhase] = useState('response')
  const [isOnce, setOnce] = useState(true)
  const known = [...new Set(calls.value.flatMap((call) => call.operation ?? []))].sort()
  return (
    <form
      class="line"
      onSubmit={(event) => {
        event.preventDefault()
        const added = { operation, phase, times: isOnce ? 1 : undefined }
        void attempt(control(acting.value, 'POST', 'breakpoints', added))
      }}
    >
      <label>
        Operation{' '}
        <input
          list="operations"
          value={operation}
          onInput={({ currentTarget }) => setOperation(currentTarget.value)}
        />
      </label>
      <datalist id="operations">
        {['*', ...known].map((id) => (
          <option key={id} value={id} />
        ))}
      </datalist>
      <label>
        Hold before{' '}
        <select value={phase} onChange={({ currentTarget }) => setPhase(currentTarget.value)}>
          {Object.entries(phaseTexts).map(([id, text]) => (
            <option key={id} value={id}>
              {text}
            </option>
          ))}
        </select>
      </label>
      <label>
        <input
          type="checkbox"
          checked={isOnce}
          onChange={({ currentTarget }) => setOnce(currentTarget.checked)}
        />{' '}
        Only the next request
      </label>
      <button type="submit">Add breakpoint</button>
    </form>
  )
}

type Held = BreakpointState['held'][number]

/** The body of `POST /__sim/held/{id}`, as far as the page uses it. */
interface Release {
  readonly cut?: true
  readonly status?: number | undefined
  readonly body?: string | undefined
  readonly data?: string | undefined
  readonly toEnd?: true
}

function HeldRequest({ held }: { readonly held: Held }): JSX.Element {
  const { id, operation, method, path, request, seq, session, phase, event } = held
  const before = { status: String(held.status ?? ''), text: event?.data ?? held.response ?? '' }
  const [status, setStatus] = useState(before.status)
  const [text, setText] = useState(before.text)
  const release = (how: Release): void => void attempt(control(session, 'POST', `held/${id}`, how))
  const changed = text === before.text ? undefined : text
  const change: Release =
    phase === 'event'
      ? { data: changed }
      : { status: status === before.status ? undefined : Number(status), body: changed }
  return (
    <article class="panel" aria-label={`Held request ${id}`}>
      <h3>
        {operation} <span class="soft">{`${method} ${path}`}</span>{' '}
        {seq === null ? null : <a href={linkTo(['requests', session, String(seq)])}>#{seq}</a>}
      </h3>
      {request === null ? null : (
        <details>
          <summary>Request body</summary>
          <pre>{request}</pre>
        </details>
      )}
      {event === null ? null : (
        <p>
          Event {event.index + 1} of {event.total}
          {event.event === null ? '' : `: ${event.event}`}
        </p>
      )}
      {phase === 'response' ? (
        <label>
          Status{' '}
          <input value={status} size={4} onInput={({ currentTarget }) => setStatus(currentTarget.value)} />
        </label>
      ) : null}
      {phase === 'request' || before.text === '' ? null : (
        <label>
          {phase === 'event' ? 'Event data' : 'Response body'}
          <textarea rows={8} value={text} onInput={({ currentTarget }) => setText(currentTarget.value)} />
        </label>
      )}
      <div class="line">
        <Act label="Continue" act={() => release({})} />
        {phase === 'event' ? <Act label="Continue to the end" act={() => release({ toEnd: true })} /> : null}
        {phase === 'request' ? null : (
          <>
            <Act
              label="Send the change"
              disabled={Object.values(change).every((value) => value === undefined)}
              act={() => release(change)}
            />
            <Act label="Cut the connection" act={() => release({ cut: true })} />
          </>
        )}
      </div>
    </article>
  )
}

interface ActProps {
  readonly label: string
  readonly disabled?: boolean
  act(): void
}

function Act({ label, disabled = false, act }: ActProps): JSX.Element {
  return (
    <button type="button" disabled={disabled} onClick={act}>
      {label}
    </button>
  )
}
