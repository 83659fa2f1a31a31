/** A request that waits at a breakpoint, and how it can go on. */
import type { JSX } from 'preact'
import type { BreakpointState } from '../generated/control-types.ts'
import { drafts, useDraft } from './drafts.ts'
import { asSent, asShown, isJson } from './held-text.ts'
import { linkTo } from './route.ts'
import { server } from './state.ts'

export type Held = BreakpointState['held'][number]

/** The body of `POST /__sim/held/{id}`, as far as the page uses it. */
export interface Release {
  readonly cut?: true
  readonly status?: number | undefined
  readonly body?: string | undefined
  readonly data?: string
  readonly toEnd?: true
}

/** Ids begin anew when the server is started again. */
const draftKey = ({ id }: Held, field: 'status' | 'text'): string =>
  `${id} ${server.peek()?.startedAt} ${field}`

/** Forgets what was typed: the request is released. */
export const forgetTyped = (held: Held): void => {
  for (const field of ['status', 'text'] as const) drafts.delete(draftKey(held, field))
}

interface HeldRequestProps {
  readonly held: Held
  release(change: Release): void
}

export function HeldRequest({ held, release }: HeldRequestProps): JSX.Element {
  const { id, operation, method, path, clientLeft, request, seq, session, phase } = held
  return (
    <article class="panel" aria-label={`Held request ${id}`}>
      <h3>
        {operation}{' '}
        <span class="mode">
          {method} {path}
        </span>{' '}
        {seq === null ? null : <a href={linkTo(['requests', session, String(seq)])}>#{seq}</a>}
      </h3>
      {request === null ? null : (
        <details>
          <summary>Request body</summary>
          <pre>{request}</pre>
        </details>
      )}
      {clientLeft ? (
        <p class="bad">
          The client has closed the connection, as it does after its own timeout. The request has continued.
        </p>
      ) : null}
      {clientLeft && phase === 'request' ? (
        <div class="copies">
          <Act label="Dismiss" act={() => release({})} />
        </div>
      ) : null}
      {!clientLeft && phase === 'request' ? <BeforeRequest release={release} /> : null}
      {/* What somebody has typed stays when the client leaves. */}
      {phase === 'response' ? <BeforeResponse held={held} release={release} /> : null}
      {phase === 'event' ? <BeforeEvent held={held} release={release} /> : null}
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

function BeforeRequest({ release }: Pick<HeldRequestProps, 'release'>): JSX.Element {
  return (
    <>
      <p>
        The request has not been processed yet. To make it fail, first add a fault under{' '}
        <a href={linkTo(['rules'])}>Break something</a>.
      </p>
      <div class="copies">
        <Act label="Continue" act={() => release({})} />
      </div>
    </>
  )
}

function BeforeResponse({ held, release }: HeldRequestProps): JSX.Element {
  const [status, setStatus] = useDraft(draftKey(held, 'status'), String(held.status ?? ''))
  const shown = asShown(held.response ?? '')
  const [body, setBody] = useDraft(draftKey(held, 'text'), shown)
  const isSameStatus = status === String(held.status ?? '')
  const change: Release = {
    status: isSameStatus ? undefined : Number(status),
    body: body === shown ? undefined : asSent(body, held.response ?? ''),
  }
  return (
    <>
      <label>
        Status{' '}
        <input value={status} size={4} onInput={({ currentTarget }) => setStatus(currentTarget.value)} />
      </label>
      {held.response === null ? null : (
        <EditedText label="Response body" shown={shown} text={body} change={setBody} />
      )}
      <div class="copies">
        <Act label={held.clientLeft ? 'Dismiss' : 'Continue'} act={() => release({})} />
        <Act
          label={held.clientLeft ? 'Keep the change' : 'Send the change'}
          disabled={isSameStatus && body === shown}
          act={() => release(change)}
        />
        {held.clientLeft ? null : <Act label="Cut the connection" act={() => release({ cut: true })} />}
      </div>
    </>
  )
}

function BeforeEvent({ held, release }: HeldRequestProps): JSX.Element {
  const { index = 0, total = 0, event, data: sent = '' } = held.event ?? {}
  const shown = asShown(sent)
  const [data, setData] = useDraft(draftKey(held, 'text'), shown)
  return (
    <>
      <p>
        Event {index + 1} of {total}
        {event == null ? '' : `: ${event}`}
      </p>
      <EditedText label="Event data" shown={shown} text={data} change={setData} />
      <div class="copies">
        {held.clientLeft ? (
          <Act label="Dismiss" act={() => release({})} />
        ) : (
          <>
            <Act label="Continue to the next event" act={() => release({})} />
            <Act label="Continue to the end" act={() => release({ toEnd: true })} />
            <Act
              label="Send the change"
              disabled={data === shown}
              act={() => release({ data: asSent(data, sent) })}
            />
            <Act label="Cut the connection" act={() => release({ cut: true })} />
          </>
        )}
      </div>
    </>
  )
}

interface EditedTextProps {
  readonly label: string
  /** The text before it was edited. */
  readonly shown: string
  readonly text: string
  change(text: string): void
}

function EditedText({ label, shown, text, change }: EditedTextProps): JSX.Element {
  return (
    <label class="block">
      {label}
      <textarea
        rows={Math.min(16, shown.split('\n').length + 1)}
        value={text}
        onInput={({ currentTarget }) => change(currentTarget.value)}
      />
      {isJson(shown) && !isJson(text) ? (
        <span class="unused" role="status">
          This is not valid JSON. It is sent as it is.
        </span>
      ) : null}
    </label>
  )
}
