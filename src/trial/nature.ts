/** What a failure is. */
import type { Then } from '../generated/scenario-types.ts'
import type { Delivery, Target } from './target.ts'

/**
 * What a well-behaved client makes of a failure.
 *
 * - `harmless`: it does not notice; the failure is valid HTTP or valid server-sent events.
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
  /** Set if it can meet only responses that are delivered in this way. */
  readonly delivery: Delivery | undefined
  /** True if it meets requests before their API key is checked. */
  readonly early: boolean
  /** True if it cuts texts short without an error. */
  readonly cutsText: boolean
  meets(target: Target): boolean
  /** What the rule for the request does. */
  then(target: Target): Then
}
