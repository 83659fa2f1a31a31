/** `sim.getEvents`: what changes in the sessions, as server-sent events, for pages and other programs. */

import * as z from 'zod'
import { aboutOf } from '../exchange/about.ts'
import type { JournaledSandbox } from '../exchange/journal.ts'
import type { KeptExchange } from '../exchange/kept-exchange.ts'
import { causeSchema, entrySchema, requestSchema, responseSchema } from '../exchange/plain.ts'
import type { LiveCall } from '../generated/control-types.ts'
import { defineEndpoint, type Endpoint } from '../protocol/endpoint.ts'
import type { Vocabulary } from '../protocol/operations.ts'
import type { LiveReaders } from '../protocol/response.ts'
import { clockState } from '../sessions/controls/clock.ts'
import { text } from '../sessions/controls/fields.ts'
import type { Session } from '../sessions/sessions.ts'
import { version } from '../text/version.ts'
import { breakpointState } from './breakpoint-controls.ts'
import { aboutNoSession, type ControlApiParts, own } from './control.ts'
import { feedEventSchema } from './feed-events.ts'

/** A request as `sim.getEvents` sends it: what a list shows, without headers, bodies and stream events. */
export const liveCallSchema = () =>
  entrySchema()
    .omit({ source: true, key: true, caller: true, redacted: true })
    .extend({
      request: requestSchema().omit({ headers: true, body: true }),
      response: responseSchema()
        .omit({ headers: true, body: true, events: true, chunks: true })
        .optional()
        .describe('Absent if there was none.'),
      cause: causeSchema().omit({ namedBy: true, ignored: true, coming: true, bug: true }),
      about: text(
        'The first 60 characters of the prompt, the path of an uploaded file or the id of a job, ' +
          'then the model. It can be empty.',
      ),
    })

/** The most requests in one event, and the most sessions that `hello` describes. */
const pageSize = 1000

const iso = (at: number): string => new Date(at).toISOString()

function liveCall(entry: KeptExchange, vocabulary: Vocabulary): LiveCall {
  const { seq, at, realAt, session, operation, request, response, ended, cause } = entry
  const { requestId, rule, decidedBy, unmatched, rejection, stalledAfter } = cause
  return {
    seq,
    at: iso(at),
    realAt: realAt === undefined ? undefined : iso(realAt),
    session,
    operation,
    request: { method: request.method, url: request.url },
    response: response && { status: response.status, eventCount: response.eventCount },
    ended,
    firstByteAfter: entry.firstByteAfter,
    endedAfter: entry.endedAfter,
    cause: {
      requestId,
      rule,
      decidedBy,
      unmatched,
      transitions: [...cause.transitions],
      faults: [...cause.faults],
      rejection,
      violations: [...cause.violations],
      stalledAfter,
    },
    about: aboutOf(entry, operation === undefined ? undefined : vocabulary.endpoint(operation)),
  }
}

/** A number that changes when an open response sends an event or stalls. */
const progressOf = ({ eventCount, endOffset }: KeptExchange): number =>
  eventCount + (endOffset === undefined ? 0 : 0.5)

/** What a reader of the feed knows about a session. */
interface Known {
  readonly sandbox: JournaledSandbox
  /** The `seq` of the next request. */
  next: number
  /** The sent requests whose responses had not ended, with the events that were sent then. */
  readonly open: Map<KeptExchange, number>
  /** The clock as it was sent. */
  clock: string
}

interface FeedOptions {
  readonly session: string | undefined
  /** How many of the latest requests of a session come first; without it, all do. */
  readonly latest: number | undefined
  /** Of the first control request, by the wall clock: a reader that comes back finds another server. */
  readonly startedAt: number
}

/**
 * Reads what has changed since the last reading. Nothing is recorded for it: the journal is the history, so a
 * simulator that nobody watches pays nothing.
 */
class Feed {
  readonly #parts: ControlApiParts
  readonly #options: FeedOptions
  readonly #known = new Map<string, Known>()
  #isFirst = true
  /** The breakpoints and held requests as they were sent. */
  #stops = ''

  constructor(parts: ControlApiParts, options: FeedOptions) {
    this.#parts = parts
    this.#options = options
  }

  /** The events; empty if nothing has changed. */
  read(): readonly string[] {
    const sessions = this.#sessions()
    const events: string[] = this.#isFirst ? [this.#hello(sessions)] : []
    this.#forget(sessions, events)
    const requests = sessions.flatMap(({ sandbox }) => this.#readSession(sandbox, events))
    this.#isFirst = false
    // Before the requests: a reader knows which of them are held.
    const state = breakpointState(this.#parts.breakpoints)
    const stops = JSON.stringify(state)
    if (stops !== this.#stops) events.push(eventText('breakpoints', state))
    this.#stops = stops
    return [...events, ...requests]
  }

  #sessions(): readonly Session[] {
    const { session: name } = this.#options
    if (name === undefined) return this.#parts.sessions.all()
    const session = this.#parts.sessions.find(name)
    return session === undefined ? [] : [session]
  }

  #hello(sessions: readonly Session[]): string {
    const shown = sessions.slice(0, pageSize).map(({ sandbox }) => ({
      name: sandbox.name,
      total: sandbox.journal.total,
      first: firstOf(sandbox),
    }))
    const { strict } = this.#parts.settings
    const about = { version, startedAt: iso(this.#options.startedAt), strict }
    return eventText('hello', { ...about, sessions: shown, count: sessions.length })
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

  /** Adds the change of the clock to the events; returns the event with the requests, if there are any. */
  #readSession(sandbox: JournaledSandbox, events: string[]): readonly string[] {
    const { name, journal } = sandbox
    const known = this.#known.get(name) ?? this.#begin(sandbox)
    const clock = clockState(sandbox)
    // The time of a running clock is not news; what it waits for is.
    const key = JSON.stringify(clock.mode === 'real' && !clock.frozen ? { ...clock, now: '', in: '' } : clock)
    if (key !== known.clock) events.push(eventText('clock', { session: name, ...clock }))
    known.clock = key
    const requests: KeptExchange[] = []
    for (const [entry, sent] of known.open) {
      if (entry.ended !== 'open') known.open.delete(entry)
      else if (progressOf(entry) === sent) continue
      else known.open.set(entry, progressOf(entry))
      requests.push(entry)
    }
    const fresh = journal.since(known.next, pageSize)
    for (const entry of fresh) if (entry.ended === 'open') known.open.set(entry, progressOf(entry))
    requests.push(...fresh)
    known.next = (fresh.at(-1)?.seq ?? known.next - 1) + 1
    if (requests.length === 0) return []
    const { vocabulary } = this.#parts
    const calls = requests.map((entry) => liveCall(entry, vocabulary))
    const about = { session: name, total: journal.total, first: firstOf(sandbox) }
    return [eventText('requests', { ...about, requests: calls })]
  }

  #begin(sandbox: JournaledSandbox): Known {
    const { total } = sandbox.journal
    // A session that begins later is news in full.
    const { latest = total } = this.#isFirst ? this.#options : {}
    const next = Math.max(firstOf(sandbox), total - latest)
    const known: Known = { sandbox, next, open: new Map(), clock: '' }
    this.#known.set(sandbox.name, known)
    return known
  }
}

/** The `seq` of the oldest request that the journal keeps. */
const firstOf = ({ journal }: JournaledSandbox): number => journal.total - journal.count

const eventText = (event: string, data: unknown): string =>
  `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`

const encoder = new TextEncoder()

export function liveEndpoint(parts: ControlApiParts): Endpoint {
  const startedAt = parts.wall()
  const readers: LiveReaders = { reads: new Set(), stop: undefined }
  return defineEndpoint({
    ...own,
    ...aboutNoSession,
    operation: 'sim.getEvents',
    method: 'GET',
    path: '/__sim/events',
    summary: 'Watch the sessions: requests, clocks and resets as server-sent events',
    accepts: [],
    event: () => feedEventSchema(liveCallSchema),
    query: () =>
      z.strictObject({
        session: text('The session to watch. Default: all sessions.').optional(),
        latest: z.coerce
          .number()
          .int()
          .min(0)
          .max(pageSize)
          .optional()
          .describe(
            'The number of past requests per session to send first: the latest. Default: all, oldest first.',
          ),
        padding: z.coerce
          .number()
          .int()
          .min(0)
          .max(65_536)
          .optional()
          .describe(
            'The length in bytes of a padding comment after each change, for proxies that buffer short ' +
              'responses. Default: 0.',
          ),
      }),
    act({ query: { session, latest, padding = 0 } }) {
      const feed = new Feed(parts, { session, latest, startedAt })
      const comment = padding === 0 ? '' : `:${' '.repeat(padding)}\n\n`
      const read = (): Uint8Array => {
        const events = feed.read()
        return encoder.encode(events.length === 0 ? '' : events.join('') + comment)
      }
      return {
        status: 200,
        headers: {
          'content-type': 'text/event-stream; charset=utf-8',
          'cache-control': 'no-cache, no-transform',
          'x-accel-buffering': 'no',
        },
        body: { kind: 'live', read, readers },
      }
    },
  })
}
