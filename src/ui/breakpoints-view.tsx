/** Breakpoints, and the requests that wait at them. */
import { signal } from '@preact/signals'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { BreakpointState } from '../generated/control-types.ts'
import { control } from './api.ts'
import { acting, breakpoints, calls, notice } from './state.ts'

type Held = BreakpointState['held'][number]

async function send(session: string, method: 'POST' | 'DELETE', path: string, body?: object): Promise<void> {
  try {
    await control(session, method, path, body)
  } catch (error) {
    notice.value = (error as Error).message
  }
}

export function BreakpointsView(): JSX.Element {
  const { breakpoints: armed, held } = breakpoints.value
  return (
    <div class="page-view">
      <h1>Breakpoints</h1>
      <p>
        A breakpoint holds requests of the session <strong>{acting.value}</strong>. Its virtual clock stands
        meanwhile: nothing expires, and the journal is the same as without.
      </p>
      <AddForm />
      <h2>Waiting requests ({held.length})</h2>
      {held.length === 0 ? <p class="empty">No request is held.</p> : null}
      {held.map((one) => (
        <HeldRequest key={one.id} held={one} />
      ))}
      <h2>Armed ({armed.length})</h2>
      <ul class="plain-list">
        {armed.map(({ id, session, operation, phase, left }) => (
          <li key={id}>
            <code>{operation}</code> in {session}, before the{' '}
            {phase === 'request' ? 'request is processed' : 'response'}
            {left === null ? '' : `, ${left} more`}{' '}
            <button type="button" onClick={() => send(session, 'DELETE', `breakpoints/${id}`)}>
              Remove
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}

const operation = signal('*')

function AddForm(): JSX.Element {
  const [phase, setPhase] = useState('response')
  const [once, setOnce] = useState(true)
  const known = [...new Set(calls.value.flatMap((call) => call.operation ?? []))].sort()
  return (
    <form
      class="filters"
      onSubmit={(event) => {
        event.preventDefault()
        const times = once ? { times: 1 } : {}
        void send(acting.value, 'POST', 'breakpoints', { operation: operation.value, phase, ...times })
      }}
    >
      <label>
        Operation{' '}
        <input
          list="operations"
          value={operation.value}
          onInput={({ currentTarget }) => (operation.value = currentTarget.value)}
        />
      </label>
      <datalist id="operations">
        {['*', ...known].map((id) => (
          <option key={id} value={id} />
        ))}
      </datalist>
      <label>
        Hold before the{' '}
        <select value={phase} onChange={({ currentTarget }) => setPhase(currentTarget.value)}>
          <option value="response">response</option>
          <option value="request">request is processed</option>
        </select>
      </label>
      <label>
        <input
          type="checkbox"
          checked={once}
          onChange={({ currentTarget }) => setOnce(currentTarget.checked)}
        />{' '}
        Only the next one
      </label>
      <button type="submit">Add breakpoint</button>
    </form>
  )
}

function HeldRequest({ held }: { readonly held: Held }): JSX.Element {
  const [status, setStatus] = useState(String(held.status ?? ''))
  const [body, setBody] = useState(held.response ?? '')
  const release = (change?: object): Promise<void> =>
    send(held.session, 'POST', `held/${held.id}`, change ?? {})
  const isChanged = status !== String(held.status ?? '') || body !== (held.response ?? '')
  return (
    <article class="panel" aria-label={`Held request ${held.id}`}>
      <h3>
        {held.operation}{' '}
        <span class="mode">
          {held.method} {held.path}
        </span>
      </h3>
      {held.clientLeft ? <p class="bad">The client has disconnected: its own timeout has passed.</p> : null}
      {held.request === null ? null : (
        <details>
          <summary>Request body</summary>
          <pre>{held.request}</pre>
        </details>
      )}
      {held.phase === 'request' ? (
        <p>It has not been processed yet.</p>
      ) : (
        <>
          <label>
            Status{' '}
            <input value={status} size={4} onInput={({ currentTarget }) => setStatus(currentTarget.value)} />
          </label>
          {held.response === null ? null : (
            <label class="block">
              Response body
              <textarea rows={8} value={body} onInput={({ currentTarget }) => setBody(currentTarget.value)} />
            </label>
          )}
        </>
      )}
      <div class="copies">
        <button type="button" onClick={() => release()}>
          Continue
        </button>
        {held.phase === 'request' ? null : (
          <>
            <button
              type="button"
              disabled={!isChanged}
              onClick={() => release({ status: Number(status), ...(held.response === null ? {} : { body }) })}
            >
              Send the change
            </button>
            <button type="button" onClick={() => release({ cut: true })}>
              Cut the connection
            </button>
          </>
        )}
      </div>
    </article>
  )
}
