/** Types of a journal entry, and of what is recorded about a call. */

import { type EventRun, eventsIn, isRun, streamText } from './event-run.ts'
import { isFields, jsonIn } from './fields.ts'
import { digest } from './random.ts'
import { redactHeaders, redactKey, truncate } from './redact.ts'
import type { Transition } from './resource.ts'
import type { ConsideredRules, RuleTrace } from './rule-trace.ts'

/** The details of a rejection. */
export interface EntryRejection {
  /** The name of the rejection in the simulator's table: `rate_limit_error`, `downstream_unavailable`. */
  readonly type: string
  /** The numeric code of the envelope. */
  readonly code: number
  /** The path of the field that was rejected. */
  readonly param?: string
  /** The job that was created although its submission was rejected (contract section 7). */
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
  /** The results of the operation's rules (the nearest fifty), computed lazily. */
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
interface SentEvent {
  readonly after: number
  readonly event?: string
  readonly data: string
  readonly raw?: string
  readonly media?: unknown
}

/** What is recorded about a call. Nothing is copied. */
export interface CallRecord {
  readonly at: number
  readonly realAt?: number | undefined
  readonly session: string
  readonly requestId: string
  readonly operation: string | undefined
  readonly method: string
  readonly path: string
  /** The API key as it was sent. */
  readonly key: string | undefined
  /** The headers as they were sent, with lower-case names. */
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined
  readonly status: number
  readonly request: string | undefined
  readonly rule?: string | undefined
  readonly decidedBy: string | undefined
  readonly bug: string | undefined
  readonly unmatched?: boolean
  readonly transitions?: readonly Transition[] | undefined
  readonly faults?: readonly { readonly kind: string; readonly options?: object }[] | undefined
  readonly rejection?: EntryRejection | undefined
  readonly violations?: readonly Violation[] | undefined
  /** The parsed body of a JSON request, or the names of the fields of a form. */
  readonly body?: unknown
  /** The top-level fields that the endpoint knows; undefined when it takes any. */
  readonly knownFields?: (() => ReadonlySet<string> | undefined) | undefined
  readonly events?: readonly (SentEvent | EventRun)[] | undefined
  /** The descriptions of media in the body; none that holds on to files of clients. */
  readonly media?: readonly unknown[] | undefined
  /** Whether the events go out as they are: with no fault on the wire, and no address to fill in. */
  readonly isSentAsItIs?: boolean
  /** Virtual milliseconds before the first event. */
  readonly delay?: number | undefined
  /** The session that a base-URL prefix named. */
  readonly prefix?: string | undefined
  /** Over HTTP: calls with the same number cannot overlap. */
  readonly chain?: number | undefined
  readonly considered?: ConsideredRules | undefined
  readonly rulesAsked?: boolean
  readonly notes?: (() => readonly string[]) | undefined
}

/** The key and headers of a call as sent, for comparisons only; they are never shown. */
interface SentCall {
  /** The API key as it was sent. */
  readonly key: string | undefined
  /** The headers as sent, with lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Whether the journal keeps only the beginning of the body. */
  readonly cut: boolean
  /** Over HTTP: calls with the same number cannot overlap. */
  readonly chain: number | undefined
}

const none: readonly never[] = []

type Events = NonNullable<CallRecord['events']>

/**
 * A journal entry for the record of a call. It keeps references and computes derived values (redacted
 * headers, ignored fields, timed events) when they are read.
 */
export class RecordedCall implements JournalEntry {
  seq = -1
  readonly at: number
  readonly realAt: number | undefined
  readonly session: string
  readonly requestId: string
  readonly operation: string | undefined
  readonly method: string
  readonly path: string
  status: number
  readonly request: string | undefined
  response: string | undefined = undefined
  readonly rule: string | undefined
  decidedBy: string | undefined
  readonly unmatched: boolean
  readonly transitions: readonly Transition[]
  readonly faults: readonly string[]
  rejection: EntryRejection | undefined
  readonly violations: readonly Violation[]
  readonly rulesAsked: boolean
  readonly bug: string | undefined
  ended: JournalEntry['ended'] = 'open'
  eventCount = 0
  endOffset: number | undefined = undefined
  // Not enumerable, because it contains unredacted keys and cookies.
  readonly #key: string | undefined
  readonly #headers: CallRecord['headers']
  readonly #knownFields: CallRecord['knownFields']
  #events: Events | undefined
  readonly #faults: CallRecord['faults']
  readonly #media: CallRecord['media']
  /** Whether these events are all that is sent. */
  readonly #hasWholeResponse: boolean
  readonly #delay: number | undefined
  readonly #prefix: string | undefined
  readonly #chain: number | undefined
  readonly #considered: ConsideredRules | undefined
  readonly #notes: (() => readonly string[]) | undefined
  /** The names of the body's fields, where the kept text does not say them. */
  readonly #fields: readonly string[] | undefined
  /** Whether the body was longer than what is kept of it. */
  readonly #cut: boolean
  readonly #weight: number
  #responseLength = 0
  /** Whether `response` is what the events say, which the entry does not hold before it is shown. */
  #responsesInEvents = false
  #isShown = false
  #waitsUntil: number | undefined

  /** What the entry does not show. @internal */
  static sent(entry: JournalEntry): SentCall {
    return #key in entry
      ? { key: entry.#key, headers: entry.#headers ?? {}, cut: entry.#cut, chain: entry.#chain }
      : { key: entry.key, headers: entry.headers, cut: false, chain: undefined }
  }

  /** The descriptions of the media in the response, as far as they are kept. @internal */
  static media(entry: JournalEntry): readonly unknown[] {
    return #media in entry ? (entry.#media ?? none) : none
  }

  /** The faults with their options. @internal */
  static faults(entry: JournalEntry): NonNullable<CallRecord['faults']> {
    return (#faults in entry ? entry.#faults : undefined) ?? none
  }

  /** Whether the response is an event stream. @internal */
  static isStream(entry: JournalEntry): boolean {
    return #events in entry ? entry.#events !== undefined : entry.stream.length > 0
  }

  /** The response waits for its clock: its last part is due at `until`; undefined if not. @internal */
  static setWait(entry: JournalEntry, until: number | undefined): void {
    if (#waitsUntil in entry) entry.#waitsUntil = until
  }

  /** When the last part of a response was due that waits for its clock, or did when it ended. @internal */
  static waitsUntil(entry: JournalEntry): number | undefined {
    return #waitsUntil in entry ? entry.#waitsUntil : undefined
  }

  /** An event is sent with other data; `raw` if that takes more than one line. @internal */
  static changeEvent(entry: JournalEntry, index: number, data: string, raw: string | undefined): void {
    if (!(#events in entry) || entry.#events === undefined) return
    const events: readonly SentEvent[] = eventsIn(entry.#events)
    entry.#events = events.map((item, at) => {
      if (at !== index) return item
      const { after, event } = item
      return { after, data, ...(event === undefined ? {} : { event }), ...(raw === undefined ? {} : { raw }) }
    })
  }

  /** The entry with its response: every entry that others may read goes through here. @internal */
  static shown(entry: JournalEntry): JournalEntry {
    if (!(#isShown in entry)) return entry
    entry.#isShown = true
    if (entry.#responsesInEvents)
      entry.response = streamText(entry.#events ?? none).slice(0, entry.#responseLength)
    entry.#responsesInEvents = false
    return entry
  }

  /** `perBody` is how many characters of one body are kept, 0 for none. */
  constructor(record: CallRecord, perBody: number) {
    const { request } = record
    this.at = record.at
    this.realAt = record.realAt
    this.session = record.session
    this.requestId = record.requestId
    this.operation = record.operation
    this.method = record.method
    this.path = record.path
    this.status = record.status
    this.request =
      request === undefined || request.length <= perBody
        ? request
        : perBody === 0
          ? undefined
          : truncate(request, perBody)
    this.#cut = this.request !== request
    this.rule = record.rule
    this.decidedBy = record.decidedBy
    this.unmatched = record.unmatched ?? false
    this.transitions = record.transitions ?? none
    this.rejection = record.rejection
    this.violations = record.violations ?? none
    this.rulesAsked = record.rulesAsked ?? false
    this.#notes = record.notes
    this.bug = record.bug
    this.#key = record.key
    this.#headers = record.headers
    this.#faults = record.faults
    this.faults = record.faults?.map(({ kind }) => kind) ?? none
    this.#knownFields = record.knownFields
    this.#events = record.events === undefined ? undefined : firstEvents(record.events, perBody)
    this.#media = record.media
    this.#hasWholeResponse =
      record.isSentAsItIs === true && this.#events !== undefined && this.#events === record.events
    this.#delay = record.delay
    this.#prefix = record.prefix
    this.#chain = record.chain
    this.#considered = record.considered
    this.#considered?.release(!this.#cut)
    this.#fields =
      Array.isArray(record.body) || (request !== undefined && request.length > perBody)
        ? namesIn(record.body)
        : undefined
    let weight = fixedWeight + this.path.length + (this.request?.length ?? 0)
    const headers = this.#headers
    // Counting is cheaper than copying, and this runs for every call.
    for (const name in headers) weight += headers[name]?.length ?? 0
    if (this.#events !== undefined)
      for (const item of this.#events)
        weight += sizeOf(item) + eventWeight * (isRun(item) ? item.parts.length : 1)
    weight += mediaWeight * (this.#media?.length ?? 0)
    this.#weight = weight + (this.#considered?.held ?? 0) * considerationWeight
  }

  get notes(): readonly string[] | undefined {
    return this.#notes?.()
  }

  get considered(): readonly RuleTrace[] | undefined {
    return this.#considered?.traces(this.request, this.seq)
  }

  get rulesTried(): number {
    return this.#considered?.tried ?? 0
  }

  get key(): string | undefined {
    return this.#key === undefined ? undefined : redactKey(this.#key)
  }

  get caller(): string | undefined {
    return this.#key === undefined ? undefined : digest(`caller ${this.#key}`).slice(0, 8)
  }

  get headers(): Readonly<Record<string, string>> {
    return this.#headers === undefined ? {} : redactHeaders(this.#headers)
  }

  get ignored(): readonly string[] {
    const known = this.#knownFields?.()
    if (known === undefined) return none
    return (this.#fields ?? namesIn(jsonIn(this.request))).filter((name) => !known.has(name))
  }

  get stream(): readonly StreamedEvent[] {
    let offset = this.#delay ?? 0
    // Events after a cut, or after the client left, were never sent.
    const events: readonly SentEvent[] = eventsIn(this.#events ?? none)
    const sent =
      this.ended === 'disconnected' || this.ended === 'aborted' ? events.slice(0, this.eventCount) : events
    return sent.map(({ after, event, data, raw }) => {
      offset += after
      return { offset, ...(event === undefined || raw !== undefined ? {} : { event }), data: raw ?? data }
    })
  }

  get namedBy(): SessionNaming {
    if (this.#prefix !== undefined) return 'prefix'
    if ((this.#headers?.['x-sim-session'] ?? '') !== '') return 'header'
    if (this.#key?.startsWith(`sk-sim-${this.session}-`) === true) return 'key'
    return this.session === 'default' ? 'default' : 'id'
  }

  /** Roughly how many bytes it holds, and its response once it is shown. */
  get weight(): number {
    return this.#weight + this.#responseLength
  }

  /** Keeps the text of the response, or only how long it is where the events say the same in less memory. */
  keepResponse(text: string): void {
    this.#responseLength = text.length
    this.#responsesInEvents = this.#hasWholeResponse && this.ended === 'completed' && !this.#isShown
    this.response = this.#responsesInEvents ? undefined : text
  }

  toJSON(): object {
    const { key, caller, headers, ignored, stream, namedBy } = this
    return { ...this, key, caller, headers, ignored, stream, namedBy }
  }
}

const fixedWeight = 600
const eventWeight = 50
const considerationWeight = 300
const mediaWeight = 500

// Without what the edge renders into them, which holds on to files of clients.
function firstEvents(items: Events, most: number): Events {
  let size = 0
  let media = false
  for (const item of items) {
    size += sizeOf(item)
    if (!isRun(item) && item.media !== undefined) media = true
  }
  const kept = size <= most ? items : eventsUpTo(eventsIn(items), most)
  return media ? eventsIn(kept).map(({ media: _, ...event }: SentEvent) => event) : kept
}

/** The first events, as many as fit into so many characters. */
function eventsUpTo(events: readonly SentEvent[], most: number): readonly SentEvent[] {
  let size = 0
  const end = events.findIndex((event) => (size += sizeOf(event)) > most)
  return events.slice(0, end)
}

/** How many characters are sent of it. */
function sizeOf(item: SentEvent | EventRun): number {
  if (!isRun(item)) return (item.raw ?? item.data).length
  let size = item.parts.length * (item.head.length + item.tail.length)
  for (const part of item.parts) size += part.length
  return size
}

// A list says the names of a form: `image[]` and `image` are one field.
function namesIn(body: unknown): readonly string[] {
  if (Array.isArray(body)) return [...new Set(body.map((name) => String(name).replace(/\[.*$/s, '')))]
  return isFields(body) ? Object.keys(body) : none
}
