/**
 * What a finding about a client is. Each kind is one file under `findings/` and one line in
 * `findings/all.ts`; the documentation and the tests follow from it.
 */
import type { ClockMode } from '../engine/clock.ts'
import type { Severity } from '../generated/control-types.ts'
import type { Operation, Selector } from '../protocol/operations.ts'
import type { Jobs } from './jobs.ts'
import type { CallRef, ObservedCall } from './observed-call.ts'

/** One case of a finding: its subject, its facts, and the calls that show it. */
export interface FindingCase {
  /** What it is about (a job, a field): findings of one kind and subject are reported once. */
  readonly subject: string
  /** One sentence with the facts of this case. */
  readonly message: string
  readonly calls: readonly CallRef[]
}

export interface WatchTools {
  /** Waits are checked in `real` and `manual` only, since nobody waits in `auto`. */
  readonly mode: ClockMode
  /** How far apart polls should be, in milliseconds. */
  readonly pollEvery: number
  /** What the clients know of their jobs, before this call. */
  readonly jobs: Jobs
  report(finding: FindingCase): void
}

/** Follows the calls of one session. What it keeps of them is bounded. */
export interface Watch {
  /**
   * While true, ordinary calls are skipped: `called` is not called at all, and `ended` only for refusals,
   * replies with faults and broken connections.
   */
  isIdle?: boolean
  called?(call: ObservedCall): void
  ended?(call: ObservedCall): void
  /** The findings if nothing more comes after this virtual instant (milliseconds). Changes nothing. */
  finish?(now: number): readonly FindingCase[]
}

export interface FindingKind {
  /** Its name in settings and reports: `polled-too-fast`. */
  readonly id: string
  readonly severity: Severity
  /** What the client did, in one sentence. */
  readonly summary: string
  /** The section of the contract. */
  readonly section: string
  /** What to do instead, in one sentence. */
  readonly remedy: string
  /** A client that causes it. */
  readonly example: string
  /** What looks similar and is fine. */
  readonly exceptions: string
  /** The operations it concerns; all calls when left out, including those of unknown paths. */
  readonly on?: Selector
  /**
   * The fields without which `called` finds nothing, so that it need not be called; `unknown` are those that
   * the endpoint does not know. Every call may matter when left out.
   */
  fields?(operation: Operation | undefined): readonly string[] | 'unknown'
  watch(tools: WatchTools): Watch
}
