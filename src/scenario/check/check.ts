/**
 * Everything that is wrong with a scenario, at once: words that do not exist, values that cannot be, rules
 * that could never act.
 */
import type * as z from 'zod'
import { maxMistakes, mistakesIn } from '../../protocol/mistakes.ts'
import { nearestWord } from '../../protocol/nearest-word.ts'
import { canSubmit, type Vocabulary } from '../../protocol/operations.ts'
import { scriptItems } from '../format/stream.ts'
import { thenSchema } from '../format/then.ts'
import { entryWords } from '../format/timeline.ts'
import { whenSchema } from '../format/when.ts'
import type { Account } from '../load/compose.ts'
import type { WrittenRule, WrittenTimeline } from '../written.ts'
import { checkTimeline } from './answer.ts'
import { freeOperations } from './free-operations.ts'
import { type CheckedRule, checkRules } from './rules.ts'
import type { ScenarioMistake } from './shape.ts'
import { checkSteps } from './steps.ts'
import { matchesOperation } from './support.ts'
import { wellFormedThen, wellFormedWhen } from './well-formed.ts'

type Path = readonly PropertyKey[]
type Fields = Readonly<Record<string, unknown>>

/** Words of a refusal that are often written without it. */
const errorWords: readonly unknown[] = ['status', 'code', 'type', 'param', 'retryAfter', 'message']

const stepWords = ['call', 'fetch', 'advance', 'parallel'] as const

/**
 * The mistakes of a scenario in the order they were found; empty when it can be used. `schema` is
 * `scenarioSchema(vocabulary)`.
 */
export function checkScenario(value: unknown, schema: z.ZodType, vocabulary: Vocabulary): ScenarioMistake[] {
  const ruleKeys = () => ({
    when: Object.keys(whenSchema(vocabulary.operations).shape),
    then: Object.keys(thenSchema(vocabulary.kinds).shape),
  })
  const issues = (schema.safeParse(value).error?.issues ?? []).filter(
    ({ path }) => !isMeant(value, path) && !isOfKind(value, path, vocabulary),
  )
  const wrong = mistakesIn(issues, schema, value)
  const said: { readonly path: Path; readonly message: string; readonly key: boolean }[] = wrong.map(
    ({ path, field, message, key, unknown }) => ({
      path,
      key,
      message:
        sdkName(value, path, vocabulary) ??
        (unknown
          ? `unknown key ${JSON.stringify(path.at(-1))}: ${placeOf(path, ruleKeys) ?? message}`
          : field === ''
            ? message
            : `${lastOf(field)}: ${message}`),
    }),
  )
  const unkeyed = [...firstOf(keyMistakes(value), maxMistakes)]
  const found: ScenarioMistake[] = [
    ...unkeyed.map(({ mistake }) => mistake),
    ...said.filter(
      ({ path }) => !unkeyed.some(({ item }) => startsWith(path, item)) && !isMeant(value, path),
    ),
  ]
  // Of which parts can be used nothing is known where mistakes were left out.
  if (
    wrong.length > maxMistakes ||
    unkeyed.length === maxMistakes ||
    value === null ||
    typeof value !== 'object' ||
    Array.isArray(value)
  )
    return found
  const clean = (path: Path): boolean => !found.some(({ path: at }) => startsWith(at, path))

  const scenario = value as Fields
  const states =
    isFields(scenario['states']) && clean(['states'])
      ? (scenario['states'] as Readonly<Record<string, string>>)
      : {}
  const wrongAt = (path: Path): Path[] =>
    found.flatMap(({ path: at }) => (startsWith(at, path) ? [at.slice(path.length)] : []))
  const rules = listOf(scenario['rules']).flatMap((rule, index) =>
    isFields(rule) ? [checkable(rule, ['rules', index], wrongAt, vocabulary)] : [],
  )
  found.push(...checkRules(rules, states, vocabulary, accountOf(scenario)))
  const { clock } = scenario
  if (
    isFields(clock) &&
    clock['mode'] !== undefined &&
    clock['mode'] !== 'real' &&
    clock['speed'] !== undefined
  )
    found.push({
      path: ['clock', 'speed'],
      message: `says how fast a real clock runs, and this one is ${String(clock['mode'])}: leave it out`,
      key: true,
    })
  found.push(...checkGiven(scenario['given'], vocabulary, keysOf(scenario), clean))
  found.push(
    ...checkSteps(listOf(scenario['steps']), ['steps'], {
      keys: keysOf(scenario),
      endpoint: vocabulary.endpoint,
      free: freeOperations(scenario),
      clean,
    }),
  )
  return found
}

/** A rule as far as its words are right. */
function checkable(
  rule: Fields,
  path: Path,
  wrongAt: (path: Path) => Path[],
  { operations }: Vocabulary,
): CheckedRule {
  const { when = {}, then } = rule
  const asked = isFields(when) ? wellFormedWhen(when, wrongAt([...path, 'when']), operations) : undefined
  const wrong = wrongAt([...path, 'then'])
  const told =
    isFields(then) && !wrong.some(({ length }) => length === 0) ? wellFormedThen(then, wrong) : undefined
  const written = { ...rule, when: asked?.when ?? {}, then: told ?? {} } as unknown as WrittenRule
  return {
    rule: written,
    path,
    when: asked !== undefined,
    then: told !== undefined,
    operationKnown: asked?.operationKnown ?? false,
  }
}

function* checkGiven(
  given: unknown,
  { kinds }: Vocabulary,
  keys: readonly string[] | undefined,
  clean: (path: Path) => boolean,
): Generator<ScenarioMistake> {
  if (!isFields(given)) return
  for (const kind of kinds) {
    const ids = new Set<unknown>()
    for (const [index, one] of listOf(given[kind.name]).entries()) {
      const path = ['given', kind.name, index]
      if (!isFields(one)) continue
      if (one['id'] !== undefined && ids.has(one['id']))
        yield {
          path: [...path, 'id'],
          message: `another of the ${kind.name} has the id ${JSON.stringify(one['id'])} too`,
          key: false,
        }
      ids.add(one['id'])
      if (typeof one['key'] === 'string' && keys !== undefined && !keys.includes(one['key']))
        yield {
          path: [...path, 'key'],
          message: `the account has no key ${JSON.stringify(one['key'])}: expected one of ${keys.join(', ')}`,
          key: false,
        }
      // What the beginning of its timeline says hides what stands beside it.
      const [begins] = listOf(one['timeline'])
      if (isFields(begins) && (begins['at'] === 0 || begins['at'] === '0s'))
        for (const name of Object.keys(begins))
          if (name !== 'at' && Object.hasOwn(one, name))
            yield {
              path: [...path, name],
              message: `is never seen: the timeline begins with its own ${name}`,
              key: true,
            }
      if (Array.isArray(one['timeline']) && clean([...path, 'timeline']))
        yield* checkTimeline(
          one['timeline'] as unknown as WrittenTimeline,
          [...path, 'timeline'],
          kind,
          one['offContract'] === true,
        )
    }
  }
}

function* firstOf<T>(items: Iterable<T>, most: number): Generator<T> {
  let count = 0
  for (const item of items) {
    if (count++ === most) return
    yield item
  }
}

/** An operation in the words of an SDK, with ours. */
function sdkName(value: unknown, path: Path, { all }: Vocabulary): string | undefined {
  if (!path.includes('operation') && path.at(-1) !== 'call') return undefined
  let at = value
  for (const part of path)
    at = isFields(at) || Array.isArray(at) ? (at as Record<PropertyKey, unknown>)[part] : undefined
  if (typeof at !== 'string') return undefined
  for (const { endpoint } of all) {
    const { operation, sdkNames = {} } = endpoint
    if (Object.hasOwn(sdkNames, at))
      return `unknown operation ${JSON.stringify(at)}, as SDKs have it; did you mean ${operation}${sdkNames[at]}?`
  }
  return undefined
}

/**
 * Where a key of a rule belongs that stands beside `when` and `then`, or in an answer and not in its `error`.
 */
function placeOf(
  [list, index, key, ...more]: Path,
  known: () => { readonly when: readonly string[]; readonly then: readonly string[] },
): string | undefined {
  const last = more.at(-1)
  if (
    list === 'rules' &&
    key === 'then' &&
    errorWords.includes(last) &&
    ['then', 'sequence', 'weighted'].includes(
      String([key, ...more].filter((part) => typeof part !== 'number').at(-2)),
    )
  )
    return `it belongs into an error: \`error: { ${String(last)}: … }\``
  if (list !== 'rules' || typeof index !== 'number' || typeof key !== 'string' || more.length > 0)
    return undefined
  const { when, then } = known()
  return when.includes(key)
    ? 'it belongs under `when`'
    : then.includes(key)
      ? 'it belongs under `then`'
      : undefined
}

/** An item of a list whose one key is missing or one too many. */
interface Unkeyed {
  readonly item: Path
  readonly mistake: ScenarioMistake
}

/**
 * Steps and script items are told apart by their one key: without it, or with two of them, nothing else can
 * be said.
 */
function* keyMistakes(value: unknown): Generator<Unkeyed> {
  if (!isFields(value)) return
  yield* stepKeys(value['steps'], ['steps'])
  const items = Object.keys(scriptItems())
  for (const [index, rule] of listOf(value['rules']).entries()) {
    if (isFields(rule))
      for (const { script, path } of scriptsIn(rule['then'], ['rules', index, 'then']))
        for (const [at, item] of script.entries()) yield* oneKey(item, [...path, at], items)
  }
}

function* stepKeys(steps: unknown, path: Path): Generator<Unkeyed> {
  for (const [index, step] of listOf(steps).entries()) {
    yield* oneKey(step, [...path, index], stepWords)
    if (isFields(step)) yield* stepKeys(step['parallel'], [...path, index, 'parallel'])
  }
}

function* oneKey(value: unknown, item: Path, words: readonly string[]): Generator<Unkeyed> {
  if (!isFields(value)) return
  const there = words.filter((word) => Object.hasOwn(value, word))
  if (there.length === 1) return
  const [first, second] = there
  if (first !== undefined)
    yield {
      item,
      mistake: {
        path: [...item, second as string],
        message: `stands beside \`${first}\`: each of them needs an item of its own`,
        key: true,
      },
    }
  else {
    const written = Object.keys(value).find((key) => nearestWord(key, words) !== undefined)
    const hint =
      written === undefined
        ? ''
        : `unknown key ${JSON.stringify(written)}: did you mean ${nearestWord(written, words)}? `
    yield {
      item,
      mistake: {
        path: written === undefined ? item : [...item, written],
        message: `${hint}Expected one of the keys ${words.join(', ')}`,
        key: written !== undefined,
      },
    }
  }
}

function* scriptsIn(
  value: unknown,
  path: Path,
): Generator<{ readonly script: readonly unknown[]; readonly path: Path }> {
  if (!isFields(value)) return
  const { stream, sequence, weighted } = value as { stream?: unknown; sequence?: unknown; weighted?: unknown }
  if (isFields(stream)) yield { script: listOf(stream['script']), path: [...path, 'stream', 'script'] }
  for (const [index, answer] of listOf(sequence).entries())
    yield* scriptsIn(answer, [...path, 'sequence', index])
  for (const [index, one] of listOf(weighted).entries())
    if (isFields(one)) yield* scriptsIn(one['then'], [...path, 'weighted', index, 'then'])
}

/** What is marked `offContract` may say of a timeline whatever it likes. */
function isMeant(value: unknown, path: Path): boolean {
  const at = path.indexOf('timeline')
  if (at < 0 || path.length < at + 3) return false
  if (path[at + 2] === 'at' || path[at + 2] === 'unset' || path[at + 2] === 'gone') return false
  let owner: unknown = value
  for (const part of path.slice(0, at))
    owner =
      isFields(owner) || Array.isArray(owner) ? (owner as Record<PropertyKey, unknown>)[part] : undefined
  return isFields(owner) && owner['offContract'] === true
}

/** What can be read of the account, mistakes and all. */
function accountOf({ account }: Fields): Account {
  const { keys, models } = isFields(account) ? account : {}
  return {
    ...(isFields(keys) ? { keys: keys as NonNullable<Account['keys']> } : {}),
    ...(isFields(models) ? { models } : {}),
  }
}

/**
 * A plain value of a timeline whose rule says what it makes: it is held against that kind alone, whose words
 * are fewer.
 */
function isOfKind(value: unknown, path: Path, { all }: Vocabulary): boolean {
  const [list, index] = path
  const at = path.indexOf('timeline')
  if (
    list !== 'rules' ||
    at < 0 ||
    path.length !== at + 3 ||
    entryWords.some((word) => word === path[at + 2])
  )
    return false
  let written: unknown = value
  for (const part of path)
    written =
      isFields(written) || Array.isArray(written)
        ? (written as Record<PropertyKey, unknown>)[part]
        : undefined
  if (
    written === undefined ||
    (written !== null && typeof written === 'object') ||
    (typeof written === 'string' && written.includes('${'))
  )
    return false
  const rule = listOf((value as Fields)['rules'])[index as number]
  const when = isFields(rule) && isFields(rule['when']) ? rule['when']['operation'] : undefined
  const patterns = [when].flat()
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

function keysOf(scenario: Fields): readonly string[] | undefined {
  const { account } = scenario as { account?: unknown }
  const keys = isFields(account) ? account['keys'] : undefined
  return isFields(keys) ? Object.keys(keys) : undefined
}

// The line says the rest.
function lastOf(field: string): string {
  return field.split('.').slice(-2).join('.')
}

function startsWith(path: Path, front: Path): boolean {
  return front.length <= path.length && front.every((part, index) => part === path[index])
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : []
}

function isFields(value: unknown): value is Fields {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}
