/** A mistake in a scenario: where it stands, and what to write instead. */
import type { Fields } from '../../engine/fields.ts'
import type { Operation, Vocabulary } from '../../protocol/operations.ts'
import type { AnswerSpec, WhenSpec } from '../format/rule.ts'

export type Path = readonly PropertyKey[]

/** A mistake in a scenario, with its path in the file. */
export interface ScenarioMistake {
  readonly path: Path
  readonly message: string
  /** The end of the field: it stands before the message where the rest of the field is not shown. */
  readonly label?: string
  /** True when the key is wrong, not its value. */
  readonly key: boolean
}

/** A mistake in one of several scenarios: `from` is its number. */
export type PlacedMistake = ScenarioMistake & { readonly from: number }

/** One answer of a rule, and what it is checked against. */
export interface PlacedAnswer {
  readonly answer: AnswerSpec
  readonly written: Fields
  readonly path: Path
  readonly when: WhenSpec
  readonly operations: readonly Operation[]
  readonly vocabulary: Vocabulary
}

/** The key at the end of a path is wrong: it does not belong there. */
export function wrongKey(path: Path, message: string): ScenarioMistake {
  return { path, message, key: true }
}

/** What stands behind the key is wrong. */
export function wrongValue(path: Path, message: string): ScenarioMistake {
  return { path, message, key: false }
}
