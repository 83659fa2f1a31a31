/**
 * What somebody wants verified of a session's calls, as it is written. Types alone; `read-request.ts` checks
 * them.
 */
import type { OperationPattern, Operators } from '../generated/scenario-input.ts'

/** What a value must be like, as in `when` of a scenario; a regular expression stands for `{ regex }`. */
export type CallShape =
  | Operators
  | RegExp
  | { readonly [name: string]: CallShape }
  | readonly CallShape[]
  | string
  | number
  | boolean
  | null

/**
 * Which calls are meant; everything given must hold. What `when` of a scenario's rule says means the same
 * here.
 */
export interface CallPattern {
  /**
   * An operation, several, a group such as `imageJobs.*`, or `*`. All when left out, also paths that no
   * operation owns.
   */
  readonly operation?: OperationPattern | readonly OperationPattern[] | undefined
  /** The API key as it was sent; a text may end in `*`. */
  readonly key?: CallShape | undefined
  /** The model; a text may end in `*`. */
  readonly model?: CallShape | undefined
  /**
   * Fields of the body: JSON, or the fields of a form by name, a file as `{ filename, type, size, sha256 }`.
   */
  readonly body?: CallShape | undefined
  /** Fields of the query. */
  readonly query?: { readonly [name: string]: CallShape } | undefined
  /** Headers, by name in any case. */
  readonly headers?: { readonly [name: string]: CallShape } | undefined
  /**
   * Parameters of the path as `{ video_id: … }`, or the path itself without its query; a text may end in `*`.
   */
  readonly path?: { readonly [name: string]: CallShape } | string | undefined
  /** What was said (chat and messages). */
  readonly conversation?:
    | {
        /** The text of the last message of the user. */
        readonly lastUser?: CallShape | undefined
        /** The text of the last tool result after that message; `true` for any, `false` for none. */
        readonly toolResult?: CallShape | undefined
        /** How many answers of the assistant there would then be: 1 in a new conversation. */
        readonly turn?: CallShape | undefined
      }
    | undefined
  /** `GET`, `POST`, … */
  readonly method?: CallShape | undefined
  /** The status of the reply, or a hundred of them: `4xx`. */
  readonly status?: CallShape | undefined
  /** The id of the scenario rule that answered; a text may end in `*`. `{ exists: false }` for none. */
  readonly rule?: CallShape | undefined
  /** What decided the reply (a reserved value, a rule); a text may end in `*`. */
  readonly decidedBy?: CallShape | undefined
  /** The digits that stand for a key in the journal. */
  readonly caller?: CallShape | undefined
  readonly requestId?: CallShape | undefined
  /** How the reply ended: `open`, `completed`, `aborted`, `cut`. */
  readonly ended?: CallShape | undefined
  /** How many stream events were handed over. */
  readonly events?: CallShape | undefined
  /** Whether `strict` refused the call because no rule names it. */
  readonly unmatched?: CallShape | undefined
  /** The words of the faults that the reply met, as a list: `{ contains: 'disconnect' }`. */
  readonly faults?: CallShape | undefined
  /** The top-level fields of the body that the endpoint does not know, as a list. */
  readonly ignored?: CallShape | undefined
  /** What a refusal said: `{ type, code, param, jobId, retryAfterMs }`. */
  readonly refusal?: CallShape | undefined
  /** The body of the reply, when it is JSON; the text of any other. */
  readonly reply?: CallShape | undefined
}

/** A length of virtual time (`5s`, or milliseconds), or a window of it. */
export type Within =
  | string
  | number
  | {
      /** A duration after the start of the session, or an instant. */
      readonly from?: string | number | undefined
      /** The same; itself not included. */
      readonly until?: string | number | undefined
      /** A length of virtual time, as where no window is given. */
      readonly span?: string | number | undefined
    }

/** What must be so. Without a count and an order, at least one call must meet `calls`. */
export interface VerifyRequest {
  /** Which calls are looked at; all when left out. A text is an operation. */
  readonly calls?: OperationPattern | CallPattern | undefined
  readonly exactly?: number | undefined
  readonly atLeast?: number | undefined
  readonly atMost?: number | undefined
  /** True when there must be none. */
  readonly never?: boolean | undefined
  /**
   * A window: only calls in it count. A length: the count is the most calls that any stretch of this length
   * holds (so `atMost: 3, within: '1s'` says that they never came faster), and an order must be passed
   * through in it.
   */
  readonly within?: Within | undefined
  /** These calls one after the other; others may stand between them. */
  readonly inOrder?: readonly (OperationPattern | CallPattern)[] | undefined
  /** True when there must be no calls beside those of `calls`, and of `inOrder`. */
  readonly noOthers?: boolean | undefined
}

/** Where a call is not as it was wanted. */
export interface CallDifference {
  /** As `body.messages[0].content`, `status`, `headers.x-a`. */
  readonly field: string
  /** In words: `"sunset" in it`, `at least 3`. */
  readonly expected: string
  /** What there was, in a few words. Keys are shortened. */
  readonly got: string
}

/** A call that was nearly meant. */
export interface NearCall {
  readonly seq: number
  readonly requestId: string
  readonly operation: string | null
  readonly status: number
  /** Everything that kept it from being meant. */
  readonly differences: readonly CallDifference[]
}

/** What came of a verification. Plain data. */
export interface Verdict {
  readonly ok: boolean
  /** False when it does not hold only because the journal no longer keeps what would tell. */
  readonly decided: boolean
  /** What was expected and what there was, for people; several lines when it does not hold. */
  readonly message: string
  /** How many calls count; with a length of time, the most in any stretch of it. */
  readonly count: number
  /** The numbers (`seq`) of the calls that meet `calls`, or of those that make up the order. */
  readonly matched: readonly number[]
  /** Calls that missed least, nearest first; empty when it holds. */
  readonly nearest: readonly NearCall[]
}
