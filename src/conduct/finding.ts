/**
 * What a finding about a client is. Each kind is one file under `findings/` and one line in
 * `findings/all.ts`; the documentation and the tests follow from it.
 */
import type { ClockMode } from '../engine/clock.ts'
import type { Operation, Selector } from '../protocol/operations.ts'
import type { Severity } from './client-report.ts'
import type { Jobs } from './jobs.ts'
import type { CallRef, ObservedCall } from './observed-call.ts'

/** Something that was found: about whom, with the facts of this case, and the calls that show it. */
export interface FindingCase {
  /** What it is about (a job, a field): findings of one kind about one subject are told once. */
  readonly subject: string
  /** One sentence with the facts of this case. */
  readonly message: string
  readonly calls: readonly CallRef[]
}

/** What a watch may use. */
export interface WatchTools {
  /** Who moves time: waits are judged in `real` and `manual` only, since nobody waits in `auto`. */
  readonly mode: ClockMode
  /** How far apart polls should be, in milliseconds. */
  readonly pollEvery: number
  /** What the clients have been shown of their jobs, this call not yet included. */
  readonly jobs: Jobs
  report(found: FindingCase): void
}

/** Follows the calls of one session. What it keeps of them is bounded. */
export interface Watch {
  /**
   * While true, an ordinary call means nothing to it: it hears of no call before its end, and of no end but
   * those of refusals, of replies with faults and of connections that broke.
   */
  isIdle?: boolean
  /** A call was taken; it is not answered yet. */
  called?(call: ObservedCall): void
  /** The reply of a call has ended. */
  ended?(call: ObservedCall): void
  /** What must be said if nothing more comes after this virtual instant (milliseconds). Changes nothing. */
  finish?(now: number): readonly FindingCase[]
}

/** One kind of finding. */
export interface FindingKind {
  /** Its word in settings and reports: `polled-too-fast`. */
  readonly id: string
  readonly severity: Severity
  /** What the client did, in one sentence. */
  readonly summary: string
  /** Where the contract says so. */
  readonly section: string
  /** What to do instead, in one sentence. */
  readonly remedy: string
  /** A client that brings it about. */
  readonly example: string
  /** What looks like it and is no finding. */
  readonly exceptions: string
  /** The operations it looks at; every call when left out, those of unknown paths included. */
  readonly on?: Selector
  /**
   * The fields without which `called` finds nothing, so that it need not be called; `unknown` are those that
   * the endpoint does not know. Every call may matter when left out.
   */
  fields?(operation: Operation | undefined): readonly string[] | 'unknown'
  watch(tools: WatchTools): Watch
}
