/** Finds all errors of a scenario: unknown keys, impossible values, rules that have no effect. */
import type * as z from 'zod'
import { type Fields, isFields, lazy, listOf } from '../../engine/fields.ts'
import { parseWritten } from '../../protocol/client-names.ts'
import { firstOf } from '../../protocol/findings.ts'
import { nearestWord } from '../../protocol/nearest-word.ts'
import type { Vocabulary } from '../../protocol/operations.ts'
import { errorsIn } from '../../protocol/value-errors.ts'
import { maxErrors, show, valueAt } from '../../protocol/wording.ts'
import { matchesOperation } from '../compile/select.ts'
import type { ScenarioSchema, ScenarioSpec } from '../format/scenario.ts'
import { scriptItems } from '../format/stream.ts'
import { type FileError, type Path, wrongKey, wrongValue } from './forms.ts'
import { type Against, insteadOfError, insteadOfKey } from './instead.ts'
import { checkGiven } from './patch.ts'
import { checkRules, readableRule } from './rules.ts'
import { checkSteps } from './steps.ts'

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

/** The item around an error that lacks its key or has two of them; its other errors are not reported. */
function unkeyedItem(
  scenario: unknown,
  path: Path,
  against: Against,
): { readonly item: Path; readonly error: FileError } | undefined {
  const at = path.findLastIndex(
    (part, index) => Object.hasOwn(keyed(), part) && typeof path[index + 1] === 'number',
  )
  const item = path.slice(0, at + 2)
  const value = valueAt(scenario, item)
  const keys = keyed()[path[at] as string]
  if (keys === undefined || !isFields(value)) return undefined
  const [first, second] = keys.filter((key) => Object.hasOwn(value, key))
  if (second !== undefined)
    return {
      item,
      error: wrongKey([...item, second], `conflicts with \`${first}\`: write each as a separate item`),
    }
  return first === undefined ? { item, error: missingKey(scenario, item, keys, against) } : undefined
}

function missingKey(scenario: unknown, item: Path, keys: readonly string[], against: Against): FileError {
  const expected = `Expected one of the keys ${keys.join(', ')}`
  const written = Object.keys(valueAt(scenario, item) as Fields).slice(0, maxSearched)
  for (const key of written) {
    const instead = insteadOfKey(scenario, [...item, key], against)
    if (instead !== undefined) return wrongKey([...item, key], instead.words)
  }
  const misspelt = written.find((key) => nearestWord(key, keys) !== undefined)
  if (misspelt === undefined) return wrongValue(item, expected)
  const hint = `unknown key ${show(misspelt)}: did you mean ${nearestWord(misspelt, keys)}?`
  return wrongKey([...item, misspelt], `${hint} ${expected}`)
}

export interface CheckedScenario {
  /** Empty if the scenario is valid; of very many errors, the first ones. */
  readonly errors: readonly FileError[]
  /** As parsed by zod; undefined when it has errors. */
  readonly spec: ScenarioSpec | undefined
}

/** `schema` is `scenarioSchema(vocabulary)`; `asking` says whether some rules are functions. */
export function checkScenario(
  value: unknown,
  schema: ScenarioSchema,
  vocabulary: Vocabulary,
  asking = false,
): CheckedScenario {
  const { data, error } = parseWritten(schema, value)
  const against = { schema, vocabulary }
  const found = checkFormat(value, error?.issues ?? [], against)
  if (isFields(value)) {
    const more = checkMeaning(value, data, [...found], { ...against, asking })
    found.push(...firstOf(more, maxErrors + 1 - found.length))
  }
  return { errors: found, spec: found.length > 0 ? undefined : data }
}

function checkFormat(value: unknown, issues: readonly z.core.$ZodIssue[], against: Against): FileError[] {
  const unkeyed = new Map<string, FileError>()
  // A key that another word replaces is not also reported as missing.
  const meant: Path[] = []
  const worded = new Set<string>()
  const named = errorsIn(issues, against.schema, value).flatMap((error): FileError[] => {
    const { path, field, message, key, unknown } = error
    const found = unkeyedItem(value, path, against)
    if (found !== undefined) {
      unkeyed.set(JSON.stringify(found.item), found.error)
      return []
    }
    const instead = insteadOfError(value, error, against)
    if (instead?.key !== undefined) meant.push([...path.slice(0, -1), instead.key])
    if (instead !== undefined) {
      // Several issues of one value can have the same message.
      const said = `${JSON.stringify(path)} ${instead.words}`
      if (worded.has(said)) return []
      worded.add(said)
      return [{ path, key, message: instead.words }]
    }
    if (unknown) return [{ path, key, message: `unknown key ${show(String(path.at(-1)))}: ${message}` }]
    if (path.length === 0 && Array.isArray(value)) return [wrongValue(path, listAtTop)]
    return [{ path, key, message, ...(field === '' ? {} : { label: shortened(field) }) }]
  })
  return [
    ...unkeyed.values(),
    ...named.filter(
      ({ path }) =>
        valueAt(value, path) !== undefined ||
        !meant.some((one) => one.length === path.length && startsWith(path, one)),
    ),
  ]
}

const listAtTop = 'expected an object: write `title: …`, and put this list under `rules:`'

/** Errors that the schema cannot find, also in the readable parts of a rejected scenario. */
function* checkMeaning(
  scenario: Fields,
  parsed: ScenarioSpec | undefined,
  found: readonly FileError[],
  { schema, vocabulary, asking }: Against & { readonly asking: boolean },
): Generator<FileError> {
  const wrong = found.map(({ path }) => path)
  const clean = (path: Path): boolean => !wrong.some((at) => startsWith(at, path))
  const { given, rules, flags, steps } = scenario
  const keys = isFields(scenario['keys']) ? Object.keys(scenario['keys']) : undefined
  yield* checkRules(
    listOf(rules).flatMap((rule, index) =>
      isFields(rule)
        ? [readableRule(rule, parsed?.rules?.[index], ['rules', index], { schema, vocabulary })]
        : [],
    ),
    {
      vocabulary,
      flags: isFields(flags) && clean(['flags']) ? (flags as Readonly<Record<string, string>>) : {},
      keys,
      asking,
    },
  )
  yield* checkGiven(given, vocabulary, keys, clean)
  yield* checkSteps(listOf(steps), ['steps'], {
    keys,
    endpoint: vocabulary.endpoint,
    allowedResponse: vocabulary.allowedResponse,
    free: freeOperations(scenario),
    clean,
  })
}

// The line of the file shows the rest.
function shortened(field: string): string {
  return field.split('.').slice(-2).join('.')
}

function startsWith(path: Path, front: Path): boolean {
  return front.length <= path.length && front.every((part, index) => part === path[index])
}

/** Keys of a rule's response that can break the contract. */
const own = ['response', 'patch', 'unset', 'offContract', 'raw', 'fields']

/** Whether an operation is one of them. Takes the scenario as written, including its errors. */
function freeOperations({ rules, given }: Fields): (operation: string) => boolean {
  const patterns: string[] = []
  for (const rule of listOf(rules)) {
    if (!isFields(rule) || !hasKey(rule['then'], own)) continue
    const when = isFields(rule['when']) ? rule['when']['operation'] : undefined
    const named = (Array.isArray(when) ? (when as unknown[]) : [when ?? '*']).filter(
      (one) => typeof one === 'string',
    )
    // A timeline affects every response about its job.
    patterns.push(...(hasKey(rule['then'], ['timeline']) ? named.map(groupOf) : named))
  }
  if (isFields(given))
    for (const [kind, list] of Object.entries(given))
      if (hasKey(list, ['offContract'])) patterns.push(`${kind}.*`)
  return (operation) => patterns.some((pattern) => matchesOperation(pattern, operation))
}

function groupOf(pattern: string): string {
  return pattern === '*' ? pattern : `${pattern.split('.')[0]}.*`
}

function hasKey(value: unknown, words: readonly string[]): boolean {
  if (value === null || typeof value !== 'object') return false
  return Object.entries(value).some(([name, part]) => words.includes(name) || hasKey(part, words))
}
