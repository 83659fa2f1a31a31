/** Conditions of a rule that no call can ever match. */
import * as z from 'zod'
import { isFields, lazy } from '../../engine/fields.ts'
import type { Endpoint } from '../../protocol/endpoint.ts'
import { nearestWord } from '../../protocol/nearest-word.ts'
import { canSpeak, concernsJob, patternsOf, type Vocabulary } from '../../protocol/operations.ts'
import { clip, listed, show } from '../../protocol/wording.ts'
import { isOperators, meets } from '../compile/match-value.ts'
import { countsOf } from '../compile/rules.ts'
import { matchesOperation, perJob, perSession } from '../compile/select.ts'
import type { ThenSpec, WhenSpec } from '../format/rule.ts'
import { templateSources } from '../templates.ts'
import {
  type FileError,
  fieldsOf,
  formsOf,
  namesOf,
  noPathParameter,
  type Path,
  parametersOf,
  suggestion,
  takers,
  wrongKey,
  wrongValue,
} from './forms.ts'
import { checkMatcher, isPattern } from './matcher.ts'
import { errorOfSource } from './steps.ts'

/** Errors in `per` of a `when`: values that no call of the rule has. */
export function* checkPer(
  { per, nth, first, skip, everyNth, times }: WhenSpec,
  then: ThenSpec,
  { path, endpoints, vocabulary }: WhenContext,
): Generator<FileError> {
  if (per === undefined) return
  const at = [...path, 'per']
  const message = errorIn(per, endpoints, vocabulary)
  if (message !== undefined) yield wrongValue(at, message)
  // A rule with a function has an empty `then` here, and may count.
  else if (
    Object.keys(then).length > 0 &&
    [nth, first, skip, everyNth, times, then.sequence].every((count) => count === undefined)
  )
    yield wrongKey(at, 'has no effect without `nth`, `first`, `skip`, `everyNth`, `times` or a `sequence`')
}

function errorIn(per: string, endpoints: readonly Endpoint[], vocabulary: Vocabulary): string | undefined {
  if (per === perSession) return undefined
  if (per === perJob) return lackOfJob(endpoints, vocabulary)
  const [source = '', ...inside] = per.split('.')
  if (!templateSources.includes(source)) {
    const words = [perSession, perJob, ...templateSources]
    return (
      `expected ${perJob}, key, model, ${perSession}, or a request value such as body.user or ` +
      `headers.x-user, got ${show(per)}${suggestion(source, [], words)}`
    )
  }
  if (inside.length === 0 && ['body', 'query', 'headers', 'path'].includes(source))
    return `expected a single value, such as body.user or headers.x-user, got ${show(per)}`
  return errorOfSource(per, endpoints)
}

/** Conditions on the submission of a call's job. */
function* checkJob({ job }: WhenSpec, { path, endpoints, vocabulary }: WhenContext): Generator<FileError> {
  if (job === undefined) return
  const at = [...path, 'job']
  const lack = lackOfJob(endpoints, vocabulary)
  if (lack !== undefined) {
    yield wrongKey(at, lack)
    return
  }
  const kinds = new Set(endpoints.flatMap(({ concerns }) => concerns?.kind ?? []))
  const submit = vocabulary.all
    .map(({ endpoint }) => endpoint)
    .filter(({ submits }) => submits !== undefined && (kinds.size === 0 || kinds.has(submits)))
  const { operation, body } = job
  const ids = submit.map((endpoint) => endpoint.operation)
  if (typeof operation === 'string' && !ids.some((id) => matchesOperation(operation, id)))
    yield wrongValue(
      [...at, 'operation'],
      `can never match: ${show(operation)} does not submit this kind of job (expected one of ${listed(ids)})`,
    )
  const makers = submit.filter(
    (endpoint) => typeof operation !== 'string' || matchesOperation(operation, endpoint.operation),
  )
  for (const name of ['operation', 'model', 'prompt'] as const)
    if (job[name] !== undefined) yield* checkMatcher(job[name], [...at, name], [z.string()])
  if (body === undefined) return
  yield* checkMatcher(
    body,
    [...at, 'body'],
    [...makers.flatMap((endpoint) => endpoint.body?.() ?? []), ...[...kinds].map(({ given }) => given())],
    { texts: makers.some(({ accepts }) => accepts.includes('form')) },
  )
}

function lackOfJob(endpoints: readonly Endpoint[], { all }: Vocabulary): string | undefined {
  const without = endpoints.filter(({ concerns }) => concerns === undefined)
  if (without.length === 0) return undefined
  const named = clip(without.map(({ operation }) => operation).join(', '), 200)
  const can = patternsOf(concernsJob, all).join(', ')
  return `applies only to requests that name a job, not to ${named}: expected one of ${can}`
}

/** The hint for a rule that distinguishes polls by a field that only the submission has. */
function madeWith(endpoints: readonly Endpoint[], field: string): string {
  if (endpoints.length === 0 || endpoints.some(({ concerns }) => concerns === undefined)) return ''
  const isNamed = field === 'model' || field === 'prompt'
  const shape = isNamed ? `${field}: …` : `body: { ${clip(field, 58)}: … }`
  return `. Write \`job: { ${shape} }\` to match the submission of the job`
}

export interface WhenContext {
  readonly path: Path
  /** The operations of its rule; none if unknown. */
  readonly endpoints: readonly Endpoint[]
  readonly vocabulary: Vocabulary
  /** Whether clients may send what the contract does not define. */
  readonly offContract?: boolean
  readonly flags: ReadonlyMap<string, ReadonlySet<string> | 'any'>
  /** The API keys of the scenario; undefined when every key is valid. */
  readonly keys?: readonly string[] | undefined
}

export function* checkWhen(when: WhenSpec, context: WhenContext): Generator<FileError> {
  const { path } = context
  yield* checkBody(when, context)
  yield* checkUrl(when, context)
  for (const [name, shape] of Object.entries(when.headers ?? {}))
    yield* checkMatcher(shape, [...path, 'headers', name], [z.string()])
  yield* checkCounts(when, path)
  for (const name of ['key', 'model'] as const) yield* checkName(when[name], [...path, name])
  yield* checkKey(when, context)
  yield* checkConversation(when, context)
  yield* checkJob(when, context)
  yield* checkFlags(when, context)
}

function* checkBody({ body }: WhenSpec, context: WhenContext): Generator<FileError> {
  if (body === undefined) return
  const { endpoints, offContract } = context
  const path = [...context.path, 'body']
  // Beside other operations, those that accept bytes do not make every field possible.
  const parsed = endpoints.filter(({ accepts }) => !accepts.includes('bytes'))
  const withFields = parsed.length > 0 ? parsed : endpoints
  // The whole body is an object: a search for a word in it is meant for the user's message.
  if ((typeof body === 'string' || isText(body)) && endpoints.length > 0) {
    const spoken = endpoints.some(({ speaks }) => speaks !== undefined)
    const instead = spoken ? 'conversation: { lastUser: { contains: … } }' : 'body: { FIELD: … }'
    yield wrongValue(path, `can never match: the body is an object. Write \`${instead}\``)
    return
  }
  if (endpoints.length > 0 && endpoints.every(({ accepts }) => accepts.length === 0))
    yield wrongKey(
      path,
      `can never match: ${takers(endpoints)} no body` +
        madeWith(endpoints, isFields(body) ? (Object.keys(body)[0] ?? '…') : '…'),
    )
  else
    yield* checkMatcher(
      body,
      path,
      offContract === true ? [] : withFields.flatMap((endpoint) => endpoint.body?.() ?? []),
      {
        texts: endpoints.every(({ accepts }) => !accepts.includes('json')),
        of: endpoints.length === 1 ? endpoints[0]?.operation : undefined,
      },
    )
}

function isText(shape: unknown): boolean {
  return isOperators(shape) && ['contains', 'startsWith', 'endsWith', 'regex'].some((word) => word in shape)
}

function* checkUrl({ query = {}, path = {} }: WhenSpec, context: WhenContext): Generator<FileError> {
  const { endpoints, offContract } = context
  const queries = offContract === true ? [] : endpoints.flatMap((endpoint) => endpoint.query?.() ?? [])
  for (const [name, shape] of Object.entries(query))
    if (queries.length > 0) yield* checkMatcher({ [name]: shape }, [...context.path, 'query'], queries)
    else yield* checkMatcher(shape, [...context.path, 'query', name], [z.string()])
  const parameters = [...new Set(endpoints.flatMap((endpoint) => parametersOf(endpoint.path)))]
  for (const [name, shape] of Object.entries(path)) {
    const at = [...context.path, 'path', name]
    if (!parameters.includes(name) && endpoints.length > 0)
      yield wrongKey(at, noPathParameter(name, endpoints, parameters))
    yield* checkMatcher(shape, at, [z.string()])
  }
}

/** Why calls of operations without a query have none; undefined if clients may add one. */
function noQuery(name: string, endpoints: readonly Endpoint[]): string | undefined {
  // Signed URLs have their signature in the query and need no key; clients may append a version
  // (`?beta=true`) to requests with a body.
  if (endpoints.every(({ method, open }) => open !== true && ['GET', 'DELETE'].includes(method)))
    return `${takers(endpoints)} no query`
  return endpoints.some((one) => bodyFields(one)?.has(name))
    ? `${name} is not a query parameter. Write it under \`body\``
    : undefined
}

/** The fields of a body; undefined if any field is allowed, or if there is no body. */
const bodyFields = ({ body }: Endpoint): ReadonlyMap<string, unknown> | undefined =>
  body === undefined ? undefined : fieldsOf(formsOf(body()))

/** Whether requests for an operation can name a model. @internal */
export const namesModel = (one: Endpoint): boolean =>
  one.path.includes('{model}') ||
  (one.body === undefined ? one.accepts.length > 0 : (bodyFields(one)?.has('model') ?? true))

/** A query, a key or a model that no valid request has; a faulty client may send it. */
export function* checkAbsent(
  when: WhenSpec,
  { endpoints, offContract, path }: WhenContext,
): Generator<FileError> {
  if (offContract === true || endpoints.length === 0) return
  if (endpoints.every(({ query }) => query === undefined))
    for (const name of Object.keys(when.query ?? {})) {
      const why = noQuery(name, endpoints)
      if (why !== undefined) yield wrongKey([...path, 'query', name], `can never match: ${why}`)
    }
  const asks = (name: 'key' | 'model'): boolean => when[name] !== undefined && !meets(when[name], undefined)
  if (asks('key') && endpoints.every(({ open }) => open === true))
    yield wrongKey([...path, 'key'], `can never match: ${takers(endpoints)} no API key`)
  if (asks('model') && !endpoints.some(namesModel))
    yield wrongKey(
      [...path, 'model'],
      `can never match: requests to ${namesOf(endpoints)} have no model${madeWith(endpoints, 'model')}`,
    )
}

/** A key or a model. `*` is a wildcard at the end of a string, and literal elsewhere. */
function* checkName(written: unknown, path: Path): Generator<FileError> {
  if (written !== undefined) yield* checkMatcher(written, path, [z.string()])
  if (typeof written !== 'string' || !written.slice(0, -1).includes('*') || isPattern(written)) return
  const instead = 'write { contains: … }, { endsWith: … } or { regex: … }'
  yield wrongValue(path, `only a \`*\` at the end is a wildcard: ${instead}`)
}

function* checkKey({ key }: WhenSpec, { path, keys }: WhenContext): Generator<FileError> {
  if (typeof key !== 'string' || key.endsWith('*') || keys === undefined || keys.includes(key)) return
  const hint = suggestion(key, keys).replace(/^:/, ',')
  yield wrongValue([...path, 'key'], `can never match: \`keys\` does not list ${show(key)}${hint}`)
}

const conversationParts: () => Readonly<Record<string, z.ZodType>> = lazy(() => ({
  lastUser: z.string(),
  toolResult: z.union([z.string(), z.boolean()]),
  turn: z.number(),
}))

function* checkConversation({ conversation }: WhenSpec, context: WhenContext): Generator<FileError> {
  if (conversation === undefined) return
  const { vocabulary, endpoints } = context
  const path = [...context.path, 'conversation']
  if (endpoints.length > 0 && !endpoints.some(({ speaks }) => speaks !== undefined))
    yield wrongKey(path, `only ${patternsOf(canSpeak, vocabulary.all).join(' and ')} have conversations`)
  for (const [name, shape] of Object.entries(conversation))
    yield* checkMatcher(shape, [...path, name], [conversationParts()[name] as z.ZodType], { texts: false })
}

function* checkFlags({ flags: wanted = {} }: WhenSpec, { path, flags }: WhenContext): Generator<FileError> {
  for (const [name, shape] of Object.entries(wanted)) {
    const values = flags.get(name)
    if (isFields(shape)) yield* checkMatcher(shape, [...path, 'flags', name], [z.string()])
    if (values === undefined) yield wrongKey([...path, 'flags', name], unknownFlag(name, flags))
    else if (values !== 'any' && typeof shape === 'string' && !values.has(shape)) {
      const known = listed([...values].map((value) => JSON.stringify(value)))
      yield wrongValue(
        [...path, 'flags', name],
        `can never match: the flag ${clip(name, 200)} is never ${show(shape)} (expected one of ${known})`,
      )
    }
  }
}

export function unknownFlag(name: string, flags: WhenContext['flags']): string {
  const nearest = nearestWord(name, [...flags.keys()])
  const remedy = nearest === undefined ? 'declare it under `flags`' : `did you mean ${nearest}?`
  return `there is no flag ${clip(name, 200)}: ${remedy}`
}

/** Counts of a rule that no call can match. */
function* checkCounts(when: WhenSpec, path: Path): Generator<FileError> {
  const { nth, skip = 0, everyNth = 1 } = when
  // The positions of `nth`, or the first one that `skip` and `everyNth` allow: later ones are further from
  // `first`.
  const positions = nth === undefined ? [skip + everyNth] : [nth].flat()
  if (!positions.some(countsOf(when) ?? (() => true)))
    yield wrongValue(
      [...path, nth === undefined ? 'first' : 'nth'],
      'no request satisfies `nth`, `first`, `skip` and `everyNth` at the same time',
    )
}
