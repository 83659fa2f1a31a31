/**
 * What a replay found, as plain data: reporters and traces are made from it. Times are virtual milliseconds
 * after the start.
 */
import type { Difference } from './differences.ts'
import type { Exchange } from './exchange.ts'

/** Something that is not as it should be: against the step's expectations, or against the contract. */
export interface Failure extends Difference {
  readonly kind: 'expectation' | 'contract'
}

export interface StepReport {
  /** From 1; `3.1` is the first one of a group that began together. */
  readonly step: string
  readonly kind: 'call' | 'fetch' | 'advance'
  /** What the author calls it. */
  readonly name: string | undefined
  /** `videos.create`, `GET /media/…`, `advance 8s`. */
  readonly title: string
  readonly at: number
  readonly endedAt: number
  readonly outcome: 'held' | 'failed' | 'skipped'
  /** Why it was skipped. */
  readonly reason: string | undefined
  /** Every call it made, polls included. */
  readonly exchanges: readonly Exchange[]
  readonly failures: readonly Failure[]
  /**
   * What is new in the reply, compared with the last reply about the same thing: `status in_progress →
   * failed`.
   */
  readonly changed: readonly string[]
  /** What it saved. */
  readonly saved: Readonly<Record<string, unknown>>
  /** Changes of resources that time passed over during the step, as the simulator tells them. */
  readonly fired: readonly unknown[]
  /** What was not judged and why. */
  readonly notes: readonly string[]
}

export interface StoryReport {
  /** As it was named on the command line. */
  readonly file: string
  readonly title: string
  /** Where it ran: in-process, or an address. */
  readonly against: string
  /** The address that its calls begin with. */
  readonly base: string
  readonly seed: string | undefined
  /** Virtual time at the start, milliseconds since the epoch. */
  readonly start: number
  readonly end: number
  /** `empty` when nothing was tried: it has no steps, or all of them were skipped. */
  readonly outcome: 'held' | 'failed' | 'empty'
  readonly steps: readonly StepReport[]
  readonly counts: { readonly held: number; readonly failed: number; readonly skipped: number }
}
