/** Errors in the conditions of a rule: names and values that no request has. */
import * as z from 'zod'
import type { Endpoint } from '../../protocol/endpoint.ts'
import {
  canSpeak,
  concernsJob,
  patternsOf,
  type Selector,
  type Vocabulary,
} from '../../protocol/operations.ts'
import { show } from '../../protocol/wording.ts'
import { perJob, perSession } from '../compile/select.ts'
import type { ThenSpec, WhenSpec } from '../format/rule.ts'
import { type FileError, type Path, suggestion, wrongKey, wrongValue } from './finding.ts'
import { checkMatcher } from './matcher.ts'
import { anyOf, errorOfName, namedFields, requestSchema } from './request-schema.ts'

export interface WhenContext {
  readonly path: Path
  /** The operations of the rule; none if unknown. */
  readonly endpoints: readonly Endpoint[]
  readonly vocabulary: Vocabulary
  /** The names of the flags; undefined if unknown. */
  readonly flags?: readonly string[]
  /** The API keys of the scenario; undefined when every key is valid. */
  readonly keys?: readonly string[] | undefined
}

export function* checkWhen(when: WhenSpec, context: WhenContext): Generator<FileError> {
  const { path, endpoints, flags, keys } = context
  const { operation: _, during: __, per: ___, conversation, job, key, ...conditions } = when
  const requests = requestSchema(endpoints).extend({
    job: z.object({ ...namedFields(['operation', 'model', 'prompt']).shape, body: submissions(context) }),
    conversation: z.unknown(),
    flags: flags === undefined ? z.unknown() : namedFields(flags),
  })
  const matcher = { ...conditions, conversation, job, key }
  for (const [name, part] of Object.entries(matcher))
    if (Object.hasOwn(requests.shape, name)) yield* checkMatcher({ [name]: part }, path, [requests])
  if (typeof key === 'string' && !key.endsWith('*') && keys?.includes(key) === false)
    yield wrongValue([...path, 'key'], `\`keys\` does not list ${show(key)}${suggestion(key, keys)}`)
  const lacks = (selector: Selector, what: string): string => {
    const can = patternsOf(selector, context.vocabulary.all).join(', ')
    return `applies only to requests ${what}: expected one of ${can}`
  }
  if (
    conversation !== undefined &&
    endpoints.length > 0 &&
    endpoints.every(({ speaks }) => speaks === undefined)
  )
    yield wrongKey([...path, 'conversation'], lacks(canSpeak, 'that have a conversation'))
  for (const name of ['job', 'per'] as const)
    if (
      (name === 'job' ? job !== undefined : when.per === perJob) &&
      endpoints.some((one) => one.concerns === undefined)
    )
      yield wrongKey([...path, name], lacks(concernsJob, 'that name a job'))
}

/** The possible submissions of the jobs that requests name. */
function submissions({ endpoints, vocabulary }: WhenContext): z.ZodType {
  const kinds = new Set(endpoints.flatMap(({ concerns }) => concerns?.kind ?? []))
  const bodies = vocabulary.all.flatMap(({ endpoint: { submits, body } }) =>
    submits !== undefined && kinds.has(submits) ? (body?.() ?? []) : [],
  )
  return anyOf([...bodies, ...[...kinds].map(({ given }) => given())])
}

/** Errors in `per`: a value that no request has, or that nothing is counted by. */
export function* checkPer(when: WhenSpec, then: ThenSpec, context: WhenContext): Generator<FileError> {
  const { per, nth, first, skip, everyNth, times } = when
  if (per === undefined || per === perSession) return
  const here = [...context.path, 'per']
  const message = per === perJob ? undefined : errorOfName(per, requestSchema(context.endpoints))
  const counts = [nth, first, skip, everyNth, times, then.sequence]
  if (message !== undefined) yield wrongValue(here, message)
  // A rule with a function has an empty `then` here, and may count.
  else if (Object.keys(then).length > 0 && counts.every((count) => count === undefined))
    yield wrongKey(here, 'has no effect without `nth`, `first`, `skip`, `everyNth`, `times` or a `sequence`')
}
