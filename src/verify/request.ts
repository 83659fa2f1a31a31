/** The input of `verify` as the caller writes it, and its result. `read-request.ts` validates it. */
import type { Verdict } from '../generated/control-types.ts'
import type { OperationPattern, Operators } from '../generated/scenario-types.ts'

/** A condition on a value, as in `when` of a scenario; a regular expression means `{ regex }`. */
export type Matcher =
  | Operators
  | RegExp
  | { readonly [name: string]: Matcher }
  | readonly Matcher[]
  | string
  | number
  | boolean
  | null

/**
 * Selects requests that meet all conditions. Conditions of a rule's `when` have the same meaning here.
 */
export interface RequestPattern {
  /**
   * One or several operations, a group such as `imageJobs.*`, or `*`. Default: all requests, including
   * those to unknown paths.
   */
  readonly operation?: OperationPattern | readonly OperationPattern[] | undefined
  /** The API key as sent; a string may end in `*`. */
  readonly key?: Matcher | undefined
  /** The model; a string may end in `*`. */
  readonly model?: Matcher | undefined
  /**
   * Fields of the body: JSON, or the fields of a form by name, a file as `{ filename, type, size, sha256 }`.
   */
  readonly body?: Matcher | undefined
  /** Fields of the query. */
  readonly query?: { readonly [name: string]: Matcher } | undefined
  /** Headers; names are not case-sensitive. */
  readonly headers?: { readonly [name: string]: Matcher } | undefined
  /** Path parameters: `{ video_id: … }`. */
  readonly path?: { readonly [name: string]: Matcher } | undefined
  /** The conversation so far (chat and messages). */
  readonly conversation?:
    | {
        /** The text of the last user message. */
        readonly lastUser?: Matcher | undefined
        /** The text of the last tool result after that message; `true` for any, `false` for none. */
        readonly toolResult?: Matcher | undefined
        /** The number of this assistant turn: 1 in a new conversation. */
        readonly turn?: Matcher | undefined
      }
    | undefined
  /** The status of the response, or a class of statuses: `4xx`. */
  readonly status?: Matcher | undefined
  /**
   * The id of the scenario rule that answered; a string may end in `*`. `{ exists: false }` matches requests
   * that no rule answered.
   */
  readonly rule?: Matcher | undefined
  /** How the response ended: `open`, `completed`, `aborted`, `disconnected`. */
  readonly ended?: Matcher | undefined
  /** Whether `strict` rejected the request because no rule matched it. */
  readonly unmatched?: Matcher | undefined
  /** The details of a rejection: `{ type, code, param, jobId, retryAfterMs }`. */
  readonly rejection?: Matcher | undefined
  /** The body of the response: the parsed JSON, or the text of any other body. */
  readonly response?: Matcher | undefined
}

/** A duration of virtual time: `5s`, or milliseconds. */
export type Within = string | number

/** What to verify. Without a count or an order, at least one request must match `requests`. */
export interface VerifyRequest {
  /** The requests to count. Default: all. A string is an operation. */
  readonly requests?: OperationPattern | RequestPattern | undefined
  /** The number of requests that must match. */
  readonly times?: number | undefined
  readonly atLeast?: number | undefined
  readonly atMost?: number | undefined
  /** Whether no request may match. */
  readonly never?: boolean | undefined
  /**
   * The count is the maximum number of requests in any period of this duration (`atMost: 3, within: '1s'`
   * limits the rate).
   */
  readonly within?: Within | undefined
  /** Requests that must arrive in this order; other requests may arrive in between. */
  readonly inOrder?: readonly (OperationPattern | RequestPattern)[] | undefined
  /** Whether requests that match neither `requests` nor `inOrder` are errors. */
  readonly noOthers?: boolean | undefined
  /**
   * The ids of scenario rules that must have answered a request; true for all rules. For each rule that
   * answered none, the message names the nearest request and the condition that failed.
   */
  readonly usedRules?: true | readonly string[] | undefined
}

/** Thrown by `verify` if the requests of a session do not meet the expectations. */
export class VerificationError extends Error {
  override readonly name = 'VerificationError'
  /** The code of `node:assert` errors, so that reporters show a failed assertion instead of a crash. */
  readonly code = 'ERR_ASSERTION'
  readonly verdict: Verdict

  constructor(verdict: Verdict) {
    super(verdict.message)
    this.verdict = verdict
  }
}
