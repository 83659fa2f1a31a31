/** Errors in rules that the schema cannot find: names that do not exist, parts without effect. */
import { type Operation, patternsOf, type Vocabulary } from '../../protocol/operations.ts'
import type { Plan } from '../../protocol/plan.ts'
import { show } from '../../protocol/wording.ts'
import { faultParts, hasPart, type PartName, parts } from '../compile/parts.ts'
import { answersOf, reachOf, selectedOperations } from '../compile/select.ts'
import { faultNamed, placedFaults, plannedFault } from '../faults/all.ts'
import type { TimelineSpec } from '../format/given.ts'
import type { AnswerSpec } from '../format/rule.ts'
import type { RuleSpec, ScenarioSpec } from '../format/scenario.ts'
import { type FileError, type Path, suggestion, unlessIntended, wrongKey, wrongValue } from './file-error.ts'
import { checkTimeline } from './jobs.ts'
import { checkPer, checkTemplates, checkWhen, requestSchema, type WhenContext } from './when.ts'

/** The names that rules may use. */
type Names = Omit<WhenContext, 'path' | 'endpoints'>

export function* checkRules(scenario: ScenarioSpec, vocabulary: Vocabulary): Generator<FileError> {
  const keys = scenario.keys && Object.keys(scenario.keys)
  const names = { vocabulary, keys, flags: Object.keys(scenario.flags ?? {}) }
  const ids = new Set<string>()
  for (const [index, rule] of (scenario.rules ?? []).entries()) {
    const path = ['rules', index]
    const { id } = rule
    if (id !== undefined && ids.has(id))
      yield wrongValue([...path, 'id'], `another rule has the id ${show(id)}: give each rule a unique id`)
    if (id !== undefined) ids.add(id)
    yield* checkRule(rule, path, names)
  }
}

function* checkRule(rule: RuleSpec, path: Path, names: Names): Generator<FileError> {
  const { vocabulary, flags } = names
  const { when = {}, then } = rule
  const operations = selectedOperations(rule, vocabulary)
  const endpoints = operations.map(({ endpoint }) => endpoint)
  const answers = answersOf(then)
  const isFree = answers.some(({ answer }) => answer.offContract === true)
  const context = { ...names, path: [...path, 'when'], endpoints: isFree ? [] : endpoints }
  const requests = requestSchema(context.endpoints)
  yield* checkWhen(when, context)
  yield* checkPer(when, then, context)
  yield* checkReach(rule, path, operations, vocabulary)
  for (const { answer, path: place } of answers) {
    const here = [...path, 'then', ...place]
    yield* checkParts(answer, here, operations[0])
    for (const kind of new Set(endpoints.flatMap(({ job }) => job?.submits ?? [])))
      if (answer.timeline !== undefined)
        yield* checkTimeline(answer.timeline as TimelineSpec, [...here, 'timeline'], kind, isFree)
    yield* checkTemplates(answer, here, requests)
    for (const name of Object.keys(answer.setFlags ?? {}))
      if (!flags.includes(name))
        yield wrongKey([...here, 'setFlags', name], `there is no such flag${suggestion(name, flags)}`)
  }
}

/** Whether each part of a rule applies to all of its operations. */
function* checkReach(
  { when = {}, then }: RuleSpec,
  path: Path,
  operations: readonly Operation[],
  { all }: Vocabulary,
): Generator<FileError> {
  for (const { path: at, on } of reachOf(when, then)) {
    const idle = operations.filter((operation) => !on(operation))
    if (idle.length === 0 && operations.length > 0) continue
    const names = idle.map(({ endpoint }) => endpoint.operation).join(', ') || 'the operations of this rule'
    yield wrongKey([...path, ...at], `does not apply to ${names}, only to ${patternsOf(on, all).join(', ')}`)
  }
}

function* checkParts(answer: AnswerSpec, path: Path, operation: Operation | undefined): Generator<FileError> {
  for (const { name, excludes = [], why = '' } of parts)
    if (hasPart(answer, name)) yield* conflicts(answer, excludes, path, `\`${name}\`, ${why}`)
  const { status = 200 } = answer.response ?? {}
  if (status >= 300 && answer.offContract !== true)
    yield wrongValue(
      [...path, 'response', 'status'],
      `write \`error: { status: ${status} }\` for the API's error envelope, or ${unlessIntended}`,
    )
  yield* checkFaults(answer, path, operation)
}

function conflicts(answer: AnswerSpec, excluded: readonly PartName[], path: Path, what: string): FileError[] {
  return excluded
    .filter((name) => hasPart(answer, name))
    .map((name) => wrongKey([...path, ...name.split('.')], `conflicts with ${what}`))
}

function* checkFaults(
  answer: AnswerSpec,
  path: Path,
  operation: Operation | undefined,
): Generator<FileError> {
  let rejecting: string | undefined
  for (const { fault, at } of placedFaults(answer.fault)) {
    const { kind, chance = 1 } = fault
    // A fault with a chance does not always happen and excludes nothing.
    if (chance < 1 || operation === undefined) continue
    const plan: Plan = faultNamed(kind)?.plan?.(plannedFault(fault).options, operation) ?? {}
    for (const { plans, excludes = [], why = '' } of faultParts) {
      if (plan[plans] === undefined) continue
      const endsJob = plans === 'reject' && plan.reject?.jobContinues !== true
      const all: readonly PartName[] = endsJob ? [...excludes, 'timeline', 'job'] : excludes
      yield* conflicts(answer, all, path, `the fault ${kind}, ${why}`)
    }
    if (plan.reject === undefined) continue
    if (rejecting !== undefined)
      yield wrongValue(
        [...path, 'fault', ...at],
        `${kind}: ${rejecting} already rejects the request: keep one fault, or put both into a \`sequence\``,
      )
    rejecting = kind
  }
}
