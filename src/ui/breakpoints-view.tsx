/** Breakpoints, and the requests that wait at them. */
import { signal } from '@preact/signals'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { JournalEntryJson } from '../exchange/plain.ts'
import type { BreakpointState, Capabilities } from '../generated/control-types.ts'
import { control, fetchEntry, type Place } from './api.ts'
import { CopyButton } from './copy-button.tsx'
import { useCapabilities } from './follow.ts'
import { forgetTyped, type Held, HeldRequest, type Release } from './held-request.tsx'
import { linkTo } from './route.ts'
import { isOnlyText, scenarioOf } from './rules/rule-of.ts'
import { acting, attempt, breakpoints, calls, notice } from './state.ts'

const phaseTexts = {
  request: 'the request is processed',
  response: 'the response',
  event: 'each event of a stream',
} as const

export function BreakpointsView(): JSX.Element {
  const { breakpoints: all, held } = breakpoints.value
  const armed = all.filter(({ left }) => left !== 0)
  const spent = all.filter(({ left }) => left === 0)
  const waiting = held.filter(({ clientLeft }) => !clientLeft)
  return (
    <div class="sheet">
      <h1>Breakpoints</h1>
      <p>
        A breakpoint holds requests in session <strong>{acting.value}</strong>. The virtual clock is stopped
        meanwhile: nothing expires, and the journal is the same as without the breakpoint.
      </p>
      <AddForm />
      <h2 id="waiting" tabIndex={-1}>
        Waiting requests ({waiting.length})
      </h2>
      {waiting.length === 0 ? <p class="empty">No requests are held.</p> : null}
      {[...waiting, ...held.filter(({ clientLeft }) => clientLeft)].map((one) => (
        <HeldRequest key={one.id} held={one} release={(how) => void release(one, how)} />
      ))}
      <Changes />
      <h2>Active ({armed.length})</h2>
      <List of={armed} />
      {spent.length === 0 ? null : (
        <>
          <h2>
            No longer active ({spent.length}){' '}
            <button type="button" onClick={() => spent.forEach(remove)}>
              Remove all
            </button>
          </h2>
          <List of={spent} />
        </>
      )}
    </div>
  )
}

const remove = ({ id, session }: BreakpointState['breakpoints'][number]) =>
  void attempt(control(session, 'DELETE', `breakpoints/${id}`))

function List({ of }: { readonly of: BreakpointState['breakpoints'] }): JSX.Element {
  return (
    <ul class="plain-list">
      {of.map((one) => (
        <li key={one.id}>
          <code>{one.operation}</code> in {one.session}, before {phaseTexts[one.phase]}
          {one.left === null || one.left === 0 ? '' : `, ${one.left} more`}{' '}
          <button type="button" onClick={() => remove(one)}>
            Remove
          </button>
        </li>
      ))}
    </ul>
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
        const added = { operation: operation.value, phase, ...times }
        void attempt(control(acting.value, 'POST', 'breakpoints', added))
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
        Hold before{' '}
        <select value={phase} onChange={({ currentTarget }) => setPhase(currentTarget.value)}>
          {(['response', 'request', 'event'] as const).map((id) => (
            <option key={id} value={id}>
              {phaseTexts[id]}
            </option>
          ))}
        </select>
      </label>
      <label>
        <input
          type="checkbox"
          checked={once}
          onChange={({ currentTarget }) => setOnce(currentTarget.checked)}
        />{' '}
        Only the next request
      </label>
      <button type="submit">Add breakpoint</button>
    </form>
  )
}

type Operations = Capabilities['operations'] | undefined

interface Change extends Place {
  readonly text: string
  /** What the journal does not say of the response. */
  readonly written: Written | undefined
}

/** The requests whose responses were changed or cut here, oldest first. */
const changes = signal<readonly Change[]>([])

/** Releases a request, and remembers what was changed. */
async function release(held: Held, how: Release): Promise<void> {
  // A request whose client has left has continued: it can only be dismissed.
  const sent = control(held.session, 'POST', `held/${held.id}`, held.clientLeft ? {} : how)
  if ((await attempt(sent)) === undefined) return
  forgetTyped(held)
  // The buttons of the request are going to disappear.
  document.getElementById('waiting')?.focus()
  const text = changeText(held, how)
  if (text === undefined || held.seq === null) return
  const { session, seq } = held
  const written = writtenOf(held, how)
  const others = changes.value.filter((one) => one.session !== session || one.seq !== seq)
  changes.value = [...others, { session, seq, text, written }].slice(-20)
}

/** The changed response. */
interface Written {
  readonly text: string
  readonly status: number
  readonly decidedBy: JournalEntryJson['cause']['decidedBy']
}

/** A response that was changed, also if its client has left: then the journal does not contain the change. */
function writtenOf({ phase, response, ...held }: Held, { cut, status, body }: Release): Change['written'] {
  if (phase !== 'response' || cut === true || response === null) return undefined
  const isText = status === undefined && body !== undefined && isOnlyText(response, body)
  return {
    text: body ?? response,
    status: status ?? held.status ?? 200,
    decidedBy: isText ? undefined : { kind: 'breakpoint' },
  }
}

function changeText(held: Held, { cut, status, body, data }: Release): string | undefined {
  const { operation, event, clientLeft } = held
  if (clientLeft && (status ?? body ?? data) !== undefined)
    return `${operation}: changed, but not sent: the client had left`
  const place = event === null ? '' : ` at event ${event.index + 1}`
  if (cut === true) return `${operation}: cut${place}`
  if (status !== undefined) return `${operation}: changed to ${status}`
  return body === undefined && data === undefined ? undefined : `${operation}: changed${place}`
}

function Changes(): JSX.Element | null {
  const list = changes.value
  const operations = useCapabilities()?.operations
  if (list.length === 0) return null
  return (
    <section aria-labelledby="changes">
      <h2 id="changes">Changed responses ({list.length})</h2>
      <ul class="plain-list">
        {list.map((change) => {
          const { session, seq, text } = change
          return (
            <li key={`${session}/${seq}`}>
              {text} <a href={linkTo(['requests', session, String(seq)])}>#{seq}</a>{' '}
              <CopyButton
                label="Copy the change as a rule"
                title="A scenario file with a rule that gives the changed response"
                text={() => ruleFor(change, operations)}
              />
            </li>
          )
        })}
      </ul>
    </section>
  )
}

function withWritten(entry: JournalEntryJson, { text, status, decidedBy }: Written): JournalEntryJson {
  const body = { text, size: text.length, isComplete: true }
  return {
    ...entry,
    ended: 'completed',
    response: { headers: [], ...entry.response, status, body },
    cause: { ...entry.cause, decidedBy },
  }
}

/** A scenario with a rule that gives the changed response; undefined, with a notice, if there is none. */
async function ruleFor(
  { session, seq, written }: Change,
  operations: Operations,
): Promise<string | undefined> {
  try {
    const entry = await fetchEntry({ session, seq })
    if (entry !== undefined && entry.ended !== 'open') {
      const template = operations?.find(({ id }) => id === entry.operation)?.path
      return scenarioOf(written === undefined ? entry : withWritten(entry, written), template)
    }
    notice.value =
      entry === undefined
        ? 'The journal no longer contains this request.'
        : 'The stream has not ended: let it continue to the end first.'
  } catch (error) {
    notice.value = (error as Error).message
  }
  return undefined
}
