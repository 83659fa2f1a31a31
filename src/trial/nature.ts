/** The description of a failure. */
import type { Then } from '../generated/scenario-types.ts'
import type { Delivery, Target } from './target.ts'

/**
 * How a well-behaved client handles a failure.
 *
 * - `harmless`: it succeeds; the response is still valid HTTP or valid server-sent events.
 * - `tolerable`: it may succeed or give up, because the response is doubtful but complete.
 * - `temporary`: it may try again, or give up.
 * - `final`: it gives up; trying again does not help.
 * - `damaged`: what arrived must not count as a result.
 */
export type Nature = 'harmless' | 'tolerable' | 'temporary' | 'final' | 'damaged'

export interface Failure {
  /** Its name in tables and flags: `disconnect`, `disconnect-at-start`. */
  readonly id: string
  readonly nature: Nature
  /** What the client sees, in one sentence. */
  readonly what: string
  /** The only delivery that it applies to. Default: both. */
  readonly delivery: Delivery | undefined
  /** True if it applies before the API key is checked. */
  readonly early: boolean
  /** True if it truncates text without an error. */
  readonly cutsText: boolean
  meets(target: Target): boolean
  /** The `then` of the rule for the request. */
  then(target: Target): Then
}
