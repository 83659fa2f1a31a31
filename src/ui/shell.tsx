/** The frame of the page: views, the session, the clock, and what to do while the server is away. */
import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { counted } from '../text/printable.ts'
import { control, needsToken, saved, setToken } from './api.ts'
import { AskButton } from './ask-button.tsx'
import { CallsView } from './calls/calls-view.tsx'
import { ClockBar } from './clock-bar.tsx'
import { FromLater, type Later } from './load-later.tsx'
import { filterBy, linkTo, view } from './route.ts'
import { SaveButton } from './save-button.tsx'
import { acting, attempt, breakpoints, feedState, notice, selected, server, sessions } from './state.ts'

interface View {
  readonly id: string
  readonly title: string
  /** From the chunk that loads later. Undefined for the requests, with which the page starts. */
  readonly render?: (loaded: Later) => JSX.Element
  /** Whether it shows nothing without a server. */
  readonly live?: true
}

const all: readonly View[] = [
  { id: 'requests', title: 'Requests' },
  { id: 'timeline', title: 'Timeline', render: ({ TimelineView }) => <TimelineView /> },
  { id: 'stream', title: 'Streams', render: ({ StreamView }) => <StreamView /> },
  {
    id: 'breakpoints',
    title: 'Breakpoints',
    render: ({ BreakpointsView }) => <BreakpointsView />,
    live: true,
  },
  { id: 'media', title: 'Media', render: ({ MediaView }) => <MediaView /> },
  { id: 'rules', title: 'Rules', render: ({ RulesView }) => <RulesView /> },
  { id: 'clients', title: 'Clients', render: ({ ClientsView }) => <ClientsView /> },
  { id: 'contract', title: 'Contract', render: ({ ContractView }) => <ContractView />, live: true },
]

const trialView: View = { id: 'trial', title: 'Trial', render: ({ TrialView }) => <TrialView /> }

/** The views in the order of the navigation; keys 1 to 9 open them. */
const views: readonly View[] = [
  ...(saved?.trial === undefined ? [] : [trialView]),
  ...all.filter(({ live }) => saved === undefined || live !== true),
]

/** The first view of a run is its client report if there are findings, which may be why it failed. */
const firstView =
  saved !== undefined &&
  saved.title !== null &&
  saved.trial === undefined &&
  saved.sessions.some(({ clientReport }) => !clientReport.ok)
    ? 'clients'
    : views[0]?.id

/** Whether a key has opened the view, which gets the focus. */
let byKey = false

/** Gives the focus to the list or the heading of the view. */
function focusView(): void {
  const main = document.getElementById('view')
  const place = main?.querySelector<HTMLElement>('.rows') ?? main?.querySelector('h1') ?? main
  // A heading takes no focus until it has this attribute.
  if (place?.tabIndex === -1) place.tabIndex = -1
  place?.focus({ preventScroll: true })
}

addEventListener('keydown', (event) => {
  const { target } = event
  const isTyping =
    target instanceof Element &&
    target.matches('input:not([type=range]), textarea, select, [contenteditable]')
  if (isTyping && event.key === 'Escape' && target.matches('[type=search]')) focusView()
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return
  const chosen = views[Number(event.key) - 1]
  if (chosen !== undefined) {
    byKey = chosen.id !== (view.value || firstView)
    if (!byKey) focusView()
    location.hash = linkTo([chosen.id])
  }
  if (event.key === '/') {
    document.querySelector<HTMLInputElement>('input[type=search]')?.focus()
    event.preventDefault()
  }
})

// A message belongs to the view in which something failed.
addEventListener('hashchange', () => (notice.value = undefined))

const stateWords = { saved: 'Saved', connecting: 'Connecting', lost: 'Disconnected' } as const

export function Shell(): JSX.Element {
  const chosen = view.value || firstView
  const shown = views.find(({ id }) => id === chosen) ?? (views[0] as View)
  const waiting = breakpoints.value.held.filter(({ clientLeft }) => !clientLeft).length
  const before = useRef(views[0])
  useEffect(() => {
    // On a phone, the link can be out of sight. The first view, which has to be fast, needs no layout for it.
    if (shown !== before.current)
      document.querySelector('nav [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
    before.current = shown
    if (byKey) focusView()
    byKey = false
  }, [shown])
  const state = saved === undefined ? feedState.value : 'saved'
  if (needsToken.value) return <TokenForm />
  return (
    <>
      <header class="top">
        <a class="brand" href={`#/${firstView}`}>
          <Icon /> <span class="spare">gateway-sim</span>
        </a>
        <nav aria-label="Views">
          {views.map(({ id, title }) => (
            <a key={id} href={linkTo([id])} aria-current={id === shown.id ? 'page' : undefined}>
              {title}
              {id === 'breakpoints' && waiting > 0 ? <strong class="count">{waiting}</strong> : null}
            </a>
          ))}
        </nav>
        <SessionPicker />
        <ClockBar />
        {saved === undefined ? <SaveButton /> : null}
        <span class={`status ${state}`} role="status">
          {state === 'live' ? <span class="hidden">Live</span> : stateWords[state]}
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
      <main id="view">
        {shown.render === undefined ? <CallsView /> : <FromLater render={shown.render} />}
      </main>
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

/** As in index.html. Not an image: Chromium lays one out as a document. */
function Icon(): JSX.Element {
  return (
    <svg viewBox="0 0 32 32" width="22" height="22" aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="#1f2a44" />
      <path d="M7 16h5l3-8 4 16 3-8h3" />
    </svg>
  )
}

function SessionPicker(): JSX.Element {
  const [asking, setAsking] = useState(false)
  const total = sessions.value.find(({ name }) => name === acting.value)?.total ?? 0
  return (
    <div class="session">
      {asking ? null : (
        <label>
          <span class="spare">Session</span>{' '}
          <select
            value={selected.value ?? ''}
            title={selected.value}
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
      )}
      {saved === undefined ? (
        <AskButton
          label="Reset"
          question={total > 0 ? `Reset ${counted(total, 'request')}, jobs, rules and clock?` : undefined}
          title={`Reset session ${acting.value}: its jobs, clock, rules and journal. Breakpoints stay.`}
          onAsk={setAsking}
          act={() => void attempt(control(acting.value, 'POST', 'reset'))}
        />
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
