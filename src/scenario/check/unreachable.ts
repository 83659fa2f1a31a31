/**
 * Answers that no call of their rule can ever get because of its `when`: a broken stream for calls without
 * streaming.
 */

import { isFields } from '../../engine/fields.ts'
import type { Operation, Vocabulary } from '../../protocol/operations.ts'
import { meets } from '../compile/match-shape.ts'
import { answersOf, scriptsOf } from '../compile/select.ts'
import { faultNamed, faultsOf, placedFaults, plannedFault } from '../faults/all.ts'
import type { AnswerSpec, WhenSpec } from '../format/rule.ts'
import type { RuleSpec } from '../format/scenario.ts'
import { fieldsOf, formsOf } from './forms.ts'
import { type Path, type ScenarioMistake, wrongKey, wrongValue } from './mistake.ts'
import { eventPath } from './patch.ts'

/** `operations` are those of the rule. */
export function* checkUnreachable(
  { when = {}, then }: RuleSpec,
  path: Path,
  operations: readonly string[],
  vocabulary: Vocabulary,
): Generator<ScenarioMistake> {
  if (operations.length === 0) return
  const answers = answersOf(then)
  const off = answers.some(({ answer }) => answer.offContract === true)
  const streams = operations.every((operation) => vocabulary.endpoint(operation)?.event !== undefined)
    ? streamsOf(when)
    : undefined
  for (const { answer, path: at } of answers) {
    const here = [...path, 'then', ...at]
    if (!off) yield* checkStopSequence(answer, when, here, operations, vocabulary)
    if (streams === false) yield* inNoStream(answer, here)
    if (streams === true) yield* inStreams(answer, here, operations, vocabulary)
  }
}

/** Whether calls that meet `when` ask for a stream; undefined when some may and some may not. */
function streamsOf({ body }: WhenSpec): boolean | undefined {
  if (!isFields(body) || body['stream'] === undefined) return undefined
  const like = (value: unknown): boolean => meets(body['stream'], value, { texts: true })
  if (!like(true)) return false
  return like(false) || like(undefined) || like(null) ? undefined : true
}

/** An API that names the stop sequence needs one: the script says it, or the call asks for some. */
function* checkStopSequence(
  answer: AnswerSpec,
  { body }: WhenSpec,
  path: Path,
  operations: readonly string[],
  { endpoint }: Vocabulary,
): Generator<ScenarioMistake> {
  const asked = isFields(body) ? body['stop_sequences'] : undefined
  if (asked !== undefined && !meets(asked, undefined)) return
  const naming = operations.find((id) => {
    const schema = endpoint(id)?.body
    return schema !== undefined && fieldsOf(formsOf(schema))?.has('stop_sequences') === true
  })
  if (naming === undefined) return
  const mistake = (...at: readonly (string | number)[]): ScenarioMistake =>
    wrongValue(
      [...path, ...at],
      `names no stop sequence, and ${naming} says which one it was: write it into a script, as ` +
        '`finish: { stop_sequence: END }`, or select calls with `body: { stop_sequences: { exists: true } }`',
    )
  for (const [index, { finish }] of (answer.choices ?? []).entries())
    if (finish === 'stop_sequence') yield mistake('choices', index, 'finish')
  for (const { script, path: at } of scriptsOf(answer))
    for (const [index, item] of script.entries())
      if ('finish' in item && item.finish === 'stop_sequence') yield mistake(...at, index, 'finish')
}

function* inNoStream(answer: AnswerSpec, path: Path): Generator<ScenarioMistake> {
  const { fault, stream } = answer
  const why = 'and `when.body.stream` selects calls without streaming'
  for (const { fault: one, at } of placedFaults(fault))
    if (faultNamed(one.kind)?.part === 'stream')
      yield wrongValue([...path, 'fault', ...at], `${one.kind}: acts on streams, ${why}`)
  for (const name of ['firstAfter', 'every', 'tokensPerSecond', 'jitter', 'frames'] as const)
    if (stream?.[name] !== undefined)
      yield wrongKey([...path, 'stream', name], `acts on streams, ${why}: \`delay\` acts on every call`)
  for (const { script, path: at } of scriptsOf(answer))
    for (const [index, item] of script.entries())
      if ('fault' in item) yield wrongValue([...path, ...at, index], `acts on streams, ${why}`)
}

function* inStreams(
  answer: AnswerSpec,
  path: Path,
  operations: readonly string[],
  vocabulary: Vocabulary,
): Generator<ScenarioMistake> {
  const operation = vocabulary.operation(operations[0] as string) as Operation
  // A refusal or a whole reply is never a stream, whatever the call asks for.
  if (!answersItself(answer, operation)) return
  const why = '`when.body.stream` selects calls with streaming'
  for (const { fault, at } of placedFaults(answer.fault)) {
    const { kind, onlyJson } = faultNamed(fault.kind) ?? {}
    if (onlyJson !== undefined)
      yield wrongValue([...path, 'fault', ...at], `${kind}: acts on JSON bodies, and ${why} (${onlyJson})`)
  }
  const written = [
    ...Object.keys(answer.patch ?? {}).map((field) => ({ field, at: ['patch', field], key: true })),
    ...(answer.unset ?? []).map((field, index) => ({ field, at: ['unset', index], key: false })),
  ]
  for (const { field, at, key } of written)
    if (answer.offContract !== true && !operations.some((id) => eventPath(id, field, vocabulary)))
      yield {
        path: [...path, ...at],
        message:
          `no event of ${operations.join(', ')} has ${field}, and ${why}: write \`text\` or ` +
          '`stream.script`',
        key,
      }
}

function answersItself({ error, reply, fault }: AnswerSpec, operation: Operation): boolean {
  return (
    error === undefined &&
    reply === undefined &&
    !faultsOf(fault).some(
      (one) => faultNamed(one.kind)?.plan?.(plannedFault(one).options, operation).refuse !== undefined,
    )
  )
}
