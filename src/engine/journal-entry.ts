/**
 * What the journal says of one call, and what it is told of it. Types alone; knows nothing of how an entry is
 * kept.
 */
import type { RuleTrace } from './rule-trace.ts'
import type { Transition } from './transitions.ts'

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

/**
 * How the session of a call was named: by a base-URL prefix, a header, its API key, an id of the session, or
 * not at all.
 */
export type SessionNaming = 'prefix' | 'header' | 'key' | 'id' | 'default'

/**
 * One call as it was taken and answered. Bodies are kept as the text that crossed the wire, or its beginning.
 */
export interface JournalEntry {
  readonly seq: number
  /** Virtual milliseconds since the epoch. */
  readonly at: number
  /**
   * Milliseconds since the epoch by the wall clock of the simulator; undefined where nobody gave one. Differs
   * from run to run.
   */
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
  /**
   * The events of a streamed reply in the order of the wire, as far as they are kept. Of one that was cut or
   * left, those that were handed over whole; while it is open, those to come as well: how many were handed
   * over says `events`.
   */
  readonly stream: readonly StreamedEvent[]
  readonly namedBy: SessionNaming
  /**
   * What became of each rule that the call was held against; undefined when there was none to ask, or none
   * was asked.
   */
  readonly considered?: readonly RuleTrace[] | undefined
  /** False when the call was refused before its rules were asked. */
  readonly rulesAsked?: boolean
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
  readonly considered?: readonly RuleTrace[] | undefined
  readonly rulesAsked?: boolean
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
