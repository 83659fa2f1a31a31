/** The results of the last run of all programs, as the page shows them. */
import { readFileSync } from 'node:fs'
import type { VerdictName } from '../../src/trial.ts'

/** From the root of the repository. */
export const resultsFile = 'tools/sdk-trials/results.json'

export interface SdkResults {
  /** The day of the run: 2026-01-31. */
  readonly date: string
  readonly node: string
  /** The time limit of a run. */
  readonly seconds: number
  readonly versions: Readonly<Record<string, string>>
  readonly programs: readonly {
    readonly call: string
    readonly packages: readonly string[]
    readonly streams: boolean
    readonly operation: string
    /** How many requests it sends if each of them gets a 503. */
    readonly requests: number
    /** By failure, where the first request meets it. */
    readonly verdicts: Readonly<Record<string, VerdictName>>
    /** The failures whose verdict is not acceptable. */
    readonly unacceptable: readonly string[]
  }[]
}

export const sdkResults = (): SdkResults => JSON.parse(readFileSync(resultsFile, 'utf8')) as SdkResults
