/**
 * Answers that no call of their rule can ever get because of its `when`: a broken stream for calls without
 * streaming.
 */

import { type Fields, isFields, listOf } from '../../engine/fields.ts'
import { isListed } from '../../protocol/auth.ts'
import type { Operation, Vocabulary } from '../../protocol/operations.ts'
import { listed, show } from '../../protocol/wording.ts'
import { meets } from '../compile/match-shape.ts'
import { answersOf, scriptsOf } from '../compile/select.ts'
import type { FaultSpec } from '../faults/all.ts'
import { faultNamed, faultsOf, placedFaults, plannedFault } from '../faults/all.ts'
import type { AnswerSpec, WhenSpec } from '../format/rule.ts'
import type { AccountSpec, RuleSpec } from '../format/scenario.ts'
import { fieldsOf, formsOf } from './forms.ts'
import type { Path, ScenarioMistake } from './mistake.ts'
import { wrongKey, wrongValue } from './mistake.ts'
import { eventPath } from './patch.ts'
import { madeWith } from './when.ts'

/**
 * `operations` are those of the rule; `account` is the valid part of that of its scenario.
 */
export function* checkUnreachable(
  { when = {}, then }: RuleSpec,
  path: Path,
  operations: readonly string[],
  account: AccountSpec,
  vocabulary: Vocabulary,
): Generator<ScenarioMistake> {
  if (operations.length === 0) return
  const off = answersOf(then).some(({ answer }) => answer.offContract === true)
  if (!off) yield* checkAsked(when, path, operations, vocabulary)
  const streams = operations.every((operation) => vocabulary.endpoint(operation)?.event !== undefined)
    ? streamsOf(when)
    : undefined
  for (const { answer, path: at } of answersOf(then)) {
    const here = [...path, 'then', ...at]
    if (!off) yield* checkStopSequence(answer, when, here, operations, vocabulary)
    if (streams === false) yield* inNoStream(answer, here)
    if (streams === true) yield* inStreams(answer, here, operations, vocabulary)
  }
  if (
    typeof when.model === 'string' &&
    answersOf(then).every(({ answer }) =>
      needsService(answer, vocabulary.operation(operations[0] as string) as Operation),
    )
  )
    yield* checkModel(when.model, when, path, operations, account, vocabulary)
}

/** Parts of a request that these operations do not have. */
function* checkAsked(
  when: WhenSpec,
  path: Path,
  operations: readonly string[],
  { endpoint }: Vocabulary,
): Generator<ScenarioMistake> {
  const endpoints = operations.flatMap((operation) => endpoint(operation) ?? [])
  if (endpoints.length === 0) return
  const named = operations.length > 3 ? 'the operations of this rule' : operations.join(', ')
  const take = operations.length === 1 ? 'takes' : 'take'
  const fields = new Map(
    endpoints.flatMap(({ body }) => (body === undefined ? [] : [...(fieldsOf(formsOf(body)) ?? [])])),
  )
  // What carries a signature in its query is read without a key; clients may put a version (`?beta=true`)
  // behind what takes a body.
  for (const name of endpoints.every(({ query }) => query === undefined)
    ? Object.keys(when.query ?? {})
    : []) {
    const reads = endpoints.every(
      ({ method, open }) => open !== true && (method === 'GET' || method === 'DELETE'),
    )
    if (reads) yield wrongKey([...path, 'when', 'query', name], `can never be met: ${named} ${take} no query`)
    else if (fields.has(name))
      yield wrongKey(
        [...path, 'when', 'query', name],
        `can never be met: ${name} is a field of the body, write it under \`body\``,
      )
  }
  if (when.key !== undefined && !meets(when.key, undefined) && endpoints.every(({ open }) => open === true))
    yield wrongKey([...path, 'when', 'key'], `can never be met: ${named} ${take} no key`)
  const anyModel = endpoints.some(
    ({ body, path: written, accepts }) =>
      written.includes('{model}') ||
      (accepts.length > 0 && body === undefined) ||
      (body !== undefined && (fieldsOf(formsOf(body))?.has('model') ?? true)),
  )
  if (when.model !== undefined && !meets(when.model, undefined) && !anyModel)
    yield wrongKey(
      [...path, 'when', 'model'],
      `can never be met: no request of ${named} names a model${madeWith(endpoints, 'model')}`,
    )
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
  for (const {
    fault: { kind },
    at,
  } of placedFaults(fault))
    if (faultNamed(kind)?.part === 'stream')
      yield wrongValue([...path, 'fault', ...at], `${kind}: acts on streams, ${why}`)
  for (const name of ['firstAfter', 'every', 'tokensPerSecond', 'jitter'] as const)
    if (stream?.[name] !== undefined)
      yield wrongKey(
        [...path, 'stream', name],
        `is the pace of a stream, ${why}${name === 'firstAfter' ? ': write `delay`' : ''}`,
      )
  if (stream?.frames !== undefined) yield wrongKey([...path, 'stream', 'frames'], `are a stream, ${why}`)
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

/** A model that the account does not have: the service refuses it before the answer matters. */
function* checkModel(
  model: string,
  when: WhenSpec,
  path: Path,
  operations: readonly string[],
  { keys, models = {} }: AccountSpec,
  { catalog }: Vocabulary,
): Generator<ScenarioMistake> {
  // Reserved models always exist.
  if (model.endsWith('*') || model.startsWith('sim-')) return
  const lacks = (known: unknown): boolean =>
    Array.isArray(known) &&
    !known.some((pattern) => typeof pattern === 'string' && isListed(model, [pattern]))
  const at = [...path, 'when', 'model']
  const catalogs = [...new Set(operations.map(catalog))]
  const catalogModels: Fields = models
  if (catalogs.every((name) => name !== undefined && lacks(catalogModels[name]))) {
    const known = listed(listOf(catalogModels[catalogs[0] as string]).map(String)) || 'nothing'
    const lacking = `\`account.models.${catalogs[0]}\` has ${known}, not ${show(model)}`
    yield wrongValue(at, `the service refuses it (404), so the answer does nothing: ${lacking}`)
    return
  }
  const asked =
    typeof when.key === 'string' && !when.key.endsWith('*')
      ? [when.key]
      : when.key === undefined
        ? Object.keys(keys ?? {})
        : []
  if (
    asked.length > 0 &&
    catalogs.every((name) => name !== undefined) &&
    asked.every((key) => isFields(keys?.[key]) && lacks((keys[key] as { readonly models?: unknown }).models))
  ) {
    const denied = asked.length === 1 ? `the key ${asked[0]} may not` : 'no key of the account may'
    yield wrongValue(at, `the service refuses it (403), so the answer does nothing: ${denied} use it`)
  }
}

/** Whether an answer only changes the service's own. */
function needsService(answer: AnswerSpec, operation: Operation): boolean {
  const { text, choices, stream, patch, unset, upstream, timeline, job, fault } = answer
  if (
    answer.reply !== undefined ||
    (answer.error !== undefined && job === undefined && timeline === undefined)
  )
    return false
  const faults = faultsOf(fault)
  if (!faults.every((one) => changesResult(one, operation))) return false
  return (
    faults.length > 0 ||
    [text, choices, stream, patch, unset, upstream, timeline, job].some((word) => word !== undefined)
  )
}

/** Whether a fault only changes the service's answer, or how its job continues. */
function changesResult(fault: FaultSpec, operation: Operation): boolean {
  const { part, plan } = faultNamed(fault.kind) ?? {}
  if (part === 'stream' || part === 'job') return true
  const planned = plan?.(plannedFault(fault).options, operation)
  return (planned?.answer ?? planned?.job) !== undefined
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
