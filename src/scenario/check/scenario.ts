/**
 * Finds all mistakes of a scenario at once: unknown words, impossible values, rules that can never act.
 */
import type * as z from 'zod'
import { type Fields, isFields, listOf, valueAt } from '../../engine/fields.ts'
import { unusableNames } from '../../protocol/client-names.ts'
import { firstOf } from '../../protocol/findings.ts'
import { mistakesIn } from '../../protocol/mistakes.ts'
import { canSubmit, type Vocabulary } from '../../protocol/operations.ts'
import { safeParse } from '../../protocol/safe-parse.ts'
import { maxMistakes } from '../../protocol/told-mistakes.ts'
import { show } from '../../protocol/wording.ts'
import type { AccountSpec, ScenarioSchema, ScenarioSpec } from '../format/scenario.ts'
import { freeOperations } from './free-operations.ts'
import { checkGiven } from './given.ts'
import { type Against, insteadOfKey, insteadOfMistake } from './instead.ts'
import { checkKeys } from './one-key.ts'
import { matchesOperation } from './reach.ts'
import { parseAround, readableRule, timelineField } from './readable.ts'
import { checkRules } from './rules.ts'
import type { ScenarioMistake } from './shape.ts'
import { checkSteps } from './steps.ts'

type Path = readonly PropertyKey[]

/** A scenario that was read. */
export interface CheckedScenario {
  /** Empty when the scenario can be used; of very many the first ones. */
  readonly mistakes: readonly ScenarioMistake[]
  /** As parsed by zod; undefined when it has mistakes. */
  readonly spec: ScenarioSpec | undefined
}

/** `schema` is `scenarioSchema(vocabulary)`; `asking` are the numbers of the rules that are functions. */
export function checkScenario(
  value: unknown,
  schema: ScenarioSchema,
  vocabulary: Vocabulary,
  asking: ReadonlySet<number> = new Set(),
): CheckedScenario {
  const { issues, data } = parseInParts(
    value,
    schema,
    ({ path }) => !isOffContract(value, path) && !isOfKind(value, path, vocabulary),
  )
  const found = checkFormat(value, issues, { schema, vocabulary })
  if (isFields(value))
    found.push(
      ...firstOf(
        checkMeaning(value, data, [...found], { schema, vocabulary, asking }),
        maxMistakes + 1 - found.length,
      ),
    )
  return {
    mistakes: found,
    spec: found.length > 0 ? undefined : (data ?? parseAround(schema, value)),
  }
}

/** How many rules or steps are parsed at a time. */
const partSize = 100

/**
 * What the schema makes of a scenario, and its issues that count. Stops where there are more than are told:
 * an issue costs more than a rule without one.
 */
function parseInParts(
  value: unknown,
  schema: ScenarioSchema,
  counts: (issue: z.core.$ZodIssue) => boolean,
): { readonly issues: readonly z.core.$ZodIssue[]; readonly data: ScenarioSpec | undefined } {
  const issues: z.core.$ZodIssue[] = []
  let whole = true
  const parse = <T>(part: z.ZodType<T>, input: unknown, at: (issue: Path) => Path): T | undefined => {
    const { error, data } = safeParse(part, input)
    whole &&= error === undefined
    for (const issue of error?.issues ?? []) {
      const placed = { ...issue, path: [...at(issue.path)] }
      if (counts(placed)) issues.push(placed)
    }
    return data
  }
  const { rules, steps } = schema.shape
  const lists: Record<string, unknown> = {}
  const others: Record<string, unknown> = {}
  for (const [name, part] of isFields(value) ? Object.entries(value) : [])
    (Array.isArray(part) && (name === 'rules' || name === 'steps') ? lists : others)[name] = part
  const data: Record<string, unknown> = {
    ...parse<ScenarioSpec>(schema, isFields(value) ? others : value, (path) => path),
  }
  for (const [name, list] of Object.entries({ rules: rules.unwrap(), steps: steps.unwrap() })) {
    const items = listOf(lists[name])
    const parsed: unknown[] = []
    for (let from = 0; from < items.length && issues.length <= maxMistakes; from += partSize)
      for (const item of parse<unknown[]>(list, items.slice(from, from + partSize), ([index, ...path]) => [
        name,
        from + (index as number),
        ...path,
      ]) ?? [])
        parsed.push(item)
    if (lists[name] !== undefined) data[name] = parsed
  }
  issues.push(...unusableNames(value, issues))
  return { issues, data: whole && issues.length === 0 ? (data as ScenarioSpec) : undefined }
}

/** Mistakes that the schema finds. */
function checkFormat(
  value: unknown,
  issues: readonly z.core.$ZodIssue[],
  against: Against,
): ScenarioMistake[] {
  const wrong = mistakesIn(issues, against.schema, value)
  const unkeyed = firstOf(
    checkKeys(value, (path) => insteadOfKey(value, path, against)),
    maxMistakes + 1,
  )
  // Where another word stands for a key, the key is not missing as well.
  const meant: Path[] = []
  const named = wrong.flatMap((mistake): ScenarioMistake[] => {
    const { path, field, message, key, unknown } = mistake
    if (unkeyed.some(({ item }) => startsWith(path, item)) || isOffContract(value, path)) return []
    const instead = insteadOfMistake(value, mistake, against)
    if (instead?.key !== undefined) meant.push([...path.slice(0, -1), instead.key])
    const plain =
      path.length === 0 && Array.isArray(value)
        ? listAtTop
        : field === ''
          ? message
          : `${shortened(field)}: ${message}`
    const worded = unknown ? `unknown key ${show(String(path.at(-1)))}: ${message}` : plain
    return [{ path, key, message: instead?.words ?? worded }]
  })
  return [
    ...unkeyed.map(({ mistake }) => mistake),
    ...named.filter(
      ({ path }) =>
        valueAt(value, path) !== undefined ||
        !meant.some((one) => one.length === path.length && startsWith(path, one)),
    ),
  ]
}

const listAtTop = 'expected an object: write `title: …`, and this list under `rules:`'

interface CheckedAgainst extends Against {
  readonly asking: ReadonlySet<number>
}

/** Mistakes that the schema cannot find, also in the readable parts of what it refuses. */
function* checkMeaning(
  scenario: Fields,
  parsed: ScenarioSpec | undefined,
  found: readonly ScenarioMistake[],
  { schema, vocabulary, asking }: CheckedAgainst,
): Generator<ScenarioMistake> {
  const wrong = found.map(({ path }) => path)
  const clean = (path: Path): boolean => !wrong.some((at) => startsWith(at, path))
  const below = (path: Path): Path[] =>
    wrong.flatMap((at) => (startsWith(at, path) ? [at.slice(path.length)] : []))
  const { account, clock, given, rules, states, steps } = scenario
  const keys = isFields(account) && isFields(account['keys']) ? Object.keys(account['keys']) : undefined
  yield* checkRules(
    listOf(rules).flatMap((rule, index) =>
      isFields(rule)
        ? [readableRule(rule, parsed?.rules?.[index], ['rules', index], below, schema, vocabulary)]
        : [],
    ),
    isFields(states) && clean(['states']) ? (states as Readonly<Record<string, string>>) : {},
    vocabulary,
    accountOf(account),
    asking.size > 0,
  )
  yield* checkClock(clock)
  yield* checkGiven(given, vocabulary, keys, clean)
  yield* checkSteps(listOf(steps), ['steps'], {
    keys,
    endpoint: vocabulary.endpoint,
    allowedReply: vocabulary.allowedReply,
    free: freeOperations(scenario),
    clean,
  })
}

function* checkClock(clock: unknown): Generator<ScenarioMistake> {
  if (!isFields(clock) || clock['speed'] === undefined) return
  const { mode } = clock
  if (mode !== undefined && mode !== 'real')
    yield {
      path: ['clock', 'speed'],
      message: `applies only to a real clock, and this one is ${String(mode)}: leave it out`,
      key: true,
    }
}

/** The readable parts of the account. */
function accountOf(account: unknown): AccountSpec {
  const { keys, models } = isFields(account) ? account : {}
  return {
    ...(isFields(keys) ? { keys: keys as NonNullable<AccountSpec['keys']> } : {}),
    ...(isFields(models) ? { models: models as NonNullable<AccountSpec['models']> } : {}),
  }
}

/** Whether a path lies in a timeline that is marked `offContract`, whose fields may hold anything. */
function isOffContract(value: unknown, path: Path): boolean {
  const field = timelineField(path)
  return field !== undefined && valueAt(value, [...field.slice(0, -3), 'offContract']) === true
}

/**
 * Whether a path leads to a plain value of a timeline whose rule names operations: it is checked against
 * their kind alone, which gives shorter messages.
 */
function isOfKind(value: unknown, path: Path, { all }: Vocabulary): boolean {
  const [list, index] = path
  if (list !== 'rules' || timelineField(path)?.length !== path.length) return false
  const written = valueAt(value, path)
  if (written === undefined || (written !== null && typeof written === 'object')) return false
  if (typeof written === 'string' && written.includes('${')) return false
  const patterns = [valueAt(value, ['rules', index as number, 'when', 'operation'])].flat()
  return (
    patterns.length > 0 &&
    patterns.every(
      (pattern) =>
        typeof pattern === 'string' &&
        all.some(
          (operation) => canSubmit(operation) && matchesOperation(pattern, operation.endpoint.operation),
        ),
    )
  )
}

// The line of the file shows the rest.
function shortened(field: string): string {
  return field.split('.').slice(-2).join('.')
}

function startsWith(path: Path, front: Path): boolean {
  return front.length <= path.length && front.every((part, index) => part === path[index])
}
