/**
 * Answers that no call of their rule can ever get because of its `when`: a broken stream for calls without
 * streaming.
 */

import { isFields } from '../../engine/fields.ts'
import type { Operation } from '../../protocol/operations.ts'
import { meets } from '../compile/match-shape.ts'
import { scriptsOf } from '../compile/select.ts'
import { faultNamed, faultsOf, placedFaults, plannedFault } from '../faults/all.ts'
import type { AnswerSpec, WhenSpec } from '../format/rule.ts'
import { fieldsOf, formsOf } from './forms.ts'
import { type PlacedAnswer, type ScenarioMistake, wrongKey, wrongValue } from './mistake.ts'
import { eventPath } from './patch.ts'

export function* checkUnreachable(placed: PlacedAnswer): Generator<ScenarioMistake> {
  const { when, operations } = placed
  if (operations.length === 0) return
  yield* checkStopSequence(placed)
  const streams = operations.every(({ endpoint }) => endpoint.event !== undefined)
    ? streamsOf(when)
    : undefined
  if (streams === false) yield* inNoStream(placed)
  if (streams === true) yield* inStreams(placed)
}

/** Whether calls that meet `when` ask for a stream; undefined when some may and some may not. */
function streamsOf({ body }: WhenSpec): boolean | undefined {
  if (!isFields(body) || body['stream'] === undefined) return undefined
  const like = (value: unknown): boolean => meets(body['stream'], value, { texts: true })
  if (!like(true)) return false
  return like(false) || like(undefined) || like(null) ? undefined : true
}

/** An API that names the stop sequence needs one: the script says it, or the call asks for some. */
function* checkStopSequence({ answer, when, path, operations }: PlacedAnswer): Generator<ScenarioMistake> {
  const asked = isFields(when.body) ? when.body['stop_sequences'] : undefined
  if (answer.offContract === true || (asked !== undefined && !meets(asked, undefined))) return
  const naming = operations.find(
    ({ endpoint: { body } }) => body !== undefined && fieldsOf(formsOf(body))?.has('stop_sequences') === true,
  )?.endpoint.operation
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

function* inNoStream({ answer, path }: PlacedAnswer): Generator<ScenarioMistake> {
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

function* inStreams({ answer, path, operations, vocabulary }: PlacedAnswer): Generator<ScenarioMistake> {
  // A refusal or a whole reply is never a stream, whatever the call asks for.
  if (!answersItself(answer, operations[0] as Operation)) return
  const ids = operations.map(({ endpoint }) => endpoint.operation)
  const why = '`when.body.stream` selects calls with streaming'
  for (const { fault, at } of placedFaults(answer.fault)) {
    const { kind, onlyJson } = faultNamed(fault.kind) ?? {}
    if (onlyJson !== undefined)
      yield wrongValue([...path, 'fault', ...at], `${kind}: acts on JSON bodies, and ${why} (${onlyJson})`)
  }
  const instead = 'write `text` or `stream.script`'
  const written = [
    ...Object.keys(answer.patch ?? {}).map((field) => ({ field, at: ['patch', field], key: true })),
    ...(answer.unset ?? []).map((field, index) => ({ field, at: ['unset', index], key: false })),
  ]
  for (const { field, at, key } of written)
    if (answer.offContract !== true && !ids.some((id) => eventPath(id, field, vocabulary)))
      yield {
        path: [...path, ...at],
        message: `no event of ${ids.join(', ')} has ${field}, and ${why}: ${instead}`,
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
