/** Thrown for invalid scenarios. */
import type { Finding } from '../protocol/findings.ts'

/** An error in a scenario, with its position if the scenario is a file. */
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
