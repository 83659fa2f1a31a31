/** `sim.getEvents`: what changes in the sessions, as server-sent events, for pages and other programs. */

import * as z from 'zod'
import { lazy } from '../engine/fields.ts'
import { type JournalEntry, RecordedCall } from '../engine/journal-entry.ts'
import type { Sandbox } from '../engine/sandbox.ts'
import type { LiveCall } from '../generated/control-types.ts'
import { wireEntrySchema } from '../journal/filter.ts'
import { defineEndpoint, type Endpoint } from '../protocol/endpoint.ts'
import { clockState } from '../sessions/controls/clock.ts'
import type { Session } from '../sessions/sessions.ts'
import { version } from '../text/version.ts'
import { breakpointState } from './breakpoint-endpoints.ts'
import { aboutNoSession, type ControlApiParts, own } from './control.ts'

/** A request as `sim.getEvents` sends it: what a list shows, without headers, bodies and stream events. */
export const liveCallSchema = lazy(() =>
  wireEntrySchema()
    .omit({ namedBy: true, key: true, caller: true, headers: true, request: true, response: true })
    .omit({ stream: true, ignored: true, bug: true })
    .extend({ streamed: z.boolean().describe('Whether the response is an event stream.') }),
)

/** The most requests in one event, and the most sessions that `hello` describes. */
const pageSize = 1000

const iso = (at: number): string => new Date(at).toISOString()

function liveCall(entry: JournalEntry): LiveCall {
  const { seq, at, realAt, session, requestId, operation, method, path, status, rule, decidedBy } = entry
  const { unmatched, faults, rejection, violations, transitions, ended, eventCount } = entry
  return {
    ...{ seq, at: iso(at), realAt: realAt === undefined ? null : iso(realAt), session, requestId },
    ...{ operation: operation ?? null, method, path, status, rule: rule ?? null, unmatched, ended },
    ...{ decidedBy: decidedBy ?? null, rejection: rejection ?? null, eventCount },
    ...{ faults: [...faults], violations: [...violations], transitions: [...transitions] },
    streamed: RecordedCall.isStream(entry),
  }
}

/** What a reader of the feed knows about a session. */
interface Known {
  readonly sandbox: Sandbox
  /** The `seq` of the next request. */
  next: number
  /** The sent requests whose responses had not ended, with the events that were sent then. */
  readonly open: Map<JournalEntry, number>
  /** The clock as it was sent. */
  clock: string
}

/**
 * Reads what has changed since the last reading. Nothing is recorded for it: the journal is the history, so a
 * simulator that nobody watches pays nothing.
 */
class Feed {
  readonly #parts: ControlApiParts
  readonly #only: string | undefined
  readonly #known = new Map<string, Known>()
  /** Only requests that arrived at this real time or later are sent to a reader that comes back. */
  #since: number
  #greeted = false
  /** The breakpoints and held requests as they were sent. */
  #stops = '{"breakpoints":[],"held":[]}'

  constructor(parts: ControlApiParts, only: string | undefined, since: number) {
    this.#parts = parts
    this.#only = only
    this.#since = since
  }

  /** The events as text; empty if nothing has changed. */
  read(): string {
    const sessions = this.#sessions()
    const events = this.#greeted ? [] : [this.#hello(sessions)]
    this.#greeted = true
    this.#forget(sessions, events)
    for (const { sandbox } of sessions) this.#readSession(sandbox, events)
    const state = breakpointState(this.#parts.breakpoints)
    const stops = JSON.stringify(state)
    if (stops !== this.#stops) events.push(eventText('breakpoints', state))
    this.#stops = stops
    return events.join('')
  }

  #sessions(): readonly Session[] {
    if (this.#only === undefined) return this.#parts.sessions.all()
    const session = this.#parts.sessions.find(this.#only)
    return session === undefined ? [] : [session]
  }

  #hello(sessions: readonly Session[]): string {
    const shown = sessions.slice(0, pageSize).map(({ sandbox: { name, journal } }) => ({
      name,
      total: journal.total,
      first: journal.total - journal.held.entries,
    }))
    const { settings } = this.#parts
    return eventText('hello', { version, strict: settings.strict, sessions: shown, count: sessions.length })
  }

  /** Sessions that were deleted, and those that a reset has begun anew. */
  #forget(sessions: readonly Session[], events: string[]): void {
    const current = new Map(sessions.map(({ sandbox }) => [sandbox.name, sandbox]))
    for (const [name, { sandbox }] of this.#known) {
      const now = current.get(name)
      if (now === sandbox) continue
      this.#known.delete(name)
      events.push(eventText('ended', { session: name, how: now === undefined ? 'deleted' : 'reset' }))
    }
  }

  #readSession(sandbox: Sandbox, events: string[]): void {
    const { name, journal } = sandbox
    const known = this.#known.get(name) ?? { sandbox, next: 0, open: new Map(), clock: '' }
    this.#known.set(name, known)
    const clock = clockState(sandbox)
    // The time of a running clock is not news; what it waits for is.
    const key = JSON.stringify(clock.mode === 'real' && !clock.frozen ? { ...clock, now: '', in: '' } : clock)
    if (key !== known.clock) events.push(eventText('clock', { session: name, ...clock }))
    known.clock = key
    const requests: LiveCall[] = []
    for (const [entry, sent] of known.open) {
      if (entry.ended !== 'open') known.open.delete(entry)
      else if (entry.eventCount === sent) continue
      else known.open.set(entry, entry.eventCount)
      requests.push(liveCall(entry))
    }
    const fresh = journal.since(known.next, pageSize)
    for (const entry of fresh) {
      if (entry.ended === 'open') known.open.set(entry, entry.eventCount)
      if (this.#since === 0 || entry.ended === 'open' || (entry.realAt ?? this.#since) >= this.#since)
        requests.push(liveCall(entry))
    }
    known.next = (fresh.at(-1)?.seq ?? known.next - 1) + 1
    if (requests.length === 0) return
    const first = journal.total - journal.held.entries
    events.push(eventText('requests', { session: name, total: journal.total, first, requests }, this.#id()))
  }

  /**
   * The id of an event, which a reader sends as `last-event-id` when it comes back: the arrival of the oldest
   * request that it does not know to its end.
   */
  #id(): number {
    let oldest = this.#parts.wall()
    for (const { open } of this.#known.values())
      for (const { realAt = 0 } of open.keys()) oldest = Math.min(oldest, realAt)
    return oldest
  }
}

function eventText(event: string, data: unknown, id?: number): string {
  return `event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`
}

export function liveEndpoint(parts: ControlApiParts): Endpoint {
  return defineEndpoint({
    ...own,
    ...aboutNoSession,
    operation: 'sim.getEvents',
    method: 'GET',
    path: '/__sim/events',
    summary: 'Watch the sessions: requests, clocks and resets as server-sent events',
    accepts: [],
    query: () =>
      z.strictObject({
        session: z.string().optional().describe('The name of the only session to watch. Default: all.'),
        padding: z.coerce
          .number()
          .int()
          .min(0)
          .max(65_536)
          .optional()
          .describe(
            'The length of a comment after each change, in bytes, for proxies that hold back short ' +
              'responses. Default: 0.',
          ),
      }),
    act({ query: { session, padding = 0 }, headers }) {
      const since = Number(headers['last-event-id'] ?? 0)
      const feed = new Feed(parts, session, Number.isFinite(since) ? since : 0)
      const comment = padding === 0 ? '' : `:${' '.repeat(padding)}\n\n`
      const read = (): string => {
        const text = feed.read()
        return text === '' ? '' : text + comment
      }
      return {
        status: 200,
        headers: {
          'content-type': 'text/event-stream; charset=utf-8',
          'cache-control': 'no-cache, no-transform',
          'x-accel-buffering': 'no',
        },
        body: { kind: 'live', read },
      }
    },
  })
}
