/** What the page knows: sessions, clocks and requests, from the feed or from a saved trace. */
import { batch, computed, signal } from '@preact/signals'
import type { BreakpointState, ClockState, LiveCall } from '../generated/control-types.ts'
import { saved } from './api.ts'
import type { FeedEvent, FeedState } from './feed.ts'
import { closeOpen, route } from './route.ts'

/** The feed sends the time of a running clock only once: with the real time, the page can count on. */
interface ClockReading extends ClockState {
  readonly readAt: number
}

/** A session, as far as the feed has described it. */
export interface SessionView {
  readonly name: string
  clock: ClockReading | undefined
  /** The number of requests ever received; the journal keeps those from `first` on. */
  total: number
  first: number
  /** By ascending `seq`. */
  calls: LiveCall[]
}

export interface ServerFacts {
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

/** The result of an action; if it fails, a notice says why, and there is none. */
export async function attempt<Result>(action: Promise<Result>): Promise<Result | undefined> {
  try {
    return await action
  } catch (error) {
    notice.value = (error as Error).message
    return undefined
  }
}

/** Whether the focus is to move to the open request, which the keyboard has opened. */
export const toDetail = signal(false)

export const breakpoints = signal<BreakpointState>({ breakpoints: [], held: [] })

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

/** The requests of the selected session, or of all, oldest first. */
export const calls = computed<readonly LiveCall[]>(() => {
  revision.value
  const shown = selected.value === undefined ? [...sessionViews.values()] : [sessionViews.get(selected.value)]
  const lists = shown.flatMap((view) => (view === undefined ? [] : [view.calls]))
  // Within a session, the requests are in order.
  if (lists.length === 1) return [...(lists[0] as LiveCall[])]
  return lists.flat().sort((a, b) => arrival(a) - arrival(b) || a.seq - b.seq)
})

/** How many requests the journals no longer keep. */
export const evicted = computed<number>(() => {
  revision.value
  const shown = [...sessionViews.values()].filter(({ name }) => (selected.value ?? name) === name)
  return shown.reduce((sum, { first }) => sum + first, 0)
})

export function callOf(session: string, seq: number): LiveCall | undefined {
  revision.value
  const list = sessionViews.get(session)?.calls ?? []
  const call = list[placeOf(list, seq)]
  return call?.seq === seq ? call : undefined
}

/** The index of the first request with this `seq` or a higher one. */
function placeOf(list: readonly LiveCall[], seq: number): number {
  let low = 0
  let high = list.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((list[middle] as LiveCall).seq < seq) low = middle + 1
    else high = middle
  }
  return low
}

const arrivals = new WeakMap<LiveCall, number>()
function arrival(call: LiveCall): number {
  let known = arrivals.get(call)
  if (known === undefined) arrivals.set(call, (known = Date.parse(call.realAt ?? call.at)))
  return known
}

function viewOf(name: string): SessionView {
  let view = sessionViews.get(name)
  if (view === undefined) {
    view = { name, clock: undefined, total: 0, first: 0, calls: [] }
    sessionViews.set(name, view)
  }
  return view
}

interface Hello extends ServerFacts {
  readonly sessions: readonly { readonly name: string; readonly total: number; readonly first: number }[]
  readonly count: number
}

/** Applies events of the feed that arrived together: the views are drawn once for all of them. */
export function applyEvents(events: readonly FeedEvent[]): void {
  batch(() => {
    for (const event of events) applyEvent(event)
    revision.value++
  })
}

function applyEvent({ event, data }: FeedEvent): void {
  if (event === 'hello') greet(data as Hello)
  if (event === 'clock') {
    const { session, ...clock } = data as ClockState & { readonly session: string }
    viewOf(session).clock = { ...clock, readAt: performance.now() }
  }
  if (event === 'ended') {
    const { session, how } = data as { readonly session: string; readonly how: 'reset' | 'deleted' }
    const view = sessionViews.get(session)
    if (view !== undefined) beginAnew(view)
    if (how === 'deleted') sessionViews.delete(session)
  }
  if (event === 'breakpoints') breakpoints.value = data as BreakpointState
  if (event === 'requests') addCalls(data as CallsEvent)
}

/** After a reset, or on another server, numbers name other requests: an open one closes. */
function beginAnew(view: SessionView): void {
  Object.assign(view, { total: 0, first: 0, calls: [] })
  closeOpen(view.name)
}

export interface CallsEvent {
  readonly session: string
  readonly total: number
  readonly first: number
  readonly requests: readonly LiveCall[]
}

function addCalls({ session, total, first, requests: sent }: CallsEvent): void {
  const view = viewOf(session)
  if (sent.some((call) => isAnother(view.calls[placeOf(view.calls, call.seq)], call))) beginAnew(view)
  Object.assign(view, { total, first })
  const older: LiveCall[] = []
  for (const call of sent) {
    const place = placeOf(view.calls, call.seq)
    if (place === view.calls.length || view.calls[place]?.seq === call.seq) view.calls[place] = call
    else older.push(call)
  }
  if (older.length > 0) view.calls = [...older, ...view.calls].sort((a, b) => a.seq - b.seq)
  view.calls.splice(0, placeOf(view.calls, first))
}

/** Whether a request has taken the number of one that the page knows: the server was started again. */
const isAnother = (known: LiveCall | undefined, { seq, realAt, at }: LiveCall): boolean =>
  known?.seq === seq && (known.realAt !== realAt || known.at !== at)

/** After a reconnection, what the server no longer has is dropped. */
function greet({ version, startedAt, strict, sessions: known, count }: Hello): void {
  const before = server.value
  if (before !== undefined && before.startedAt !== startedAt)
    for (const view of sessionViews.values()) {
      if (view.calls.length > 0) notice.value = 'The server was started again: earlier requests are gone.'
      beginAnew(view)
    }
  server.value = { version, startedAt, strict }
  const names = new Set(known.map(({ name }) => name))
  if (count === known.length)
    for (const view of sessionViews.values())
      if (!names.has(view.name)) {
        beginAnew(view)
        sessionViews.delete(view.name)
      }
  for (const { name, total, first } of known) {
    const view = viewOf(name)
    if (total < view.total) beginAnew(view)
    Object.assign(view, { total, first })
    view.calls = view.calls.filter(({ seq }) => seq >= first && seq < total)
  }
}
