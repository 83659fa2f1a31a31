/** The sessions of the server: their clocks and seeds, and how to reset, delete and create one. */
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { SessionState } from '../generated/control-types.ts'
import { counted } from '../text/printable.ts'
import { control } from './api.ts'
import { AskButton } from './ask-button.tsx'
import { useFollowed } from './follow.ts'
import { go, linkTo } from './route.ts'
import { SessionAccess } from './session-access.tsx'
import { acting, attempt } from './state.ts'

interface SessionPage {
  readonly more: number
  readonly sessions: readonly SessionState[]
}

export function SessionList(): JSX.Element {
  const { value, reload } = useFollowed<SessionPage>('sessions?limit=100')
  const [made, setMade] = useState<SessionState>()
  const list = value?.sessions ?? []
  const act = async (method: 'POST' | 'DELETE', path: string, of: string | undefined) => {
    const result = await attempt(control<SessionState>(of, method, path, method === 'POST' ? {} : undefined))
    reload()
    return result
  }
  const create = async (): Promise<void> => {
    const session = await act('POST', 'sessions', undefined)
    if (session === undefined) return
    setMade(session)
    go(['clients'], { session: session.name })
  }
  const remove = async (name: string): Promise<void> => {
    // The page leaves the session first, because the server rejects requests to a deleted one.
    if (acting.peek() === name) go(['clients'], { session: '' })
    if ((await act('DELETE', `sessions/${encodeURIComponent(name)}`, undefined)) === undefined) return
    if (made?.name === name) setMade(undefined)
  }
  return (
    <section class="sheet" aria-labelledby="sessions">
      <h2 id="sessions">Sessions</h2>
      <ul class="plain-list">
        {list.map((session) => (
          <Item
            key={session.name}
            session={session}
            reset={() => void act('POST', 'reset', session.name)}
            remove={() => void remove(session.name)}
          />
        ))}
      </ul>
      {(value?.more ?? 0) > 0 ? (
        <p class="hint">{counted(value?.more ?? 0, 'more session')} not listed.</p>
      ) : null}
      <button type="button" onClick={create} title="Keeps its requests separate from those of other sessions">
        New session
      </button>
      {made === undefined ? null : <SessionAccess session={made} />}
    </section>
  )
}

interface ItemProps {
  readonly session: SessionState
  reset(): void
  remove(): void
}

function Item({ session, reset, remove }: ItemProps): JSX.Element {
  const { name, requests, clock, seed } = session
  const { mode, speed, frozen, now } = clock
  const count = counted(requests, 'request')
  return (
    <li>
      <a href={linkTo(['clients'], { session: name })}>{name}</a>: {count}, {frozen ? 'stopped ' : ''}
      {mode} clock{speed === 1 ? '' : ` × ${speed}`} at {now}, seed <code>{seed}</code>{' '}
      <AskButton
        label="Reset"
        name={`Reset ${name}`}
        question={`Reset ${count}, jobs, rules and clock?`}
        act={reset}
      />{' '}
      {/* A request would create it again. */}
      {name === 'default' ? null : (
        <AskButton
          label="Delete"
          name={`Delete ${name}`}
          question={`Delete the session and ${count}?`}
          act={remove}
        />
      )}
    </li>
  )
}
