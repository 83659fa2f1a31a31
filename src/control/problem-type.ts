/** A refusal of the control API as a type alone: RFC 9457. */

/** A refusal of the control API. */
export interface Problem {
  /** `urn:gateway-sim:problem:not_found_error`: the kind of refusal. */
  readonly type: string
  /** The kind of refusal in words. */
  readonly title: string
  readonly status: number
  /** What is wrong, and what to change. */
  readonly detail: string
  /** `urn:gateway-sim:call:req_…`: names this call. */
  readonly instance: string
  /** Each finding, with the field path it is about. */
  readonly errors: readonly { readonly detail: string; readonly field?: string }[]
}
