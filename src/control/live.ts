/** `sim.getEvents`: what changes in the sessions, as server-sent events, for pages and other programs. */

import * as z from 'zod'
import { joinBytes } from '../engine/bytes.ts'
import { isStream, type JournalEntry } from '../engine/journal-entry.ts'
import type { Sandbox } from '../engine/sandbox.ts'
import type { LiveCall } from '../generated/control-types.ts'
import { aboutOf, traceIn } from '../journal/about.ts'
import { wireEntrySchema } from '../journal/filter.ts'
import { defineEndpoint, type Endpoint } from '../protocol/endpoint.ts'
import type { Vocabulary } from '../protocol/operations.ts'
import type { LiveReaders } from '../protocol/response.ts'
import { clockState } from '../sessions/controls/clock.ts'
import type { Session } from '../sessions/sessions.ts'
import { version } from '../text/version.ts'
import { breakpointState } from './breakpoint-endpoints.ts'
import { aboutNoSession, type ControlApiParts, own } from './control.ts'
import { feedEventSchema } from './feed-events.ts'

/** A request as `sim.getEvents` sends it: what a list shows, without headers, bodies and stream events. */
export const liveCallSchema = () =>
  wireEntrySchema()
    .omit({ namedBy: true, key: true, caller: true, headers: true, request: true, response: true })
    .omit({ stream: true, ignored: true, bug: true })
    .extend({
      streamed: z.boolean().describe('Whether the response is an event stream.'),
      about: z
        .string()
        .describe(
          'The first 60 characters of the prompt, the path of an uploaded file or the id of a job, ' +
            'then the model. It can be empty.',
        ),
      traceId: z.string().nullable().describe('The trace id in the body of an error.'),
    })

/** The most requests in one event, and the most sessions that `hello` describes. */
const pageSize = 1000

/** Reads between the latest requests and the older ones, which would delay the first view of a page. */
const readsBeforeOlder = 5

/** The most paths with a pattern. */
const maxPatterns = 100

const iso = (at: number): string => new Date(at).toISOString()

/** All but what the writer adds. */
function liveCall(entry: JournalEntry): Omit<LiveCall, 'about'> {
  const { seq, at, realAt, session, requestId, operation, method, path, status, rule, decidedBy } = entry
  const { unmatched, faults, rejection, violations, transitions, ended, eventCount, endOffset } = entry
  return {
    ...{ seq, at: iso(at), realAt: realAt === undefined ? null : iso(realAt), session, requestId },
    ...{ operation: operation ?? null, method, path, status, rule: rule ?? null, unmatched, ended },
    ...{ decidedBy: decidedBy ?? null, rejection: rejection ?? null, eventCount },
    endOffset: endOffset ?? null,
    ...{ faults: [...faults], violations: [...violations], transitions: [...transitions] },
    streamed: isStream(entry),
    traceId: traceIn(entry) ?? null,
  }
}

/** A number that changes when an open response sends an event or stalls. */
const progressOf = ({ eventCount, endOffset }: JournalEntry): number =>
  eventCount + (endOffset === undefined ? 0 : 0.5)

/** Bodies from this length are read once only, in characters. */
const longBody = 1000

const encoder = new TextEncoder()

/** A part of an event: text, or the requests of an event as they were written for the first reader. */
type Part = string | Uint8Array

/** The JSON of requests like `entry` without what differs from one to the next: most of a load are alike. */
interface Pattern {
  readonly entry: JournalEntry
  readonly text: string
}

/**
 * Whether the JSON of `other` differs from that of a plain request only in `seq`, times, id and `about`. A
 * test changes every field of `LiveCall`.
 */
export function areAlike(one: JournalEntry, other: JournalEntry): boolean {
  return (
    one.path === other.path &&
    one.method === other.method &&
    one.operation === other.operation &&
    one.session === other.session &&
    one.status === other.status &&
    one.rule === other.rule &&
    one.decidedBy === other.decidedBy &&
    one.unmatched === other.unmatched &&
    one.ended === other.ended &&
    one.eventCount === other.eventCount &&
    one.endOffset === other.endOffset &&
    isPlain(other) &&
    isStream(one) === isStream(other)
  )
}

/** Whether it has only fields that are cheap to compare. */
const isPlain = ({ status, rejection, faults, violations, transitions }: JournalEntry): boolean =>
  status < 400 &&
  rejection === undefined &&
  faults.length === 0 &&
  violations.length === 0 &&
  transitions.length === 0

/**
 * Writes requests as JSON. The readers of the feed are read at the same time and mostly have the same news:
 * they share the bytes of the last list.
 */
class CallWriter {
  readonly #patterns = new Map<string, Pattern>()
  readonly #vocabulary: Vocabulary
  /** What long bodies are about: an open stream is written with each event. */
  readonly #abouts = new WeakMap<JournalEntry, string>()
  #about: { readonly entry: JournalEntry; readonly text: string } | undefined
  #time = { at: Number.NaN, text: '' }
  #last: readonly JournalEntry[] = []
  #bytes: Uint8Array = new Uint8Array()

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary
  }

  /** The items of a JSON array. */
  write(entries: readonly JournalEntry[]): Uint8Array {
    if (isSame(entries, this.#last)) return this.#bytes
    const bytes = encoder.encode(entries.map((entry) => this.#textOf(entry)).join(','))
    // A request whose response has not ended may read differently next time.
    this.#last = entries.some(({ ended }) => ended === 'open') ? [] : entries
    return (this.#bytes = bytes)
  }

  #textOf(entry: JournalEntry): string {
    const { seq, at, realAt, requestId } = entry
    const time = realAt === undefined ? 'null' : this.#iso(realAt)
    const own = `"seq":${seq},"at":${this.#iso(at)},"realAt":${time},"requestId":${JSON.stringify(requestId)}`
    return `{${own},"about":${this.#aboutOf(entry)},${this.#patternOf(entry)}`
  }

  /** As JSON. Requests of a load often have the same body. */
  #aboutOf(entry: JournalEntry): string {
    const { path, request, operation } = entry
    const last = this.#about
    if (last?.entry.request === request && last?.entry.path === path && last?.entry.operation === operation)
      return last?.text ?? ''
    const endpoint = operation === undefined ? undefined : this.#vocabulary.endpoint(operation)
    const text = this.#abouts.get(entry) ?? JSON.stringify(aboutOf(entry, endpoint))
    if ((request?.length ?? 0) > longBody) this.#abouts.set(entry, text)
    this.#about = { entry, text }
    return text
  }

  #patternOf(entry: JournalEntry): string {
    const known = this.#patterns.get(entry.path)
    if (known !== undefined && areAlike(known.entry, entry)) return known.text
    const { seq: _seq, at: _at, realAt: _realAt, requestId: _id, ...rest } = liveCall(entry)
    const text = JSON.stringify(rest).slice(1)
    if (entry.ended === 'open' || !isPlain(entry)) return text
    if (this.#patterns.size >= maxPatterns) this.#patterns.clear()
    this.#patterns.set(entry.path, { entry, text })
    return text
  }

  #iso(at: number): string {
    if (at !== this.#time.at) this.#time = { at, text: `"${iso(at)}"` }
    return this.#time.text
  }
}

function isSame(some: readonly JournalEntry[], others: readonly JournalEntry[]): boolean {
  return some.length === others.length && some.every((entry, at) => entry === others[at])
}

/** What a reader of the feed knows about a session. */
interface Known {
  readonly sandbox: Sandbox
  /** The `seq` of the next request. */
  next: number
  /** Requests before this `seq` are still to be sent, those that the journal keeps. */
  older: number
  /** The sent requests whose responses had not ended, with the events that were sent then. */
  readonly open: Map<JournalEntry, number>
  /** The clock as it was sent. */
  clock: string
}

interface FeedOptions {
  readonly session: string | undefined
  readonly since: number
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
  readonly #writer: CallWriter
  readonly #only: string | undefined
  readonly #known = new Map<string, Known>()
  /** Only requests that arrived at this real time or later are sent to a reader that comes back. */
  readonly #since: number
  /** How many of the latest requests of a session come first; without it, the oldest do. */
  readonly #latest: number | undefined
  readonly #startedAt: number
  #reads = 0
  /** The breakpoints and held requests as they were sent; a reader that comes back may know others. */
  #stops = ''

  constructor(parts: ControlApiParts, writer: CallWriter, options: FeedOptions) {
    const { session, since, latest, startedAt } = options
    this.#startedAt = startedAt
    this.#parts = parts
    this.#writer = writer
    this.#only = session
    this.#since = since
    this.#latest = since === 0 ? latest : undefined
  }

  /** The events; empty if nothing has changed. */
  read(): readonly Part[] {
    const sessions = this.#sessions()
    const events: Part[] = this.#reads === 0 ? [this.#hello(sessions)] : []
    this.#reads++
    this.#forget(sessions, events)
    const changes = sessions.flatMap(({ sandbox }) => this.#readSession(sandbox, events))
    // Before the requests: a reader knows which of them are held.
    const state = breakpointState(this.#parts.breakpoints)
    const stops = JSON.stringify(state)
    if (stops !== this.#stops) events.push(eventText('breakpoints', state))
    this.#stops = stops
    // One id, after the last of them: a reader that was interrupted before it has not seen them all.
    const id = changes.length > 0 ? this.#id() : undefined
    changes.forEach((data, at) => {
      events.push(at === changes.length - 1 && id !== undefined ? `id: ${id}\n` : '', ...data)
    })
    return events
  }

  #sessions(): readonly Session[] {
    if (this.#only === undefined) return this.#parts.sessions.all()
    const session = this.#parts.sessions.find(this.#only)
    return session === undefined ? [] : [session]
  }

  #hello(sessions: readonly Session[]): string {
    const shown = sessions.slice(0, pageSize).map(({ sandbox }) => ({
      name: sandbox.name,
      total: sandbox.journal.total,
      first: firstOf(sandbox),
    }))
    const { strict } = this.#parts.settings
    const about = { version, startedAt: iso(this.#startedAt), strict }
    return eventText('hello', { ...about, sessions: shown, count: sessions.length })
  }

  /** Sessions that were deleted, and those that a reset has begun anew. */
  #forget(sessions: readonly Session[], events: Part[]): void {
    const current = new Map(sessions.map(({ sandbox }) => [sandbox.name, sandbox]))
    for (const [name, { sandbox }] of this.#known) {
      const now = current.get(name)
      if (now === sandbox) continue
      this.#known.delete(name)
      events.push(eventText('ended', { session: name, how: now === undefined ? 'deleted' : 'reset' }))
    }
  }

  /** Adds the change of the clock to the events; returns the event with the requests, if there are any. */
  #readSession(sandbox: Sandbox, events: Part[]): readonly (readonly Part[])[] {
    const { name, journal } = sandbox
    const seen = this.#known.get(name)
    const known = seen ?? this.#begin(sandbox)
    const clock = clockState(sandbox)
    // The time of a running clock is not news; what it waits for is.
    const key = JSON.stringify(clock.mode === 'real' && !clock.frozen ? { ...clock, now: '', in: '' } : clock)
    if (key !== known.clock) events.push(eventText('clock', { session: name, ...clock }))
    known.clock = key
    const requests: JournalEntry[] = []
    for (const [entry, sent] of known.open) {
      if (entry.ended !== 'open') known.open.delete(entry)
      else if (progressOf(entry) === sent) continue
      else known.open.set(entry, progressOf(entry))
      requests.push(entry)
    }
    const older = seen === undefined || this.#reads <= readsBeforeOlder ? [] : olderOf(seen)
    const fresh = journal.since(known.next, pageSize)
    for (const entry of [...older, ...fresh]) {
      if (entry.ended === 'open') known.open.set(entry, progressOf(entry))
      if (this.#since === 0 || entry.ended === 'open' || (entry.realAt ?? this.#since) >= this.#since)
        requests.push(entry)
    }
    known.next = (fresh.at(-1)?.seq ?? known.next - 1) + 1
    if (requests.length === 0) return []
    const about = JSON.stringify({ session: name, total: journal.total, first: firstOf(sandbox) })
    const head = `event: requests\ndata: ${about.slice(0, -1)},"requests":[`
    return [[head, this.#writer.write(requests), ']}\n\n']]
  }

  #begin(sandbox: Sandbox): Known {
    const { total } = sandbox.journal
    const next = Math.max(firstOf(sandbox), total - (this.#latest ?? total))
    const known: Known = { sandbox, next, older: next, open: new Map(), clock: '' }
    this.#known.set(sandbox.name, known)
    return known
  }

  /**
   * The id of an event, which a reader sends as `last-event-id` when it comes back: the arrival of the oldest
   * request that it does not know to its end. Undefined while it does not know all requests.
   */
  #id(): number | undefined {
    let oldest = this.#parts.wall()
    for (const { sandbox, next, older, open } of this.#known.values()) {
      if (older > firstOf(sandbox) || next < sandbox.journal.total) return undefined
      for (const { realAt = 0 } of open.keys()) oldest = Math.min(oldest, realAt)
    }
    return oldest
  }
}

/** The `seq` of the oldest request that the journal keeps. */
const firstOf = ({ journal }: Sandbox): number => journal.total - journal.count

/** The latest of the older requests that are still to be sent. */
function olderOf(known: Known): readonly JournalEntry[] {
  const end = known.older
  known.older = Math.max(firstOf(known.sandbox), end - pageSize)
  return known.sandbox.journal.since(known.older, end - known.older)
}

const eventText = (event: string, data: unknown): string =>
  `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`

function bytesOf(parts: readonly Part[]): Uint8Array {
  return joinBytes(parts.map((part) => (typeof part === 'string' ? encoder.encode(part) : part)))
}

export function liveEndpoint(parts: ControlApiParts): Endpoint {
  const writer = new CallWriter(parts.vocabulary)
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
        session: z.string().optional().describe('The session to watch. Default: all sessions.'),
        latest: z.coerce
          .number()
          .int()
          .min(0)
          .max(pageSize)
          .optional()
          .describe(
            'The number of requests per session to send first, starting with the latest; older requests ' +
              'follow in pages half a second later, newest first. Default: all requests, oldest first.',
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
    act({ query: { session, latest, padding = 0 }, headers }) {
      const since = Number(headers['last-event-id'] ?? 0)
      const feed = new Feed(parts, writer, {
        session,
        latest,
        startedAt,
        since: Number.isFinite(since) ? since : 0,
      })
      const comment = padding === 0 ? '' : `:${' '.repeat(padding)}\n\n`
      const read = (): Uint8Array => {
        const events = feed.read()
        return bytesOf(events.length === 0 ? [] : [...events, comment])
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
