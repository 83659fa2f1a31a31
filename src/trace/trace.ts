/** A saved trace: what the page shows of a run, as plain data. */

import type { JournalEntryJson } from '../exchange/plain.ts'
import type {
  ClientReport,
  ClockState,
  JobList,
  LiveCall,
  OverrideState,
  RequestExplanation,
  ScenarioUsage,
} from '../generated/control-types.ts'

export type TraceEntry = JournalEntryJson & Pick<LiveCall, 'about'>

/** A session, with the responses of the control API about it. */
export interface TraceSession {
  /** Unique in the trace: the second session of a name is `name (2)`. */
  readonly name: string
  readonly clock: ClockState
  /** The number of requests ever received, and of those that are not in the trace. */
  readonly total: number
  readonly first: number
  readonly entries: readonly TraceEntry[]
  /** By `seq`. */
  readonly explanations: Readonly<Record<number, RequestExplanation>>
  readonly jobs: JobList
  readonly clientReport: ClientReport
  readonly overrides: readonly OverrideState[]
  readonly scenarios: readonly ScenarioUsage[]
}

export interface SavedTrace {
  readonly format: 'gateway-sim trace 1'
  /** The version of gateway-sim. */
  readonly version: string
  readonly strict: unknown
  /** By the wall clock. */
  readonly savedAt: string
  /** The command that was run, if it was one. */
  readonly title: string | null
  /** A text to show above the sessions: the message of a failed test. */
  readonly report?: string
  readonly sessions: readonly TraceSession[]
  /** What was left out, as sentences. */
  readonly cut: readonly string[]
}

/** The size of a trace as JSON, in bytes. */
export const maxTraceBytes = 2_500_000
