/** The frame of the page: views, the session, the clock, and what to do while the server is away. */
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { counted } from '../text/printable.ts'
import { scriptJson } from '../trace/fit-trace.ts'
import type { SavedTrace } from '../trace/trace.ts'
import { type PageFiles, pageFileNames, tracePage } from '../trace/trace-page.ts'
import { control, download, needsToken, saved, setToken } from './api.ts'
import { BreakpointsView } from './breakpoints-view.tsx'
import { RequestsView } from './calls/requests-view.tsx'
import { ClientsView } from './clients-view.tsx'
import { ClockBar } from './clock-bar.tsx'
import { closeRequest, filterBy, linkTo, route } from './route.ts'
import { RulesView } from './rules-view.tsx'
import { acting, attempt, breakpoints, feedState, notice, selected, server, sessions } from './state.ts'
import { TimelineView } from './timeline/timeline-view.tsx'

interface View {
  readonly id: string
  readonly title: string
  readonly Content: () => JSX.Element
}

const views: readonly View[] = [
  { id: 'requests', title: 'Requests', Content: RequestsView },
  { id: 'timeline', title: 'Timeline', Content: TimelineView },
  ...(saved === undefined ? [{ id: 'breakpoints', title: 'Breakpoints', Content: BreakpointsView }] : []),
  { id: 'rules', title: 'Rules', Content: RulesView },
  { id: 'clients', title: 'Clients', Content: ClientsView },
]

/** The first view of a run is its client report if there are findings, which may be why it failed. */
const firstView =
  saved?.title != null && saved.sessions.some(({ clientReport }) => !clientReport.ok) ? 'clients' : 'requests'

addEventListener('keydown', (event) => {
  const isTyping = event.target instanceof Element && event.target.matches('input, textarea, select')
  if (event.key === 'Escape' && !isTyping) closeRequest()
  if (event.key !== '/' || isTyping) return
  document.querySelector<HTMLInputElement>('input[type=search]')?.focus()
  event.preventDefault()
})

// A message belongs to the view in which something failed.
addEventListener('hashchange', () => (notice.value = undefined))

const stateWords = { connecting: 'Connecting', live: 'Live', lost: 'Disconnected' } as const

export function Shell(): JSX.Element {
  const chosen = route.value.parts[0] ?? firstView
  const { id: shown, Content } = views.find(({ id }) => id === chosen) ?? (views[0] as View)
  const waiting = breakpoints.value.held.length
  if (needsToken.value) return <TokenForm />
  return (
    <>
      <header class="top">
        <strong>gateway-sim</strong>
        <nav aria-label="Views">
          {views.map(({ id, title }) => (
            <a key={id} href={linkTo([id])} aria-current={id === shown ? 'page' : undefined}>
              {title}
              {id === 'breakpoints' && waiting > 0 ? <strong> ({waiting})</strong> : null}
            </a>
          ))}
        </nav>
        <SessionPicker />
        <ClockBar />
        {saved === undefined ? <SaveButton /> : null}
        <span role="status">{saved === undefined ? stateWords[feedState.value] : 'Saved'}</span>
      </header>
      {saved === undefined ? null : (
        <p class="saved-trace">
          Saved at {saved.savedAt}
          {saved.title === null ? '' : `: ${saved.title}`}. {saved.cut.join(' ')}
        </p>
      )}
      {saved?.report === undefined ? null : <pre class="report">{saved.report}</pre>}
      {notice.value === undefined ? null : (
        <div class="notice" role="alert">
          <span>{notice.value}</span>
          <button type="button" onClick={() => (notice.value = undefined)}>
            Dismiss
          </button>
        </div>
      )}
      <main>
        <Content key={acting.value} />
      </main>
      <footer>
        gateway-sim {server.value?.version ?? ''} {server.value?.strict ? '· strict' : ''}
      </footer>
    </>
  )
}

function SessionPicker(): JSX.Element {
  const total = sessions.value.find(({ name }) => name === acting.value)?.total ?? 0
  const reset = (): void => {
    if (
      total === 0 ||
      confirm(`Reset ${counted(total, 'request')}, jobs, rules and clock of ${acting.value}?`)
    )
      void attempt(control(acting.value, 'POST', 'reset'))
  }
  return (
    <div class="line session">
      <label>
        Session{' '}
        <select
          value={selected.value ?? ''}
          onChange={({ currentTarget }) => filterBy({ session: currentTarget.value })}
        >
          <option value="">All</option>
          {sessions.value.map(({ name, total: count }) => (
            <option key={name} value={name}>
              {name} ({count})
            </option>
          ))}
        </select>
      </label>
      {saved === undefined ? (
        <button type="button" title={`Reset session ${acting.value}. Breakpoints stay.`} onClick={reset}>
          Reset
        </button>
      ) : null}
    </div>
  )
}

/** Saves the page with what it knows as one HTML file, which opens without a server. */
function SaveButton(): JSX.Element {
  const save = async (): Promise<void> => {
    const name = `gateway-sim-${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}.html`
    const page = await attempt(savedPage())
    if (page !== undefined) download(page, name, 'text/html')
  }
  return (
    <button type="button" onClick={save} title="Save all sessions as one HTML file">
      Save
    </button>
  )
}

async function savedPage(): Promise<string> {
  const trace = await control<SavedTrace>(undefined, 'GET', 'trace')
  const files = await Promise.all(
    Object.entries(pageFileNames).map(
      async ([part, name]) => [part, await (await fetch(name)).text()] as const,
    ),
  )
  return tracePage(Object.fromEntries(files) as unknown as PageFiles, scriptJson(trace))
}

function TokenForm(): JSX.Element {
  const [value, setValue] = useState('')
  return (
    <main class="sheet">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          setToken(value)
        }}
      >
        <h1>Control token</h1>
        <p>This simulator requires a token. The server prints a generated token when it starts.</p>
        <label>
          Token{' '}
          <input
            type="password"
            autocomplete="off"
            value={value}
            onInput={({ currentTarget }) => setValue(currentTarget.value)}
          />
        </label>{' '}
        <button type="submit">Open</button>
      </form>
    </main>
  )
}
