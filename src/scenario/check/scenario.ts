/**
 * Finds the errors of a scenario: by its schema, with the word that was probably meant; if there are none, by
 * what its parts name and do.
 */
import type * as z from 'zod'
import { type Fields, isFields, lazy } from '../../engine/fields.ts'
import { parseWritten } from '../../protocol/client-names.ts'
import { firstOf, type LocatedError } from '../../protocol/field-errors.ts'
import { nearestWord } from '../../protocol/nearest-word.ts'
import type { Vocabulary } from '../../protocol/operations.ts'
import { errorsIn } from '../../protocol/value-errors.ts'
import { maxErrors, show, valueAt } from '../../protocol/wording.ts'
import type { ScenarioSchema, ScenarioSpec } from '../format/scenario.ts'
import { scriptItems } from '../format/stream.ts'
import { dryRun } from './dry-run.ts'
import { type FileError, type Path, wrongKey, wrongValue } from './file-error.ts'
import { checkGiven } from './jobs.ts'
import { checkRules } from './rules.ts'
import { checkSteps } from './steps.ts'

interface CheckedScenario {
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

/** Lists whose items have one distinguishing key, and these keys. */
const keyed = lazy(
  (): Readonly<Record<string, readonly string[]>> => ({
    steps: ['call', 'fetch', 'advance'],
    script: Object.keys(scriptItems()),
  }),
)

/** How many keys of an item are compared with the valid ones. */
const maxSearched = 20

function formatErrors(
  value: unknown,
  issues: readonly z.core.$ZodIssue[],
  schema: ScenarioSchema,
): FileError[] {
  if (Array.isArray(value))
    return [wrongValue([], 'expected an object: write `title: …`, and put this list under `rules:`')]
  const found = new Map<string, FileError>()
  for (const error of errorsIn(issues, schema, value)) {
    const one = unkeyedItem(value, error.path) ?? fileError(error)
    found.set(JSON.stringify([one.path, one.message]), one)
  }
  return [...found.values()]
}

function fileError({ path, field, message, key, unknown }: LocatedError): FileError {
  if (unknown === true) return wrongKey(path, message)
  // The line of the file shows the rest.
  const label = field === '' ? undefined : field.split('.').slice(-2).join('.')
  return { path, key, message, label }
}

/** The error of an item that lacks its distinguishing key or has two of them; others follow from it. */
function unkeyedItem(scenario: unknown, path: Path): FileError | undefined {
  const at = path.findLastIndex(
    (part, index) => Object.hasOwn(keyed(), part) && typeof path[index + 1] === 'number',
  )
  const item = path.slice(0, at + 2)
  const value = valueAt(scenario, item)
  const keys = keyed()[path[at] as string]
  if (keys === undefined || !isFields(value)) return undefined
  const [first, second] = keys.filter((key) => Object.hasOwn(value, key))
  if (second !== undefined)
    return wrongKey([...item, second], `conflicts with \`${first}\`: write each as a separate item`)
  return first === undefined ? withoutKey(value, item, keys) : undefined
}

function withoutKey(value: Fields, item: Path, keys: readonly string[]): FileError {
  for (const key of Object.keys(value).slice(0, maxSearched)) {
    const nearest = nearestWord(key, keys)
    if (nearest !== undefined)
      return wrongKey([...item, key], `unknown key ${show(key)}: did you mean ${nearest}?`)
  }
  return wrongValue(item, `expected one of the keys ${keys.join(', ')}`)
}
