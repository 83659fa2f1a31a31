/** A verification request as written by the caller, and its result. `read-request.ts` validates it. */
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
 * Selects calls; all given conditions must hold. Those that `when` of a scenario rule has too mean the same
 * here.
 */
export interface CallPattern {
  /**
   * One or several operations, a group such as `imageJobs.*`, or `*`. By default all calls, including those
   * to unknown paths.
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
  /** Headers, by name in any case. */
  readonly headers?: { readonly [name: string]: Matcher } | undefined
  /**
   * Path parameters as `{ video_id: … }`, or the path itself without its query; a string may end in `*`.
   */
  readonly path?: { readonly [name: string]: Matcher } | string | undefined
  /** The conversation so far (chat and messages). */
  readonly conversation?:
    | {
        /** The text of the last user message. */
        readonly lastUser?: Matcher | undefined
        /** The text of the last tool result after that message; `true` for any, `false` for none. */
        readonly toolResult?: Matcher | undefined
        /** Which answer of the assistant this is: 1 in a new conversation. */
        readonly turn?: Matcher | undefined
      }
    | undefined
  /** `GET`, `POST`, … */
  readonly method?: Matcher | undefined
  /** The status of the response, or a class of statuses: `4xx`. */
  readonly status?: Matcher | undefined
  /**
   * The id of the scenario rule that answered; a string may end in `*`. `{ exists: false }` matches calls
   * that no rule answered.
   */
  readonly rule?: Matcher | undefined
  /** What decided the response (a reserved value, a rule); a string may end in `*`. */
  readonly decidedBy?: Matcher | undefined
  /** The digits that identify a key in the journal. */
  readonly caller?: Matcher | undefined
  readonly requestId?: Matcher | undefined
  /** How the response ended: `open`, `completed`, `aborted`, `cut`. */
  readonly ended?: Matcher | undefined
  /** How many stream events were sent. */
  readonly events?: Matcher | undefined
  /** Whether `strict` rejected the call because no rule matched it. */
  readonly unmatched?: Matcher | undefined
  /** The kinds of the faults applied to the response, as a list: `{ contains: 'disconnect' }`. */
  readonly faults?: Matcher | undefined
  /** The top-level fields of the body that the endpoint does not know, as a list. */
  readonly ignored?: Matcher | undefined
  /** The details of a rejection: `{ type, code, param, jobId, retryAfterMs }`. */
  readonly rejection?: Matcher | undefined
  /** The body of the response: the parsed JSON, or the text of any other body. */
  readonly response?: Matcher | undefined
}

/** A length of virtual time (`5s`, or milliseconds), or a window of it. */
export type Within =
  | string
  | number
  | {
      /** The start of the window: a duration after the start of the session, or a time. */
      readonly from?: string | number | undefined
      /** The end of the window, exclusive: a duration after the start of the session, or a time. */
      readonly until?: string | number | undefined
      /** The length of virtual time within the window. */
      readonly span?: string | number | undefined
    }

/** What to verify. Without a count or an order, at least one call must match `calls`. */
export interface VerifyRequest {
  /** The calls to count; all when left out. A string is an operation. */
  readonly calls?: OperationPattern | CallPattern | undefined
  /** How many calls must match. */
  readonly times?: number | undefined
  readonly atLeast?: number | undefined
  readonly atMost?: number | undefined
  /** True when no call may match. */
  readonly never?: boolean | undefined
  /**
   * With a window, only calls in it count. With a length of time, the count is the maximum number of calls in
   * any period of that length (`atMost: 3, within: '1s'` limits the rate), and an order must be completed
   * within it.
   */
  readonly within?: Within | undefined
  /** Calls that must come in this order; other calls may come in between. */
  readonly inOrder?: readonly (OperationPattern | CallPattern)[] | undefined
  /** True when there must be no calls other than those of `calls` and `inOrder`. */
  readonly noOthers?: boolean | undefined
  /**
   * The ids of scenario rules that must have answered a call; true for all of them. The message names the
   * nearest call of each rule that answered none, and the condition that failed.
   */
  readonly usedRules?: true | readonly string[] | undefined
}

/** Thrown by `verify` when the calls of a session do not meet the request. */
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
