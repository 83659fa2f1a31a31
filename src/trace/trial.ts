/** The verdicts of a trial in a saved trace. */

export interface SavedRun {
  readonly operation: string
  readonly failure: string
  /** The failure, in one sentence. */
  readonly what: string
  /** The number of the request that failed; null if every request did. */
  readonly nth: number | null
  readonly verdict: string
  readonly acceptable: boolean
  readonly half: boolean
  readonly reason: string
  /** The `seq` of the requests that show the verdict. */
  readonly evidence: readonly number[]
  readonly exitCode: number | null
  readonly seconds: number
  /** The command that repeats the run. */
  readonly again: string
  /** The scenario that makes the failure, as YAML; null for an acceptable run. */
  readonly scenario: string | null
  /** The end of it; empty for an acceptable run. */
  readonly stderr: string
  /** The name of its session in the trace. */
  readonly session: string
}

export interface SavedTrial {
  readonly summary: string
  /** The name of the session of the healthy run. */
  readonly healthy: string
  readonly runs: readonly SavedRun[]
}
