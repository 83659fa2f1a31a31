/**
 * One call as the journal keeps it. References to what the call was made of are taken over as they are; what has to be worked
 * out (redacted headers, ignored fields, streams with their times) is worked out when somebody reads. Knows nothing of
 * endpoints.
 */
import { beginning } from './beginning.ts'
import { digest } from './random.ts'
import { redactHeaders, redactKey } from './redact.ts'
import type { Transition } from './touches.ts'

/** What a refusal said. */
export interface EntryRefusal {
  /** The name of the refusal in the simulator's table: `rate_limit_error`, `downstream_unavailable`. */
  readonly type: string
  /** The numeric code of the envelope. */
  readonly code: number
  /** The field path that it is about. */
  readonly param?: string
  /** The job that exists and goes on although its submission was refused (contract section 7). */
  readonly jobId?: string
  /** The wait that the client was told, in milliseconds. */
  readonly retryAfterMs?: number
}

/** One place where the request broke the contract. An empty `field` is the request as a whole. */
export interface Violation {
  readonly field: string
  readonly message: string
}

/** One event of a stream as it was due. */
export interface StreamedEvent {
  /** Virtual milliseconds after the call was taken at which it was due. */
  readonly offset: number
  readonly event?: string
  /** What stood behind `data:`, or the whole frame when it was written as it is. */
  readonly data: string
}

/** How the session of a call was named: by a base-URL prefix, a header, its API key, an id of the session, or not at all. */
export type SessionNaming = 'prefix' | 'header' | 'key' | 'id' | 'default'

/** One call as it was taken and answered. Bodies are kept as the text that crossed the wire, or its beginning. */
export interface JournalEntry {
  readonly seq: number
  /** Virtual milliseconds since the epoch. */
  readonly at: number
  /** Milliseconds since the epoch by the wall clock of the simulator; undefined where nobody gave one. Differs from run to run. */
  readonly realAt: number | undefined
  readonly session: string
  readonly requestId: string
  readonly operation: string | undefined
  readonly method: string
  /** Path and query as sent, without a session prefix; keys in the query are shortened. */
  readonly path: string
  /** The API key, shortened so that it cannot be used. */
  readonly key: string | undefined
  /** Eight hexadecimal digits that tell keys apart without showing them. */
  readonly caller: string | undefined
  /** Lower-case names; keys and cookies are shortened. */
  readonly headers: Readonly<Record<string, string>>
  readonly status: number
  readonly request: string | undefined
  /** The reply's body as it was written, or its beginning; set when the edge has written it. */
  reply: string | undefined
  /** The scenario rule that answered. */
  readonly rule: string | undefined
  /** Which reserved value, setting or rule decided the reply, when not the default behaviour. */
  readonly decidedBy: string | undefined
  /** True when `strict` refused the call because no rule names it. */
  readonly unmatched: boolean
  /** What the call made, removed, or saw changed since a poll last looked. */
  readonly transitions: readonly Transition[]
  /** The words of the faults that the reply met. */
  readonly faults: readonly string[]
  readonly refusal: EntryRefusal | undefined
  /** Where the request broke the contract, when it was refused for that. */
  readonly violations: readonly Violation[]
  /** Top-level fields of the body that the endpoint does not know. */
  readonly ignored: readonly string[]
  /** The events of a streamed reply in the order of the wire, as far as they are kept; how many were handed over says `events`. */
  readonly stream: readonly StreamedEvent[]
  readonly namedBy: SessionNaming
  /** The text of a fault of the simulator itself; a test suite must fail on it. */
  readonly bug: string | undefined
  /** How the reply ended: set when the last byte was handed over or the client left. */
  ended: 'open' | 'completed' | 'aborted' | 'cut'
  /** Stream events handed over so far. */
  events: number
}

/** What the journal is told of a call. Nothing of it is copied. */
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
  readonly faults?: readonly { readonly kind: string }[] | undefined
  readonly refusal?: EntryRefusal | undefined
  readonly violations?: readonly Violation[] | undefined
  /** The parsed body of a JSON request, or the names of the fields of a form. */
  readonly body?: unknown
  /** The top-level fields that the endpoint knows; undefined when it takes any. */
  readonly knownFields?: (() => ReadonlySet<string> | undefined) | undefined
  readonly events?: readonly { readonly after: number; readonly event?: string; readonly data: string; readonly raw?: string }[] | undefined
  /** Virtual milliseconds before the first event. */
  readonly delay?: number | undefined
  /** The session that a base-URL prefix named. */
  readonly prefix?: string | undefined
}

/** What a call was sent with, for who compares and shows nothing of it. */
export interface SentCall {
  /** The API key as it was sent. */
  readonly key: string | undefined
  /** As they were sent, with lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Whether the body was longer than what is kept of it. */
  readonly cut: boolean
}

const none: readonly never[] = []

/** An entry over the record of a call. `perBody` is how many characters of one body it keeps, 0 for none. */
export class RecordedCall implements JournalEntry {
  seq = -1
  readonly at: number
  readonly realAt: number | undefined
  readonly session: string
  readonly requestId: string
  readonly operation: string | undefined
  readonly method: string
  readonly path: string
  readonly status: number
  readonly request: string | undefined
  reply: string | undefined = undefined
  readonly rule: string | undefined
  readonly decidedBy: string | undefined
  readonly unmatched: boolean
  readonly transitions: readonly Transition[]
  readonly refusal: EntryRefusal | undefined
  readonly violations: readonly Violation[]
  readonly bug: string | undefined
  ended: JournalEntry['ended'] = 'open'
  events = 0
  // Out of sight of whoever prints an entry: keys and cookies as they were sent.
  readonly #key: string | undefined
  readonly #headers: CallRecord['headers']
  readonly #faults: CallRecord['faults']
  readonly #knownFields: CallRecord['knownFields']
  readonly #events: CallRecord['events']
  readonly #delay: number | undefined
  readonly #prefix: string | undefined
  /** The names of the body's fields, where the kept text does not say them. */
  readonly #fields: readonly string[] | undefined
  /** Whether the body was longer than what is kept of it. */
  readonly #cut: boolean
  readonly #weight: number

  /** What the entry does not show. @internal */
  static sent(entry: JournalEntry): SentCall {
    return #key in entry ? { key: entry.#key, headers: entry.#headers ?? {}, cut: entry.#cut } : { key: entry.key, headers: entry.headers, cut: false }
  }

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
    this.request = request === undefined || request.length <= perBody ? request : perBody === 0 ? undefined : beginning(request, perBody)
    this.#cut = this.request !== request
    this.rule = record.rule
    this.decidedBy = record.decidedBy
    this.unmatched = record.unmatched ?? false
    this.transitions = record.transitions ?? none
    this.refusal = record.refusal
    this.violations = record.violations ?? none
    this.bug = record.bug
    this.#key = record.key
    this.#headers = record.headers
    this.#faults = record.faults
    this.#knownFields = record.knownFields
    this.#events = record.events === undefined ? undefined : firstEvents(record.events, perBody)
    this.#delay = record.delay
    this.#prefix = record.prefix
    this.#fields = Array.isArray(record.body) || (request !== undefined && request.length > perBody) ? namesIn(record.body) : undefined
    this.#weight = this.#weigh()
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

  get faults(): readonly string[] {
    return this.#faults === undefined ? none : this.#faults.map(({ kind }) => kind)
  }

  get ignored(): readonly string[] {
    const known = this.#knownFields?.()
    if (known === undefined) return none
    return (this.#fields ?? namesIn(parsed(this.request))).filter((name) => !known.has(name))
  }

  get stream(): readonly StreamedEvent[] {
    let offset = this.#delay ?? 0
    return (this.#events ?? none).map(({ after, event, data, raw }) => {
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

  /** Roughly how many bytes it holds. */
  get weight(): number {
    return this.#weight + (this.reply?.length ?? 0)
  }

  #weigh(): number {
    let weight = fixedWeight + this.path.length + (this.request?.length ?? 0)
    const headers = this.#headers
    // Counting costs less than copying: this happens for every call.
    for (const name in headers) weight += headers[name]?.length ?? 0
    if (this.#events !== undefined) for (const { data, raw } of this.#events) weight += (raw ?? data).length + eventWeight
    return weight
  }

  toJSON(): object {
    const { key, caller, headers, faults, ignored, stream, namedBy } = this
    return { ...this, key, caller, headers, faults, ignored, stream, namedBy }
  }
}

const fixedWeight = 600
const eventWeight = 50

function firstEvents<Event extends { readonly data: string; readonly raw?: string }>(events: readonly Event[], most: number): readonly Event[] {
  let kept = 0
  for (const [index, { data, raw }] of events.entries()) {
    kept += (raw ?? data).length
    if (kept > most) return events.slice(0, index)
  }
  return events
}

function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : (JSON.parse(text) as unknown)
  } catch {
    return undefined
  }
}

// A list says the names of a form: `image[]` and `image` are one field.
function namesIn(body: unknown): readonly string[] {
  if (Array.isArray(body)) return [...new Set(body.map((name) => String(name).replace(/\[.*$/s, '')))]
  return body !== null && typeof body === 'object' ? Object.keys(body) : none
}
