/** What the page knows: sessions, clocks and requests, from the feed or from a saved trace. */
import { batch, computed, effect, signal } from '@preact/signals'
import type { BreakpointState, ClockState, LiveCall } from '../generated/control-types.ts'
import { saved } from './api.ts'
import type { FeedState } from './feed.ts'
import { closeRequest, route } from './route.ts'
import type { FeedEvent } from './saved-trace.ts'

/** The feed sends the time of a running clock only once: with the real time, the page can count on. */
interface ClockReading extends ClockState {
  readonly readAt: number
}

/** A session, as far as the feed has described it. */
interface SessionView {
  readonly name: string
  clock: ClockReading | undefined
  /** The number of requests ever received; the journal keeps those from `first` on. */
  total: number
  first: number
  /** By `seq`. */
  readonly calls: Map<number, LiveCall>
}

interface ServerFacts {
  readonly version: string
  /** When it started. Undefined in a saved trace. */
  readonly startedAt?: string | undefined
  readonly strict: unknown
}

const sessionViews = new Map<string, SessionView>()
/** Counts changes of `sessionViews`, which is changed in place: a copy for each event would be too slow. */
const revision = signal(0)

export const feedState = signal<FeedState>('connecting')
export const server = signal<ServerFacts | undefined>(undefined)
/** What went wrong, until it is dismissed. */
export const notice = signal<string | undefined>(undefined)
export const breakpoints = signal<BreakpointState>({ breakpoints: [], held: [] })

export function changeFeedState(state: FeedState): void {
  feedState.value = state
}

/** The result of an action; if it fails, a notice says why, and there is none. */
export async function attempt<Result>(action: Promise<Result>): Promise<Result | undefined> {
  try {
    return await action
  } catch (error) {
    notice.value = (error as Error).message
    return undefined
  }
}

/** The sessions in order of appearance. */
export const sessions = computed<readonly SessionView[]>(() => {
  revision.value
  return [...sessionViews.values()]
})

/** The session that the page shows; undefined for all of them. */
export const selected = computed<string | undefined>(() => route.value.query.get('session') ?? undefined)

/** The session that controls act on: the selected one, or `default`; in a saved trace, the first. */
export const acting = computed<string>(() => selected.value ?? saved?.sessions[0]?.name ?? 'default')

export const clockOfSelected = computed<ClockReading | undefined>(() => {
  revision.value
  return sessionViews.get(acting.value)?.clock
})

const shownSessions = computed(() => sessions.value.filter(({ name }) => (selected.value ?? name) === name))

/** The requests of the selected session, or of all, oldest first. */
export const calls = computed<readonly LiveCall[]>(() =>
  shownSessions.value
    .flatMap((session) => [...session.calls.values()])
    .sort((a, b) => byArrival(a.realAt ?? a.at, b.realAt ?? b.at) || a.seq - b.seq),
)

/** Like `localeCompare` for timestamps, which is far slower. */
function byArrival(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

/** How many requests came before those that the page has. */
export const older = computed<number>(() =>
  shownSessions.value.reduce((sum, { total, calls }) => sum + Math.max(0, total - calls.size), 0),
)

export function callOf(session: string, seq: number): LiveCall | undefined {
  revision.value
  return sessionViews.get(session)?.calls.get(seq)
}

function viewOf(name: string): SessionView {
  const known = sessionViews.get(name)
  if (known !== undefined) return known
  const view: SessionView = { name, clock: undefined, total: 0, first: 0, calls: new Map() }
  sessionViews.set(name, view)
  return view
}

/** Applies events of the feed that arrived together: the views are drawn once for all of them. */
export function applyEvents(events: readonly FeedEvent[]): void {
  batch(() => {
    for (const event of events) applyEvent(event)
    revision.value++
  })
}

function applyEvent({ event, data }: FeedEvent): void {
  switch (event) {
    case 'hello':
      return greet(data as Hello)
    case 'clock': {
      const { session, ...clock } = data as ClockState & { readonly session: string }
      viewOf(session).clock = { ...clock, readAt: performance.now() }
      return
    }
    case 'ended': {
      const { session, how } = data as { readonly session: string; readonly how: 'reset' | 'deleted' }
      sessionViews.get(session)?.calls.clear()
      // After a reset, numbers name other requests.
      closeRequest(session)
      if (how === 'deleted') sessionViews.delete(session)
      return
    }
    case 'breakpoints':
      breakpoints.value = data as BreakpointState
      return
    case 'requests':
      addCalls(data as CallsEvent)
  }
}

interface Hello extends ServerFacts {
  readonly sessions: readonly { readonly name: string; readonly total: number; readonly first: number }[]
}

/** The beginning of a connection: everything is sent anew. */
function greet({ version, startedAt, strict, sessions: known }: Hello): void {
  const before = server.value
  if (before !== undefined && before.startedAt !== startedAt) {
    notice.value = 'The server was started again: earlier requests are gone.'
    closeRequest()
  }
  server.value = { version, startedAt, strict }
  breakpoints.value = { breakpoints: [], held: [] }
  sessionViews.clear()
  for (const { name, total, first } of known) Object.assign(viewOf(name), { total, first })
}

interface CallsEvent {
  readonly session: string
  readonly total: number
  readonly first: number
  readonly requests: readonly LiveCall[]
}

function addCalls({ session, total, first, requests }: CallsEvent): void {
  const view = viewOf(session)
  for (const call of requests) view.calls.set(call.seq, call)
  if (first > view.first) for (const seq of view.calls.keys()) if (seq < first) view.calls.delete(seq)
  Object.assign(view, { total, first })
}

const tickMs = 1000

/** The real time of the latest tick. The page does not tick while it has no connection. */
const tick = signal(0)

export const isRunning = ({ mode, frozen }: ClockState): boolean =>
  saved === undefined && mode === 'real' && !frozen

effect(() => {
  const clock = clockOfSelected.value
  if (clock === undefined || !isRunning(clock) || feedState.value !== 'live') return undefined
  const update = (): void => {
    tick.value = performance.now()
  }
  update()
  const timer = setInterval(update, tickMs)
  return () => clearInterval(timer)
})

/** The virtual time of the session, in milliseconds; undefined if the session has no clock yet. */
export const now = computed<number | undefined>(() => {
  const clock = clockOfSelected.value
  if (clock === undefined) return undefined
  const passed = isRunning(clock) ? Math.max(0, tick.value - clock.readAt) * clock.speed : 0
  return Date.parse(clock.now) + passed
})
