/** Finds the errors of a scenario: by its schema; if there are none, by what its parts name and do. */

import { parseWritten } from '../../protocol/client-names.ts'
import { firstOf } from '../../protocol/findings.ts'
import type { Vocabulary } from '../../protocol/operations.ts'
import { maxErrors } from '../../protocol/wording.ts'
import type { ScenarioSchema, ScenarioSpec } from '../format/scenario.ts'
import { dryRun } from './dry-run.ts'
import type { FileError } from './finding.ts'
import { formatErrors } from './format.ts'
import { checkGiven } from './jobs.ts'
import { checkRules } from './rules.ts'
import { checkSteps } from './steps.ts'

export interface CheckedScenario {
  /** Empty if the scenario is valid; of very many errors, the first ones. */
  readonly errors: readonly FileError[]
  /** As parsed by zod; undefined when it has errors. */
  readonly spec: ScenarioSpec | undefined
}

/** `schema` is `scenarioSchema(vocabulary)`. `isQuick` skips the dry run of the rules. */
export function checkScenario(
  value: unknown,
  schema: ScenarioSchema,
  vocabulary: Vocabulary,
  { isQuick = false } = {},
): CheckedScenario {
  const { data, error } = parseWritten(schema, value)
  const errors =
    data === undefined
      ? formatErrors(value, error?.issues ?? [], schema)
      : firstOf(errorsOf(data, vocabulary, isQuick), maxErrors + 1)
  return { errors, spec: errors.length > 0 ? undefined : data }
}

function* errorsOf(scenario: ScenarioSpec, vocabulary: Vocabulary, isQuick: boolean): Generator<FileError> {
  const wrongRules = firstOf(checkRules(scenario, vocabulary), maxErrors + 1)
  yield* wrongRules
  yield* checkGiven(scenario, vocabulary)
  yield* checkSteps(scenario.steps ?? [], vocabulary)
  // Rules with errors are not run.
  if (!isQuick && wrongRules.length === 0) yield* dryRun(scenario, vocabulary)
}
