/** Errors in rules that the schema cannot find: parts that have no effect, or that exclude each other. */

import type * as z from 'zod'
import { defined, type Fields, isFields } from '../../engine/fields.ts'
import { safeParse } from '../../protocol/expected-values.ts'
import { nearestWord } from '../../protocol/nearest-word.ts'
import type { Vocabulary } from '../../protocol/operations.ts'
import { clip, show, valueAt } from '../../protocol/wording.ts'
import { answersOf, looksAtJob, reachOfThen, selectedOperations } from '../compile/select.ts'
import { type RuleSpec, ruleSchemaOf } from '../format/scenario.ts'
import { checkAnswer } from './answer.ts'
import { checkUnreachable } from './conflicts.ts'
import { type FileError, type Path, wrongKey, wrongValue } from './forms.ts'
import type { Against } from './instead.ts'
import { checkTemplates } from './steps.ts'
import { checkAbsent, checkPer, checkWhen, unknownFlag, type WhenContext } from './when.ts'

export interface RuleContext {
  readonly vocabulary: Vocabulary
  readonly flags: Readonly<Record<string, string>>
  /** The API keys of the scenario; undefined when every key is valid. */
  readonly keys: readonly string[] | undefined
  /** Whether functions may set other flags. */
  readonly asking: boolean
}

export function* checkRules(
  rules: readonly ReadableRule[],
  { flags, vocabulary, keys, asking }: RuleContext,
): Generator<FileError> {
  const values = asking ? anyValues(flags) : flagValues(rules, flags)
  const ids = new Set<string>()
  for (const readable of rules) {
    const { rule, path, operationKnown } = readable
    if (rule.id !== undefined && ids.has(rule.id))
      yield wrongValue(
        [...path, 'id'],
        `another rule has the id ${show(rule.id)}: give each rule a unique id`,
      )
    if (rule.id !== undefined) ids.add(rule.id)
    const selected = operationKnown ? selectedOperations(rule.when, rule.then, vocabulary) : []
    const operations = selected.flatMap((id) => vocabulary.operation(id) ?? [])
    const endpoints = operations.map(({ endpoint }) => endpoint)
    const answers = answersOf(rule.then)
    if (rule.when !== undefined) {
      const offContract = answers.some(({ answer }) => answer.offContract === true)
      const around = { path: [...path, 'when'], endpoints, vocabulary, offContract, flags: values, keys }
      yield* checkWhen(rule.when, around)
      yield* checkAbsent(rule.when, around)
      yield* checkPer(rule.when, rule.then, around)
    }
    if (operationKnown) yield* checkReach(rule, path, selected, vocabulary)
    for (const { answer, path: place } of answers) {
      const at = [...path, 'then', ...place]
      const own = valueAt(readable.written, ['then', ...place])
      const { when = {} } = rule
      const written = isFields(own) ? own : {}
      const placed = { answer, written, path: at, when, operations, vocabulary }
      yield* checkUnreachable(placed)
      yield* checkAnswer(placed)
      yield* checkTemplates(answer, at, answer.offContract === true ? [] : endpoints)
      for (const name of Object.keys(answer.setFlags ?? {}))
        if (!values.has(name)) yield wrongKey([...at, 'setFlags', name], unknownFlag(name, values))
    }
  }
}

/** Whether each part of a response acts on the operations of its rule. */
function* checkReach(
  { when, then }: RuleSpec,
  path: Path,
  operations: readonly string[],
  vocabulary: Vocabulary,
): Generator<FileError> {
  const reaches = [...reachOfThen(then, vocabulary)]
  const written = clip(JSON.stringify(when?.operation) ?? '', 200)
  for (const { path: at, on, where } of reaches) {
    const idle = operations.filter((operation) => !on(operation))
    if (idle.length === 0 && operations.length > 0) continue
    const without = idle.length > 0 ? idle.join(', ') : 'the operations of this rule'
    yield wrongKey([...path, 'then', ...at], `does not apply to ${without}, only to ${where()}`)
  }
  if (operations.length === 0 && reaches.length === 0)
    yield wrongValue(
      [...path, 'when'],
      looksAtJob(when)
        ? `no operation that matches ${written} refers to a job, which \`job\` and \`per: job\` require`
        : `no operation matches ${written}`,
    )
}

/** The possible values of each flag: its initial one, and those that rules set. */
function flagValues(
  rules: readonly ReadableRule[],
  flags: Readonly<Record<string, string>>,
): WhenContext['flags'] {
  const values = new Map(Object.entries(flags).map(([name, first]) => [name, new Set([first])]))
  for (const { rule } of rules)
    for (const { answer } of answersOf(rule.then))
      for (const [name, value] of Object.entries(answer.setFlags ?? {})) values.get(name)?.add(value)
  return values
}

function anyValues(flags: Readonly<Record<string, string>>): WhenContext['flags'] {
  return new Map(Object.keys(flags).map((name) => [name, 'any']))
}

/** A rule without its errors; a `when` or `then` that cannot be read at all is empty. */
export interface ReadableRule {
  readonly rule: RuleSpec
  /** The same as written. */
  readonly written: Fields
  readonly path: Path
  readonly operationKnown: boolean
}

/** `parsed` is the rule if the whole scenario is valid. */
export function readableRule(
  written: Fields,
  parsed: RuleSpec | undefined,
  path: Path,
  { schema, vocabulary }: Against,
): ReadableRule {
  if (parsed !== undefined) return { rule: parsed, written, path, operationKnown: true }
  const { id, when = {}, then } = written
  const { shape } = ruleSchemaOf(schema)
  const asked = readable(shape.when.unwrap(), isFields(when) ? withOperations(when, vocabulary) : when)
  return {
    rule: {
      ...(typeof id === 'string' ? { id } : {}),
      ...defined({ when: asked }),
      then: readable(shape.then, then) ?? {},
    },
    written,
    path,
    operationKnown: asked !== undefined && 'operation' in asked === (isFields(when) && 'operation' in when),
  }
}

/** The conditions with each misspelt operation replaced by the nearest one, if there is one for each. */
function withOperations(when: Fields, { operations }: Vocabulary): Fields {
  const { operation } = when
  const meant = [operation].flat().map((one) => {
    if (typeof one !== 'string') return undefined
    return one === '*' || one.endsWith('.*') || operations.includes(one) ? one : nearestWord(one, operations)
  })
  return meant.includes(undefined) ? when : { ...when, operation: meant }
}

/** An error inside an error inside an error; deeper ones are found in the next run. */
const maxRounds = 3

/** The value without the fields that its schema rejects; undefined if nothing remains. */
function readable<T>(schema: z.ZodType<T>, value: unknown): T | undefined {
  if (!isFields(value)) return undefined
  const left = structuredClone(value)
  for (let round = 0; round < maxRounds; round++) {
    const { data, error } = safeParse(schema, left)
    if (error === undefined) return data
    for (const issue of error.issues) {
      const keys = issue.code === 'unrecognized_keys' ? issue.keys : undefined
      for (const path of keys?.map((key) => [...issue.path, key]) ?? [issue.path])
        if (!removed(left, path)) return undefined
    }
  }
  return undefined
}

/** Removes the field at a path, or its container: items keep their indexes. False if nothing remains. */
function removed(value: unknown, path: Path): boolean {
  const [name] = path.slice(-1)
  if (name === undefined) return false
  const holder = valueAt(value, path.slice(0, -1))
  if (!isFields(holder) || !Object.hasOwn(holder, name)) return removed(value, path.slice(0, -1))
  // These two may have depended on the invalid part.
  for (const one of [name, 'end', 'job']) delete (holder as Record<PropertyKey, unknown>)[one]
  return true
}
