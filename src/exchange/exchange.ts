/** One request and its response, whoever answered it: the record that all judges and reports read. */
import { utf8Length } from '../engine/bytes.ts'
import type { Transition } from '../engine/resource.ts'
import type { RuleTrace } from '../engine/rule-trace.ts'
import type { FieldError } from '../protocol/field-errors.ts'
import type { Decision } from '../protocol/plan.ts'

/** Plain data. Times are milliseconds. A field that is not known is undefined. */
export interface Exchange {
  /** Its number in its session or file, from 0. */
  readonly seq: number
  /** Its place in a file, for messages: `calls.har, entry 3`. */
  readonly source?: string | undefined
  /** When the request arrived, since the epoch; of a simulator, in virtual time. */
  readonly at: number
  /** The same by the wall clock, if `at` is virtual. It differs from run to run. */
  readonly realAt?: number | undefined
  /** The session of a simulator. */
  readonly session?: string | undefined
  /** The operation (`videos.create`); undefined if the contract has no such path. */
  readonly operation?: string | undefined
  /** The API key, shortened or replaced by a neutral name. */
  readonly key?: string | undefined
  /** Tells API keys apart without showing them. */
  readonly caller?: string | undefined
  readonly request: ExchangeRequest
  /** Undefined if none arrived. */
  readonly response?: ExchangeResponse | undefined
  /** How the response ended: the client aborts, the server disconnects. */
  readonly ended: ExchangeEnd
  /** From the request to the first byte of the response. */
  readonly firstByteAfter: number
  /** From the request to the last byte; while the response is open, to the last one so far. */
  readonly endedAfter: number
  /**
   * The redacted parts: `header:name`, `query:name`, and JSON pointers into the request body; for the
   * response the same after `response:` (`response:/upload_url`, `response:header:set-cookie`). An empty
   * pointer is a body that is not JSON.
   */
  readonly redacted: readonly string[]
  /** Why the simulator answered in this way; undefined for other servers. */
  readonly cause?: Cause | undefined
}

export type ExchangeEnd = 'open' | 'completed' | 'aborted' | 'disconnected'

/** Lower-case names, in the order they were sent; a name may repeat. */
export type Headers = readonly (readonly [name: string, value: string])[]

export interface ExchangeRequest {
  readonly method: string
  /** Absolute, or path and query in the journal of a simulator (without its session prefix). */
  readonly url: string
  /** Credentials are redacted. */
  readonly headers: Headers
  readonly body?: ExchangeBody | undefined
}

export interface ExchangeResponse {
  readonly status: number
  readonly headers: Headers
  /** Undefined while the response is open. */
  readonly body?: ExchangeBody | undefined
  /** The events of a stream that were sent, as far as they are kept; undefined for other responses. */
  readonly events?: readonly StreamedEvent[] | undefined
  /** How many events were sent. */
  readonly eventCount?: number | undefined
  /** When each chunk of the body arrived after the request, and its size. */
  readonly chunks?: readonly { readonly at: number; readonly bytes: number }[] | undefined
}

export interface ExchangeBody {
  /** Undefined if the body is no text, or was not kept. */
  readonly text?: string | undefined
  /** A body that is no text. */
  readonly bytes?: Uint8Array | undefined
  /** The size of the whole body in bytes; of a body that is not complete, at least so many. */
  readonly size: number
  /** Whether all of it is here. */
  readonly isComplete: boolean
  /** Whether `text` describes a form or bytes: `form [{"name":"n","value":"2"}]`. */
  readonly isSummary?: boolean | undefined
}

/** One event of a stream. */
export interface StreamedEvent {
  /** Milliseconds after the request. */
  readonly at: number
  readonly event?: string | undefined
  /** The text after `data:`, or the whole frame if it was written verbatim. */
  readonly data: string
}

/** What only a simulator knows about a response. */
export interface Cause {
  /** The request id of the response; empty if there is none. */
  readonly requestId: string
  /** How the request named its session. */
  readonly namedBy: SessionNaming
  /** The scenario rule that responded. */
  readonly rule?: string | undefined
  /** The source of the response; undefined for the default response. */
  readonly decidedBy?: Decision | undefined
  /** Whether `strict` rejected the request because no rule matched it. */
  readonly unmatched: boolean
  /** The resources that the request created, removed, or saw change since the last poll. */
  readonly transitions: readonly Transition[]
  /** The kinds of the faults that were applied to the response. */
  readonly faults: readonly string[]
  readonly rejection?: Rejection | undefined
  /** The violations in the request, if it was rejected for them. */
  readonly violations: readonly FieldError[]
  /** Top-level body fields that the endpoint does not know and therefore ignored. */
  readonly ignored: readonly string[]
  /** The events of an open stream that are still to come. */
  readonly coming?: readonly StreamedEvent[] | undefined
  /** When an open response stalled, in milliseconds after the request: nothing more will be sent. */
  readonly stalledAfter?: number | undefined
  /** The results of the operation's rules (the nearest fifty). */
  readonly considered?: readonly RuleTrace[] | undefined
  /** The number of rules for the operation. */
  readonly rulesTried?: number | undefined
  /** False if the request was rejected before any rule was evaluated. */
  readonly rulesAsked?: boolean | undefined
  /** The reasons for the answer: the candidate tools. */
  readonly notes?: readonly string[] | undefined
  /** The error message of a bug in the simulator; a test suite should fail on it. */
  readonly bug?: string | undefined
}

/** By a base-URL prefix, a header, its API key, the id of a resource of the session, or not at all. */
export type SessionNaming = 'prefix' | 'header' | 'key' | 'id' | 'default'

/** The details of a rejection. */
export interface Rejection {
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

/** An exchange in the journal of a simulator. */
export interface JournalEntry extends Exchange {
  readonly session: string
  readonly cause: Cause
}

export const headerIn = (headers: Headers, name: string): string | undefined =>
  headers.find(([one]) => one === name)?.[1]

/** A body of these bytes: as text if they are text. */
export function asBody(bytes: Uint8Array): ExchangeBody {
  const size = bytes.length
  try {
    // A byte order mark belongs to the body.
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return { text, size, isComplete: true }
  } catch {
    return { bytes, size, isComplete: true }
  }
}

export const textBody = (text: string): ExchangeBody => ({ text, size: utf8Length(text), isComplete: true })

/** The bytes of a body as far as it is here; none for no body. */
export const bytesOf = (body: ExchangeBody | undefined): Uint8Array =>
  body?.bytes ?? new TextEncoder().encode(body?.text ?? '')

/** Whether a response has a body of which nothing was kept. */
export const isLost = ({ body }: Pick<ExchangeResponse, 'body'>): boolean =>
  body?.isComplete === false && body.text === undefined

/** The status of the response; 0 if there is none. */
export const statusOf = ({
  response,
}: {
  readonly response?: { readonly status: number } | undefined
}): number => response?.status ?? 0

/** Whether the response is an event stream. */
export const isStream = ({
  response,
}: {
  readonly response?: { readonly eventCount?: number | undefined } | undefined
}): boolean => response?.eventCount !== undefined
