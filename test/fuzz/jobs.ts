/** What the runner asks of a worker, and what it hears back; all of it is JSON. */
import type { Found } from './run-steps.ts'
import type { Step } from './steps.ts'

export type Job =
  /** Batches of the seed against a simulator that is kept. */
  | { readonly kind: 'fuzz'; readonly indexes: readonly number[] }
  /** A batch of the seed against two fresh simulators, whose bytes are compared. */
  | { readonly kind: 'batch'; readonly index: number; readonly twice: true }
  /** Given steps against a fresh simulator, or two. */
  | { readonly kind: 'steps'; readonly steps: readonly Step[]; readonly twice: boolean }
  /** Only the steps of a batch. */
  | { readonly kind: 'make'; readonly index: number }
  | { readonly kind: 'memory' }

export interface Tally {
  sent: number
  answered: number
  rejected: number
  /** The client left, the connection broke, or there was nothing to answer. */
  left: number
}

export interface LaneFind {
  readonly index: number
  readonly find: Found
  /** The steps up to the find. */
  readonly steps: readonly Step[]
  /** One of several that were under way. */
  readonly suspect?: true
}

export interface JobResult {
  /** By `area operation`. */
  readonly requests: Record<string, Tally>
  finds: LaneFind[]
  /** Everything that was sent, in its order, where there are finds. */
  context?: Step[]
  memory?: { readonly heap: number; readonly descriptors: number }
}
