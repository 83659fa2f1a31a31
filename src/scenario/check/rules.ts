/** Errors in rules that the schema cannot find: names that do not exist, parts without effect. */
import type { Vocabulary } from '../../protocol/operations.ts'
import { show } from '../../protocol/wording.ts'
import { answersOf, reachOfThen, selectedOperations } from '../compile/select.ts'
import type { TimelineSpec } from '../format/given.ts'
import type { ThenSpec } from '../format/rule.ts'
import type { RuleSpec, ScenarioSpec } from '../format/scenario.ts'
import { type FileError, type Path, suggestion, wrongKey, wrongValue } from './finding.ts'
import { checkTimeline } from './jobs.ts'
import { checkParts } from './parts.ts'
import { checkTemplates, requestSchema } from './request-schema.ts'
import { checkPer, checkWhen } from './when.ts'

export interface RuleContext {
  readonly vocabulary: Vocabulary
  /** The API keys of the scenario; undefined when every key is valid. */
  readonly keys: readonly string[] | undefined
}

export function* checkRules(scenario: ScenarioSpec, context: RuleContext): Generator<FileError> {
  const flags = Object.keys(scenario.flags ?? {})
  const ids = new Set<string>()
  for (const [index, rule] of (scenario.rules ?? []).entries()) {
    const path = ['rules', index]
    const { id } = rule
    if (id !== undefined && ids.has(id))
      yield wrongValue([...path, 'id'], `another rule has the id ${show(id)}: give each rule a unique id`)
    if (id !== undefined) ids.add(id)
    yield* checkRule(rule, path, flags, context)
  }
}

function* checkRule(
  { when = {}, then }: RuleSpec,
  path: Path,
  flags: readonly string[],
  { vocabulary, keys }: RuleContext,
): Generator<FileError> {
  const selected = selectedOperations(when, then, vocabulary)
  const operations = selected.flatMap((id) => vocabulary.operation(id) ?? [])
  const endpoints = operations.map(({ endpoint }) => endpoint)
  const answers = answersOf(then)
  const isFree = answers.some(({ answer }) => answer.offContract === true)
  const around = { path: [...path, 'when'], endpoints: isFree ? [] : endpoints, vocabulary, flags, keys }
  const requests = requestSchema(around.endpoints)
  yield* checkWhen(when, around)
  yield* checkPer(when, then, around)
  yield* checkReach(then, path, selected, vocabulary)
  for (const { answer, path: place } of answers) {
    const here = [...path, 'then', ...place]
    yield* checkParts(answer, here, operations[0])
    for (const kind of new Set(endpoints.flatMap(({ submits }) => submits ?? [])))
      if (answer.timeline !== undefined)
        yield* checkTimeline(answer.timeline as TimelineSpec, [...here, 'timeline'], kind, isFree)
    yield* checkTemplates(answer, here, requests)
    for (const name of Object.keys(answer.setFlags ?? {}))
      if (!flags.includes(name))
        yield wrongKey([...here, 'setFlags', name], `there is no such flag${suggestion(name, flags)}`)
  }
}

/** Whether each part of a response acts on the operations of its rule. */
function* checkReach(
  then: ThenSpec,
  path: Path,
  operations: readonly string[],
  vocabulary: Vocabulary,
): Generator<FileError> {
  const reaches = [...reachOfThen(then, vocabulary)]
  for (const { path: at, on, where } of reaches) {
    const idle = operations.filter((operation) => !on(operation))
    if (idle.length > 0 || operations.length === 0)
      yield wrongKey(
        [...path, 'then', ...at],
        `does not apply to ${idle.join(', ') || 'the operations of this rule'}, only to ${where()}`,
      )
  }
  if (operations.length === 0 && reaches.length === 0)
    yield wrongValue([...path, 'when'], 'no operation of this rule refers to a job')
}
