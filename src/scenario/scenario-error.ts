/** Thrown for invalid scenarios. */
import type { FieldError } from '../protocol/field-errors.ts'

/** An error in a scenario, with its position if the scenario is a file. */
export interface ScenarioFieldError extends FieldError {
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
  readonly errors: readonly ScenarioFieldError[]

  constructor(message: string, errors: readonly ScenarioFieldError[] = []) {
    super(message)
    this.errors = errors
  }
}
