/** Errors in the conditions of a rule: names and values that no request has. */
import * as z from 'zod'
import type { Endpoint } from '../../protocol/endpoint.ts'
import { canSpeak, patternsOf, type Vocabulary } from '../../protocol/operations.ts'
import { show } from '../../protocol/wording.ts'
import { isCounted, perJob, perSession } from '../compile/select.ts'
import type { ThenSpec, WhenSpec } from '../format/rule.ts'
import { type FileError, type Path, suggestion, wrongKey, wrongValue } from './finding.ts'
import { checkMatcher } from './matcher.ts'
import { anyOf, errorOfName, namedFields, requestSchema } from './request-schema.ts'

export interface WhenContext {
  readonly path: Path
  /** The operations of the rule; none if unknown. */
  readonly endpoints: readonly Endpoint[]
  readonly vocabulary: Vocabulary
  readonly flags: readonly string[]
  /** The API keys of the scenario; undefined when every key is valid. */
  readonly keys?: readonly string[] | undefined
}

export function* checkWhen(when: WhenSpec, context: WhenContext): Generator<FileError> {
  const { path, endpoints, flags, keys } = context
  const { conversation, key } = when
  const requests = requestSchema(endpoints).extend({
    job: z.object({ ...namedFields(['operation', 'model', 'prompt']).shape, body: submissions(context) }),
    conversation: z.unknown(),
    flags: namedFields(flags),
  })
  for (const [name, part] of Object.entries(when))
    if (Object.hasOwn(requests.shape, name))
      yield* checkMatcher({ [name]: part }, path, [requests], name === 'flags' ? noFlag : undefined)
  if (typeof key === 'string' && !key.endsWith('*') && keys?.includes(key) === false)
    yield wrongValue([...path, 'key'], `\`keys\` does not list ${show(key)}${suggestion(key, keys)}`)
  const isSpoken = endpoints.length === 0 || endpoints.some(({ speaks }) => speaks !== undefined)
  if (conversation !== undefined && !isSpoken) {
    const spoken = patternsOf(canSpeak, context.vocabulary.all).join(', ')
    const message = `applies only to requests that have a conversation: expected one of ${spoken}`
    yield wrongKey([...path, 'conversation'], message)
  }
}

const noFlag = (name: string): string => `\`flags\` of the scenario does not list ${show(name)}`

/** The possible submissions of the jobs that requests name. */
function submissions({ endpoints, vocabulary }: WhenContext): z.ZodType {
  const kinds = new Set(endpoints.flatMap(({ job }) => job?.concerns?.kind ?? []))
  const bodies = vocabulary.all.flatMap(({ endpoint: { job, body } }) =>
    job?.submits !== undefined && kinds.has(job.submits) ? (body?.() ?? []) : [],
  )
  return anyOf([...bodies, ...[...kinds].map(({ given }) => given())])
}

/** Errors in `per`: a value that no request has, or that nothing is counted by. */
export function* checkPer(when: WhenSpec, then: ThenSpec, context: WhenContext): Generator<FileError> {
  const { per } = when
  if (per === undefined || per === perSession) return
  const here = [...context.path, 'per']
  const message = per === perJob ? undefined : errorOfName(per, requestSchema(context.endpoints))
  const isFree = isCounted(when) || then.sequence !== undefined
  if (message !== undefined) yield wrongValue(here, message)
  // A rule with a function has an empty `then` here, and may count.
  else if (Object.keys(then).length > 0 && !isFree)
    yield wrongKey(here, 'has no effect without `nth`, `first`, `skip`, `everyNth`, `times` or a `sequence`')
}
