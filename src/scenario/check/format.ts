/** The errors that the schema of a scenario finds, with the word that was probably meant. */
import type * as z from 'zod'
import { type Fields, isFields, lazy } from '../../engine/fields.ts'
import { nearestWord } from '../../protocol/nearest-word.ts'
import { errorsIn, type SettingError } from '../../protocol/value-errors.ts'
import { show, valueAt } from '../../protocol/wording.ts'
import type { ScenarioSchema } from '../format/scenario.ts'
import { scriptItems } from '../format/stream.ts'
import { type FileError, type Path, wrongKey, wrongValue } from './finding.ts'

/** Lists whose items have one distinguishing key, and these keys. */
const keyed = lazy(
  (): Readonly<Record<string, readonly string[]>> => ({
    steps: ['call', 'fetch', 'advance', 'parallel'],
    parallel: ['call', 'fetch', 'advance', 'parallel'],
    script: Object.keys(scriptItems()),
  }),
)

/** How many keys of an item are compared with the valid ones. */
const maxSearched = 20

export function formatErrors(
  value: unknown,
  issues: readonly z.core.$ZodIssue[],
  schema: ScenarioSchema,
): FileError[] {
  if (Array.isArray(value))
    return [wrongValue([], 'expected an object: write `title: …`, and put this list under `rules:`')]
  const found = new Map<string, FileError>()
  for (const error of errorsIn(issues, schema, value)) {
    const one = unkeyedItem(value, error.path) ?? jobFailure(value, error.path) ?? fileError(error)
    found.set(JSON.stringify([one.path, one.message]), one)
  }
  return [...found.values()]
}

function fileError({ path, field, message, key, unknown }: SettingError): FileError {
  if (unknown) return wrongKey(path, `unknown key ${show(String(path.at(-1)))}: ${message}`)
  // The line of the file shows the rest.
  const label = field === '' ? undefined : field.split('.').slice(-2).join('.')
  return { path, key, message, label }
}

/** `trial` calls the failures of jobs `job-fails` and the like; no fault has such a name. */
function jobFailure(scenario: unknown, path: Path): FileError | undefined {
  const written = path.at(-1) === 'fault' ? valueAt(scenario, path) : undefined
  if (typeof written !== 'string' || !written.startsWith('job-')) return undefined
  return wrongValue(path, `${show(written)} is no fault: for a job that fails, write job: { failAt: 50 }`)
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
