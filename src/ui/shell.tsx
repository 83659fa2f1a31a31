/** The frame of the page: views, the session, the clock, and what to do while the server is away. */
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { control, needsToken, saved, setToken } from './api.ts'
import { BreakpointsView } from './breakpoints-view.tsx'
import { CallsView } from './calls/calls-view.tsx'
import { ClientsView } from './clients-view.tsx'
import { ClockBar } from './clock-bar.tsx'
import { ContractView } from './contract/contract-view.tsx'
import { MediaView } from './media/media-view.tsx'
import { filterBy, linkTo, view } from './route.ts'
import { RulesView } from './rules/rules-view.tsx'
import { SaveButton } from './save-button.tsx'
import { acting, breakpoints, feedState, notice, selected, server, sessions } from './state.ts'
import { StreamView } from './stream-view.tsx'
import { TimelineView } from './timeline/timeline-view.tsx'
import { TrialView } from './trial-view.tsx'

interface View {
  readonly id: string
  readonly title: string
  readonly render: () => JSX.Element
  /** Whether it shows nothing without a server. */
  readonly live?: true
}

const all: readonly View[] = [
  { id: 'requests', title: 'Requests', render: () => <CallsView /> },
  { id: 'timeline', title: 'Timeline', render: () => <TimelineView /> },
  { id: 'stream', title: 'Streams', render: () => <StreamView /> },
  { id: 'breakpoints', title: 'Breakpoints', render: () => <BreakpointsView />, live: true },
  { id: 'media', title: 'Media', render: () => <MediaView /> },
  { id: 'rules', title: 'Rules', render: () => <RulesView /> },
  { id: 'clients', title: 'Clients', render: () => <ClientsView /> },
  { id: 'contract', title: 'Contract', render: () => <ContractView />, live: true },
]

/** The views in the order of the navigation; keys 1 to 9 open them. */
const views: readonly View[] = [
  ...(saved?.trial === undefined ? [] : [{ id: 'trial', title: 'Trial', render: () => <TrialView /> }]),
  ...all.filter(({ live }) => saved === undefined || live !== true),
]

/** The first view of a failed test is its client report if there are findings, which may be its cause. */
const firstView =
  saved?.failure !== undefined && saved.sessions.some(({ clientReport }) => !clientReport.ok)
    ? 'clients'
    : views[0]?.id

addEventListener('keydown', (event) => {
  const isTyping =
    event.target instanceof Element &&
    event.target.matches('input:not([type=range]), textarea, select, [contenteditable]')
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return
  const chosen = views[Number(event.key) - 1]
  if (chosen !== undefined) location.hash = linkTo([chosen.id])
  if (event.key === '/') {
    document.querySelector<HTMLInputElement>('input[type=search]')?.focus()
    event.preventDefault()
  }
})

/** A saved page has the icon in itself. */
const iconUrl = document.querySelector<HTMLLinkElement>('link[rel=icon]')?.href

export function Shell(): JSX.Element {
  if (needsToken.value) return <TokenForm />
  const chosen = view.value || firstView
  const shown = views.find(({ id }) => id === chosen) ?? (views[0] as View)
  return (
    <>
      <header class="top">
        <a class="brand" href={`#/${firstView}`}>
          <img src={iconUrl} alt="" width="22" height="22" /> gateway-sim
        </a>
        <nav aria-label="Views">
          {views.map(({ id, title }) => (
            <a key={id} href={linkTo([id])} aria-current={id === shown.id ? 'page' : undefined}>
              {title}
              {id === 'breakpoints' && breakpoints.value.held.length > 0 ? (
                <strong class="count">{breakpoints.value.held.length}</strong>
              ) : null}
            </a>
          ))}
        </nav>
        <SessionPicker />
        <ClockBar />
        {saved === undefined ? <SaveButton /> : null}
        <span class={`status ${saved === undefined ? feedState.value : 'saved'}`} role="status">
          {saved !== undefined
            ? 'Saved'
            : feedState.value === 'live'
              ? 'Live'
              : feedState.value === 'connecting'
                ? 'Connecting'
                : 'Disconnected'}
        </span>
      </header>
      {saved === undefined ? null : (
        <p class="saved-trace">
          Saved at {saved.savedAt}
          {saved.title === null ? '' : `: ${saved.title}`}. {saved.cut.join(' ')}
        </p>
      )}
      {saved?.failure === undefined ? null : <pre class="failure">{saved.failure}</pre>}
      {notice.value === undefined ? null : (
        <div class="notice" role="alert">
          <span>{notice.value}</span>
          <button type="button" onClick={() => (notice.value = undefined)}>
            Dismiss
          </button>
        </div>
      )}
      <main id="view">{shown.render()}</main>
      <footer>
        gateway-sim {server.value?.version ?? ''} {server.value?.strict ? '· strict' : ''}
        <span class="keys">
          <kbd>1</kbd>–<kbd>{views.length}</kbd> views · <kbd>/</kbd> search · <kbd>↑</kbd> <kbd>↓</kbd>{' '}
          requests
        </span>
      </footer>
    </>
  )
}

function SessionPicker(): JSX.Element {
  const reset = async (): Promise<void> => {
    try {
      await control(acting.value, 'POST', 'reset')
    } catch (error) {
      notice.value = (error as Error).message
    }
  }
  return (
    <div class="session">
      <label>
        Session{' '}
        <select
          value={selected.value ?? ''}
          onChange={({ currentTarget }) => filterBy({ session: currentTarget.value })}
        >
          <option value="">All</option>
          {sessions.value.map(({ name, total }) => (
            <option key={name} value={name}>
              {name} ({total})
            </option>
          ))}
        </select>
      </label>
      {saved === undefined ? (
        <button
          type="button"
          onClick={reset}
          title={`Reset the session ${acting.value}: its jobs, clock and journal`}
        >
          Reset
        </button>
      ) : null}
    </div>
  )
}

function TokenForm(): JSX.Element {
  const [value, setValue] = useState('')
  return (
    <main class="token">
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
        </label>
        <button type="submit">Open</button>
      </form>
    </main>
  )
}
