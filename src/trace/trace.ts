/** A saved trace: what the page shows of a run, as plain data. */
import type {
  CallExplanation,
  ClientReport,
  ClockState,
  JobPage,
  ScenarioUsage,
} from '../generated/control-types.ts'
import type { WireEntry } from '../journal/filter.ts'

export type TraceEntry = WireEntry & { readonly streamed: boolean }

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
  readonly explanations: Readonly<Record<number, CallExplanation>>
  readonly jobs: JobPage
  readonly clientReport: ClientReport
  /** Empty for a session that had ended. */
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
  readonly sessions: readonly TraceSession[]
  /** What was left out, as sentences. */
  readonly cut: readonly string[]
}

/** The size of a trace as JSON, in bytes: what a slow computer opens within a second. */
export const maxTraceBytes = 3_000_000
