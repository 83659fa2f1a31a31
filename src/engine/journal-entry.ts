/** Types of a journal entry, and of what is recorded about a call. */
import type { ConsideredRules, RuleTrace } from './rule-trace.ts'
import type { Transition } from './transitions.ts'

/** The details of a refusal. */
export interface EntryRefusal {
  /** The name of the refusal in the simulator's table: `rate_limit_error`, `downstream_unavailable`. */
  readonly type: string
  /** The numeric code of the envelope. */
  readonly code: number
  /** The path of the field that was refused. */
  readonly param?: string
  /** The job that was created although its submission was refused (contract section 7). */
  readonly jobId?: string
  /** The wait stated in the reply, in milliseconds. */
  readonly retryAfterMs?: number
}

/** One place where the request broke the contract. An empty `field` is the request as a whole. */
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

/** One call and its reply. Bodies are the text sent over the wire, possibly truncated. */
export interface JournalEntry {
  readonly seq: number
  /** Virtual milliseconds since the epoch. */
  readonly at: number
  /**
   * When the call arrived by the wall clock, in milliseconds since the epoch; undefined without a wall clock.
   * Differs from run to run.
   */
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
  readonly status: number
  readonly request: string | undefined
  /** The body of the reply, possibly truncated; set once it has been written. */
  reply: string | undefined
  /** The scenario rule that answered. */
  readonly rule: string | undefined
  /** What decided the reply: a reserved value, a setting or a rule. Undefined for the default behaviour. */
  readonly decidedBy: string | undefined
  /** Whether `strict` refused the call because no rule matched it. */
  readonly unmatched: boolean
  /** What the call created, removed, or found changed since the last poll. */
  readonly transitions: readonly Transition[]
  /** The kinds of the faults that were applied to the reply. */
  readonly faults: readonly string[]
  readonly refusal: EntryRefusal | undefined
  /** Where the request broke the contract, if it was refused for that. */
  readonly violations: readonly Violation[]
  /** Top-level body fields that the endpoint does not know and therefore ignored. */
  readonly ignored: readonly string[]
  /**
   * The events of a streamed reply, in order, as far as they are kept. If the stream was cut or the client
   * left, only events sent completely. While the stream is open, the list includes events still to come;
   * `events` counts those already sent.
   */
  readonly stream: readonly StreamedEvent[]
  /** How the call named its session. */
  readonly namedBy: SessionNaming
  /**
   * What happened with each rule that was tried, of many the fifty that came nearest; worked out when it is
   * read. Undefined when no rule was tried.
   */
  readonly considered?: readonly RuleTrace[] | undefined
  /** How many rules were tried. */
  readonly rulesTried?: number
  /** False when the call was refused before any rule was tried. */
  readonly rulesAsked?: boolean
  /** The error message of a bug in the simulator; a test suite should fail on it. */
  readonly bug: string | undefined
  /** How the reply ended; set when the last byte has been sent or the client has left. */
  ended: 'open' | 'completed' | 'aborted' | 'cut'
  /** How many stream events have been sent so far. */
  events: number
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
  readonly faults?: readonly { readonly kind: string }[] | undefined
  readonly refusal?: EntryRefusal | undefined
  readonly violations?: readonly Violation[] | undefined
  /** The parsed body of a JSON request, or the names of the fields of a form. */
  readonly body?: unknown
  /** The top-level fields that the endpoint knows; undefined when it takes any. */
  readonly knownFields?: (() => ReadonlySet<string> | undefined) | undefined
  readonly events?:
    | readonly {
        readonly after: number
        readonly event?: string
        readonly data: string
        readonly raw?: string
        readonly media?: unknown
      }[]
    | undefined
  /** Virtual milliseconds before the first event. */
  readonly delay?: number | undefined
  /** The session that a base-URL prefix named. */
  readonly prefix?: string | undefined
  readonly considered?: ConsideredRules | undefined
  readonly rulesAsked?: boolean
}

/** The key and headers of a call as sent, for comparisons only; they are never shown. */
export interface SentCall {
  /** The API key as it was sent. */
  readonly key: string | undefined
  /** The headers as sent, with lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Whether the journal keeps only the beginning of the body. */
  readonly cut: boolean
}
