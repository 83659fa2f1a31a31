/** The script is wrong: settings, options or a scenario cannot be used. Nothing starts. */
import type { Finding } from '../protocol/findings.ts'

/** One mistake, with its place when the script is a file. */
export interface ScenarioFinding extends Finding {
  readonly file?: string
  /** From 1. */
  readonly line?: number
  /** From 1. */
  readonly column?: number
  /** The line of the file, without its indentation. */
  readonly source?: string
}

export class ScenarioError extends Error {
  override readonly name = 'ScenarioError'
  readonly findings: readonly ScenarioFinding[]

  constructor(message: string, found: readonly ScenarioFinding[] = []) {
    super(message)
    this.findings = found
  }
}
