/** One call as the journal keeps it. */

import { type EventRun, eventsIn, isRun, streamText } from './event-run.ts'
import { isFields, jsonIn } from './fields.ts'
import { digest } from './random.ts'
import { redactHeaders, redactKey, truncate } from './redact.ts'
import type { Transition } from './resource.ts'
import type { RuleTrace } from './rule-trace.ts'

/** The details of a rejection. */
export interface EntryRejection {
  /** The name of the rejection in the simulator's table: `rate_limit_error`, `downstream_unavailable`. */
  readonly type: string
  /** The numeric code of the envelope. */
  readonly code: number
  /** The path of the field that was rejected. */
  readonly param?: string
  /** The job that was created although its submission was rejected. */
  readonly jobId?: string
  /** The wait stated in the response, in milliseconds. */
  readonly retryAfterMs?: number
}

/** One violation of the contract in a request. An empty `field` means the whole request. */
export interface Violation {
  readonly field: string
  readonly message: string
}

/** One event of a stream. */
export interface StreamedEvent {
  /** When it was due, in virtual milliseconds after the call arrived. */
  readonly offset: number
  readonly event?: string
  /** The text after `data:`, or the whole frame if it was written verbatim. */
  readonly data: string
}

/**
 * How the call named its session: by a base-URL prefix, a header, its API key, the id of a resource of the
 * session, or not at all.
 */
export type SessionNaming = 'prefix' | 'header' | 'key' | 'id' | 'default'

/** One call and its response. Bodies are the text sent over the wire, possibly truncated. */
export interface JournalEntry {
  readonly seq: number
  /** Virtual milliseconds since the epoch. */
  readonly at: number
  /** When the call arrived by the wall clock, in milliseconds since the epoch. Differs from run to run. */
  readonly realAt: number | undefined
  readonly session: string
  readonly requestId: string
  readonly operation: string | undefined
  readonly method: string
  /** The path and query as sent, without a session prefix; keys in the query are shortened. */
  readonly path: string
  /** The API key, shortened so that it cannot be used. */
  readonly key: string | undefined
  /** Eight hexadecimal digits that tell keys apart without showing them. */
  readonly caller: string | undefined
  /** The request headers, with lower-case names; keys and cookies are shortened. */
  readonly headers: Readonly<Record<string, string>>
  status: number
  readonly request: string | undefined
  /** The body of the response, possibly truncated; set once it has been written. */
  response: string | undefined
  /** The scenario rule that responded. */
  readonly rule: string | undefined
  /**
   * The source of the response: a reserved value, a setting, a rule, or `breakpoint` if the response was
   * changed there. Undefined for the default response.
   */
  decidedBy: string | undefined
  /** Whether `strict` rejected the call because no rule matched it. */
  readonly unmatched: boolean
  /** The resources that the call created, removed, or saw change since the last poll. */
  readonly transitions: readonly Transition[]
  /** The kinds of the faults that were applied to the response. */
  readonly faults: readonly string[]
  rejection: EntryRejection | undefined
  /** The violations in the request, if it was rejected for them. */
  readonly violations: readonly Violation[]
  /** Top-level body fields that the endpoint does not know and therefore ignored. */
  readonly ignored: readonly string[]
  /**
   * The events of a streamed response, in order, as far as they are kept. If the stream was cut or the client
   * left, only events sent completely. While the stream is open, the list includes events still to come;
   * `eventCount` counts those already sent.
   */
  readonly stream: readonly StreamedEvent[]
  /** How the call named its session. */
  readonly namedBy: SessionNaming
  /** The results of the operation's rules (the nearest fifty). */
  readonly considered?: readonly RuleTrace[] | undefined
  /** The number of rules for the operation. */
  readonly rulesTried?: number
  /** False if the call was rejected before any rule was evaluated. */
  readonly rulesAsked?: boolean
  /** The reasons for the answer: the candidate tools. */
  readonly notes?: readonly string[] | undefined
  /** The error message of a bug in the simulator; a test suite should fail on it. */
  readonly bug: string | undefined
  /** How the response ended; set when the last byte has been sent or the client has left. */
  ended: 'open' | 'completed' | 'aborted' | 'disconnected'
  /** How many stream events have been sent so far. */
  eventCount: number
  /**
   * When a response was cut or stalled, or its client left, in virtual milliseconds after the call arrived.
   * Undefined for other responses.
   */
  endOffset: number | undefined
}

/** An event of a response, and what the edge renders into it. */
export interface SentEvent {
  readonly after: number
  readonly event?: string | undefined
  readonly data: string
  /** Sent verbatim instead. */
  readonly raw?: string | undefined
  readonly media?: unknown
}

/** What an entry derives from the call as it was sent. */
type Derived =
  | 'seq'
  | 'key'
  | 'caller'
  | 'headers'
  | 'request'
  | 'response'
  | 'faults'
  | 'ignored'
  | 'stream'
  | 'namedBy'
  | 'ended'
  | 'eventCount'
  | 'endOffset'

/** The facts of a call that no rule, resource or rejection has had a part in. */
export const noOutcome = {
  rule: undefined,
  decidedBy: undefined,
  unmatched: false,
  transitions: [],
  rejection: undefined,
  violations: [],
  bug: undefined,
} as const

/** What is recorded about a call. Nothing is copied. */
export interface CallRecord {
  /** What the entry shows as it is. */
  readonly facts: Omit<JournalEntry, Derived>
  /** The API key as it was sent. */
  readonly key?: string | undefined
  /** The headers as they were sent, with lower-case names. */
  readonly headers?: Headers | undefined
  /** The session that a base-URL prefix named. */
  readonly prefix?: string | undefined
  /** Over HTTP: calls with the same number cannot overlap. */
  readonly chain?: number | undefined
  /** The body of the request as text. */
  readonly request?: string | undefined
  /** The parsed body of a JSON request, or the names of the fields of a form. */
  readonly body?: unknown
  /** The top-level fields that the endpoint knows; undefined when it takes any. */
  readonly knownFields?: (() => ReadonlySet<string> | undefined) | undefined
  /** The reserved value of the request, and what it does in words. A rule has precedence. */
  readonly reserved?: CallDetails['reserved']
  readonly faults?: readonly AppliedFault[] | undefined
  readonly events?: readonly (SentEvent | EventRun)[] | undefined
  /** Whether the events are sent exactly as they are here, without faults of the wire or links. */
  readonly isExact?: boolean
  /** The descriptions of media in the body. */
  readonly media?: readonly unknown[] | undefined
  /** Virtual milliseconds before the first event. */
  readonly delay?: number | undefined
}

type Headers = Readonly<Record<string, string | undefined>>

interface AppliedFault {
  readonly kind: string
  readonly options?: object
}

/** What an entry must not show, or does not need to. */
export interface CallDetails {
  /** The API key as it was sent. */
  readonly key: string | undefined
  /** The headers as they were sent, with lower-case names. */
  readonly headers: Headers
  /** Over HTTP: calls with the same number cannot overlap. */
  readonly chain: number | undefined
  /** Whether the journal keeps only the beginning of the request's body. */
  readonly isCut: boolean
  readonly reserved: { readonly written: string; readonly effect: string } | undefined
  readonly knownFields: CallRecord['knownFields']
  readonly faults: readonly AppliedFault[]
  /** The descriptions of the media in the response, as far as they are kept. */
  readonly media: readonly unknown[]
  /** The events of a streamed response, as far as they are kept. */
  events: readonly (SentEvent | EventRun)[] | undefined
  /** When the last part of a response is due that waits for its clock, or was when it ended. */
  waitsUntil: number | undefined
  /** The number of the first call that began after the response had ended; undefined while it is open. */
  endedBefore: number | undefined
  /** Roughly how many bytes the entry holds. */
  weight: number
}

/** Whether the response is an event stream. @internal */
export function isStream(entry: JournalEntry): boolean {
  const kept = detailsOf(entry)
  return kept === undefined ? entry.stream.length > 0 : kept.events !== undefined
}

/** The response waits for its clock: its last part is due at `until`; undefined if not. @internal */
export function setWait(entry: JournalEntry, until: number | undefined): void {
  const kept = detailsOf(entry)
  if (kept !== undefined) kept.waitsUntil = until
}

/** The response has ended, before the call with this number. @internal */
export function setEnd(entry: JournalEntry, before: number): void {
  const kept = detailsOf(entry)
  if (kept !== undefined) kept.endedBefore ??= before
}

/** An event is sent with other data; `raw` if that takes more than one line. @internal */
export function changeEvent(entry: JournalEntry, index: number, data: string, raw: string | undefined): void {
  const kept = detailsOf(entry)
  if (kept?.events === undefined) return
  kept.events = eventsIn(kept.events).map((event, at) => (at === index ? { ...event, data, raw } : event))
}

/** The entry of a call. At most `perBody` characters of each body are kept. @internal */
export function createEntry(record: CallRecord, seq: number, perBody: number): JournalEntry {
  return new RecordedCall(record, seq, perBody) as unknown as JournalEntry
}

/**
 * An entry has the facts of its call as properties. What costs time is derived when it is read. A class, as
 * V8 keeps an object literal with getters in a slow form that takes 12 kB.
 */
class RecordedCall {
  readonly seq: number
  readonly request: string | undefined
  readonly faults: readonly string[]
  readonly namedBy: SessionNaming
  ended: JournalEntry['ended'] = 'open'
  eventCount = 0
  endOffset: number | undefined = undefined
  readonly #details: CallDetails
  readonly #delay: number
  /** The kept text of a form, or of a cut body, does not show the names of its fields. */
  readonly #names: readonly string[] | undefined
  /** The characters of a response that says no more than the events. */
  readonly #mostInEvents: number
  #isInEvents = false
  #response: string | undefined

  // The entry must not hold on to the record, whose body may be long.
  constructor(record: CallRecord, seq: number, perBody: number) {
    const { facts, request, body, delay = 0 } = record
    Object.assign(this, facts)
    this.seq = seq
    this.request = request === undefined ? undefined : truncate(request, perBody)
    this.#details = detailsFor(record, this.request, perBody)
    this.faults = this.#details.faults.map(({ kind }) => kind)
    this.namedBy = namingOf(record)
    this.#delay = delay
    this.#names = this.#details.isCut || Array.isArray(body) ? namesIn(body) : undefined
    this.#mostInEvents =
      record.isExact === true && record.events?.every((item) => !('media' in item)) === true ? perBody : 0
  }

  /** Not a property: printing an entry shows no secret. */
  static detailsOf(entry: object): CallDetails | undefined {
    return #details in entry ? entry.#details : undefined
  }

  get response(): string | undefined {
    return this.#response ?? (this.#isInEvents ? streamText(this.#details.events ?? []) : undefined)
  }

  /** The text of a stream takes ten times the memory of its events, and is made of them again. */
  set response(text: string | undefined) {
    this.#isInEvents = this.ended === 'completed' && text !== undefined && text.length < this.#mostInEvents
    this.#details.weight -= this.#response?.length ?? 0
    this.#response = this.#isInEvents ? undefined : text
    this.#details.weight += this.#response?.length ?? 0
  }

  get key(): string | undefined {
    const { key } = this.#details
    return key === undefined ? undefined : redactKey(key)
  }

  get caller(): string | undefined {
    const { key } = this.#details
    return key === undefined ? undefined : digest(`caller ${key}`).slice(0, 8)
  }

  get headers(): Readonly<Record<string, string>> {
    return redactHeaders(this.#details.headers)
  }

  get ignored(): readonly string[] {
    const known = this.#details.knownFields?.()
    if (known === undefined) return []
    const body = jsonIn(this.request)
    const names = this.#names ?? (isFields(body) ? Object.keys(body) : [])
    return names.filter((name) => !known.has(name))
  }

  get stream(): readonly StreamedEvent[] {
    return streamedEvents(eventsIn(this.#details.events ?? []), this.#delay, this)
  }

  /** `console.log` shows the derived properties too. */
  [Symbol.for('nodejs.util.inspect.custom')](): object {
    return this.toJSON()
  }

  toJSON(): object {
    const { key, caller, headers, response, ignored, stream } = this
    return { ...this, key, caller, headers, response, ignored, stream }
  }
}

/** The details of an entry; undefined for an entry that no journal has made. @internal */
export const { detailsOf } = RecordedCall

function detailsFor(record: CallRecord, request: string | undefined, perBody: number): CallDetails {
  const { key, headers = {}, chain, knownFields, faults = [], media = [] } = record
  const events = record.events === undefined ? undefined : firstEvents(record.events, perBody)
  return {
    key,
    headers,
    chain,
    isCut: request !== record.request,
    reserved: record.reserved,
    knownFields,
    faults,
    media,
    events,
    waitsUntil: undefined,
    endedBefore: undefined,
    weight: weightOf(record, request, events),
  }
}

const entryWeight = 2000
const eventWeight = 100
const traceWeight = 300
const mediaWeight = 500

function weightOf(
  { facts, headers = {}, media = [] }: CallRecord,
  request = '',
  events: readonly (SentEvent | EventRun)[] = [],
): number {
  let weight = entryWeight + facts.path.length + request.length
  for (const value of Object.values(headers)) weight += value?.length ?? 0
  for (const item of events) weight += eventWeight * countOf(item) + sizeOf(item)
  return weight + traceWeight * (facts.considered?.length ?? 0) + mediaWeight * media.length
}

function namingOf({ facts, prefix, headers, key }: CallRecord): SessionNaming {
  if (prefix !== undefined) return 'prefix'
  if ((headers?.['x-sim-session'] ?? '') !== '') return 'header'
  if (key?.startsWith(`sk-sim-${facts.session}-`) === true) return 'key'
  return facts.session === 'default' ? 'default' : 'id'
}

/** The events with their times; of a response that was cut, or whose client left, only those sent. */
function streamedEvents(
  events: readonly SentEvent[],
  delay: number,
  { ended, eventCount }: Pick<JournalEntry, 'ended' | 'eventCount'>,
): readonly StreamedEvent[] {
  let offset = delay
  const isPartial = ended === 'disconnected' || ended === 'aborted'
  return (isPartial ? events.slice(0, eventCount) : events).map(({ after, event, data, raw }) => {
    offset += after
    return event === undefined || raw !== undefined ? { offset, data: raw ?? data } : { offset, event, data }
  })
}

/** The first events, as many as fit into so many characters, without what the edge renders into them. */
function firstEvents(
  items: readonly (SentEvent | EventRun)[],
  most: number,
): readonly (SentEvent | EventRun)[] {
  let room = most
  const kept: (SentEvent | EventRun)[] = []
  for (const item of items) {
    const size = sizeOf(item)
    if (size > room) return isRun(item) ? [...kept, ...firstOfRun(item, room)] : kept
    room -= size
    kept.push('media' in item ? { ...item, media: undefined } : item)
  }
  return kept
}

/** The part of a run that fits, if any. */
function firstOfRun(run: EventRun, most: number): readonly EventRun[] {
  const frame = run.head.length + run.tail.length
  let room = most
  const end = run.parts.findIndex((part) => (room -= frame + part.length) < 0)
  return end <= 0 ? [] : [{ ...run, parts: run.parts.slice(0, end) }]
}

function sizeOf(item: SentEvent | EventRun): number {
  if (!isRun(item)) return (item.raw ?? item.data).length
  let size = item.parts.length * (item.head.length + item.tail.length)
  for (const part of item.parts) size += part.length
  return size
}

const countOf = (item: SentEvent | EventRun): number => (isRun(item) ? item.parts.length : 1)

// A list says the names of a form: `image[]` and `image` are one field.
function namesIn(body: unknown): readonly string[] {
  if (Array.isArray(body)) return [...new Set(body.map((name) => String(name).replace(/\[.*$/s, '')))]
  return isFields(body) ? Object.keys(body) : []
}
