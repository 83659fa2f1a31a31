/**
 * What is wrong with rules although each of their words is right: things that could never act, or would act
 * against each other.
 */
import * as z from 'zod'
import { nearestWord } from '../../protocol/nearest-word.ts'
import { canSpeak, patternsOf, type Vocabulary } from '../../protocol/operations.ts'
import type { Account } from '../load/compose.ts'
import type { WrittenRule } from '../written.ts'
import { checkAnswer } from './answer.ts'
import { checkCounts } from './counts.ts'
import { checkShape, type ScenarioMistake } from './shape.ts'
import { answersOf, reachOfThen, selectedOperations } from './support.ts'
import { checkTemplates } from './templates.ts'
import { checkIdle } from './unreachable.ts'

type Path = readonly PropertyKey[]

/**
 * A rule without the words that are wrong; of its `when` and `then` nothing is known where the flags say so.
 */
export interface CheckedRule {
  readonly rule: WrittenRule
  readonly path: Path
  readonly when: boolean
  readonly then: boolean
  /** Whether the operations it is about are known. */
  readonly operationKnown: boolean
}

export function* checkRules(
  rules: readonly CheckedRule[],
  states: Readonly<Record<string, string>>,
  vocabulary: Vocabulary,
  account: Account = {},
): Generator<ScenarioMistake> {
  const keys = account.keys === undefined ? undefined : Object.keys(account.keys)
  const ids = new Map<string, Path>()
  for (const { rule: written, path, when, then, operationKnown } of rules) {
    // Of what is not well formed nothing can be said.
    const rule: WrittenRule = then ? written : { ...written, then: {} }
    if (typeof rule.id === 'string') {
      if (ids.has(rule.id))
        yield {
          path: [...path, 'id'],
          message: `another rule is called ${JSON.stringify(rule.id)} too: give each its own name`,
          key: false,
        }
      ids.set(rule.id, path)
    }
    const operations =
      when && operationKnown ? selectedOperations(rule.when?.operation, rule.then, vocabulary) : []
    if (when) yield* checkWhen(rule, path, operations, states, rules, vocabulary, keys)
    if (when && then && operationKnown) {
      yield* checkReach(rule, path, operations, vocabulary)
      yield* checkIdle(rule, path, operations, account, vocabulary)
    }
    if (then) {
      for (const { answer, path: at } of answersOf(rule.then))
        yield* checkAnswer(answer, [...path, 'then', ...at], operations, vocabulary)
      yield* checkThen(rule, path)
      for (const { answer, path: at } of answersOf(rule.then))
        yield* checkTemplates(
          answer,
          [...path, 'then', ...at],
          answer.offContract === true
            ? []
            : operations.flatMap((operation) => vocabulary.endpoint(operation) ?? []),
        )
      for (const { answer, path: at } of answersOf(rule.then)) {
        for (const name of Object.keys(answer.setState ?? {})) {
          if (!Object.hasOwn(states, name))
            yield {
              path: [...path, 'then', ...at, 'setState', name],
              message: unknownState(name, states),
              key: true,
            }
        }
      }
    }
  }
}

function* checkReach(
  { when, then }: WrittenRule,
  path: Path,
  operations: readonly string[],
  vocabulary: Vocabulary,
): Generator<ScenarioMistake> {
  for (const { path: at, on, where } of reachOfThen(then, vocabulary)) {
    const idle = operations.filter((operation) => !on(operation))
    if (idle.length > 0 || operations.length === 0) {
      yield {
        path: [...path, 'then', ...at],
        message: `does nothing in ${idle.length > 0 ? idle.join(', ') : 'the operations of this rule'}: it acts on ${where}`,
        key: true,
      }
    }
  }
  if (operations.length === 0 && [...reachOfThen(then, vocabulary)].length === 0)
    yield {
      path: [...path, 'when'],
      message: `no operation is meant by ${JSON.stringify(when?.operation)}`,
      key: false,
    }
}

/** What a `when` says that no call could ever meet. */
export function* checkWhen(
  { when, then }: WrittenRule,
  path: Path,
  operations: readonly string[],
  states: Readonly<Record<string, string>>,
  rules: readonly CheckedRule[],
  { endpoint, all }: Vocabulary,
  keys?: readonly string[],
): Generator<ScenarioMistake> {
  if (when === undefined) return
  const at = [...path, 'when']
  const endpoints = operations.flatMap((operation) => endpoint(operation) ?? [])
  // A client that sends what the contract does not know can be met by a rule that says so.
  const off = answersOf(then).some(({ answer }) => answer.offContract === true)
  const bodies = endpoints.flatMap(({ body }) => body ?? [])
  if (when.body !== undefined) {
    if (endpoints.length > 0 && endpoints.every(({ accepts }) => accepts.length === 0))
      yield {
        path: [...at, 'body'],
        message: `can never be met: ${operations.join(', ')} take${operations.length === 1 ? 's' : ''} no body`,
        key: true,
      }
    else
      yield* checkShape(when.body, [...at, 'body'], off ? [] : bodies, {
        texts: endpoints.every(({ accepts }) => !accepts.includes('json')),
      })
  }
  const queries: z.ZodType[] = endpoints.flatMap(({ query }) => query ?? [])
  for (const [name, shape] of Object.entries(when.query ?? {}))
    yield* checkShape({ [name]: shape }, [...at, 'query'], off ? [] : queries)
  const params = new Set(
    endpoints.flatMap(({ path: written }) =>
      [...written.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string),
    ),
  )
  for (const [name, shape] of Object.entries(when.path ?? {})) {
    if (!params.has(name) && endpoints.length > 0)
      yield {
        path: [...at, 'path', name],
        message: `no such parameter stands in the paths of ${operations.join(', ')}${params.size === 0 ? '' : `: expected one of ${[...params].join(', ')}`}`,
        key: true,
      }
    yield* checkShape(shape, [...at, 'path', name], [])
  }
  for (const [name, shape] of Object.entries(when.headers ?? {}))
    yield* checkShape(shape, [...at, 'headers', name], [])
  yield* checkCounts(when, at)
  for (const name of ['key', 'model'] as const)
    if (when[name] !== undefined) yield* checkShape(when[name], [...at, name], [])
  if (
    typeof when.key === 'string' &&
    !when.key.endsWith('*') &&
    keys !== undefined &&
    !keys.includes(when.key)
  ) {
    const nearest = nearestWord(when.key, keys)
    yield {
      path: [...at, 'key'],
      message: `can never be met: the account has no key ${JSON.stringify(when.key)}${nearest === undefined ? `, expected one of ${keys.join(', ')}` : `; did you mean ${nearest}?`}`,
      key: false,
    }
  }
  if (when.conversation !== undefined) {
    if (endpoints.length > 0 && !endpoints.some(({ speaks }) => speaks !== undefined))
      yield {
        path: [...at, 'conversation'],
        message: `only ${patternsOf(canSpeak, all).join(' and ')} have conversations`,
        key: true,
      }
    for (const [name, shape] of Object.entries(when.conversation))
      yield* checkShape(
        shape,
        [...at, 'conversation', name],
        name === 'turn'
          ? [z.number()]
          : name === 'lastUser'
            ? [z.string()]
            : [z.union([z.string(), z.boolean()])],
        { texts: false },
      )
  }
  for (const [name, shape] of Object.entries(when.state ?? {})) {
    if (!Object.hasOwn(states, name))
      yield { path: [...at, 'state', name], message: unknownState(name, states), key: true }
    else if (typeof shape === 'string' && !reachable(name, states, rules).has(shape))
      yield {
        path: [...at, 'state', name],
        message: `can never be met: no rule sets ${name} to ${JSON.stringify(shape)}, expected one of ${[...reachable(name, states, rules)].map((value) => JSON.stringify(value)).join(', ')}`,
        key: false,
      }
  }
}

function reachable(
  name: string,
  states: Readonly<Record<string, string>>,
  rules: readonly CheckedRule[],
): ReadonlySet<string> {
  const set = rules.flatMap(({ rule, then }) =>
    then ? answersOf(rule.then).flatMap(({ answer }) => answer.setState?.[name] ?? []) : [],
  )
  return new Set([states[name] as string, ...set])
}

function unknownState(name: string, states: Readonly<Record<string, string>>): string {
  const nearest = nearestWord(name, Object.keys(states))
  return `no state is called ${name}: ${nearest === undefined ? 'name it under `states`, with its first value' : `did you mean ${nearest}?`}`
}

function* checkThen({ then }: WrittenRule, path: Path): Generator<ScenarioMistake> {
  const { sequence, weighted, end, ...own } = then
  const at = [...path, 'then']
  const several = sequence !== undefined ? 'sequence' : weighted !== undefined ? 'weighted' : undefined
  if (sequence !== undefined && weighted !== undefined)
    yield { path: [...at, 'weighted'], message: 'stands beside `sequence`: keep one of them', key: true }
  if (end !== undefined && sequence === undefined)
    yield {
      path: [...at, 'end'],
      message: 'says what comes after a `sequence`, and there is none',
      key: true,
    }
  if (several === undefined) return
  for (const name of Object.keys(own))
    yield { path: [...at, name], message: `stands beside \`${several}\`: put it into its answers`, key: true }
}
