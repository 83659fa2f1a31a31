/** The result of a replay as plain data. Times are virtual milliseconds after the start. */

import type { Difference, Exchange } from './build-request.ts'

export interface Failure extends Difference {
  readonly kind: 'expectation' | 'contract'
}

export interface StepReport {
  /** From 1; `3.1` is the first one of a parallel group. */
  readonly step: string
  readonly kind: 'call' | 'fetch' | 'advance'
  readonly name: string | undefined
  /** `videos.create`, `GET /media/…`, `advance 8s`. */
  readonly title: string
  readonly at: number
  readonly endedAt: number
  readonly outcome: 'held' | 'failed' | 'skipped'
  readonly reason: string | undefined
  readonly exchanges: readonly Exchange[]
  readonly failures: readonly Failure[]
  /** What is new, compared with the last reply about the same resource: `status in_progress → failed`. */
  readonly changed: readonly string[]
  readonly saved: Readonly<Record<string, unknown>>
  /** Resource changes during the step, as the simulator reports them. */
  readonly fired: readonly unknown[]
  readonly notes: readonly string[]
}

export interface StoryReport {
  /** As given on the command line. */
  readonly file: string
  readonly title: string
  /** Where it ran: in-process, or an address. */
  readonly against: string
  readonly base: string
  readonly seed: string | undefined
  /** Whether time was moved; if not, all times are real. */
  readonly movedTime: boolean
  /** Virtual time at the start, milliseconds since the epoch. */
  readonly start: number
  readonly end: number
  /** `empty` if nothing was tested: no steps, or all of them skipped. */
  readonly outcome: 'held' | 'failed' | 'empty'
  readonly steps: readonly StepReport[]
  readonly counts: { readonly held: number; readonly failed: number; readonly skipped: number }
}

export function isSkipped({ outcome, counts }: StoryReport): boolean {
  return outcome === 'empty' && counts.skipped > 0
}
