/**
 * Answers that no call of their rule can ever get because of its `when`: a broken stream for calls without
 * streaming.
 */
import { type Fields, isFields, listOf } from '../../engine/fields.ts'
import { isListed } from '../../protocol/auth.ts'
import type { Operation, Vocabulary } from '../../protocol/operations.ts'
import { listed, show } from '../../protocol/wording.ts'
import { faultsOf, placedFaults, plannedFault } from '../compile/fault.ts'
import { meets } from '../compile/match-shape.ts'
import { faultNamed } from '../faults/all.ts'
import type { FaultSpec } from '../format/fault.ts'
import type { AccountSpec, RuleSpec } from '../format/scenario.ts'
import type { AnswerSpec } from '../format/then.ts'
import type { WhenSpec } from '../format/when.ts'
import { fieldsOf, formsOf } from './forms.ts'
import { eventPath } from './patch.ts'
import { madeWith } from './per.ts'
import { answersOf } from './reach.ts'
import { scriptsOf } from './script.ts'
import type { ScenarioMistake } from './shape.ts'

type Path = readonly PropertyKey[]

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
    if (reads)
      yield {
        path: [...path, 'when', 'query', name],
        message: `can never be met: ${named} ${take} no query`,
        key: true,
      }
    else if (fields.has(name))
      yield {
        path: [...path, 'when', 'query', name],
        message: `can never be met: ${name} is a field of the body, write it under \`body\``,
        key: true,
      }
  }
  if (when.key !== undefined && !meets(when.key, undefined) && endpoints.every(({ open }) => open === true))
    yield { path: [...path, 'when', 'key'], message: `can never be met: ${named} ${take} no key`, key: true }
  const anyModel = endpoints.some(
    ({ body, path: written, accepts }) =>
      written.includes('{model}') ||
      (accepts.length > 0 && body === undefined) ||
      (body !== undefined && (fieldsOf(formsOf(body))?.has('model') ?? true)),
  )
  if (when.model !== undefined && !meets(when.model, undefined) && !anyModel)
    yield {
      path: [...path, 'when', 'model'],
      message: `can never be met: no request of ${named} names a model${madeWith(endpoints, 'model')}`,
      key: true,
    }
}

/** Whether calls that meet `when` ask for a stream; undefined when some may and some may not. */
function streamsOf({ body }: WhenSpec): boolean | undefined {
  if (!isFields(body) || body['stream'] === undefined) return undefined
  const like = (value: unknown): boolean => meets(body['stream'], value, { texts: true })
  if (!like(true)) return false
  return like(false) || like(undefined) || like(null) ? undefined : true
}

function* inNoStream(answer: AnswerSpec, path: Path): Generator<ScenarioMistake> {
  const { fault, stream } = answer
  const why = 'and `when.body.stream` selects calls without streaming'
  for (const {
    fault: { kind },
    at,
  } of placedFaults(fault))
    if (faultNamed(kind)?.part === 'stream')
      yield { path: [...path, 'fault', ...at], message: `${kind}: acts on streams, ${why}`, key: false }
  for (const name of ['firstAfter', 'every', 'tokensPerSecond', 'jitter'] as const)
    if (stream?.[name] !== undefined)
      yield {
        path: [...path, 'stream', name],
        message: `is the pace of a stream, ${why}${name === 'firstAfter' ? ': write `delay`' : ''}`,
        key: true,
      }
  if (stream?.frames !== undefined)
    yield { path: [...path, 'stream', 'frames'], message: `are a stream, ${why}`, key: true }
  for (const { script, path: at } of scriptsOf(answer))
    for (const [index, item] of script.entries())
      if ('fault' in item)
        yield { path: [...path, ...at, index], message: `acts on streams, ${why}`, key: false }
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
      yield {
        path: [...path, 'fault', ...at],
        message: `${kind}: acts on JSON bodies, and ${why} (${onlyJson})`,
        key: false,
      }
  }
  const written = [
    ...Object.keys(answer.patch ?? {}).map((field) => ({ field, at: ['patch', field], key: true })),
    ...(answer.unset ?? []).map((field, index) => ({ field, at: ['unset', index], key: false })),
  ]
  for (const { field, at, key } of written)
    if (answer.offContract !== true && !operations.some((id) => eventPath(id, field, vocabulary)))
      yield {
        path: [...path, ...at],
        message: [
          `no event of ${operations.join(', ')} has ${field}, and ${why}: write \`text\` or`,
          '`stream.script`',
        ].join(' '),
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
    yield {
      path: at,
      message: `the service refuses it (404), so the answer does nothing: ${lacking}`,
      key: false,
    }
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
    yield {
      path: at,
      message: `the service refuses it (403), so the answer does nothing: ${denied} use it`,
      key: false,
    }
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
