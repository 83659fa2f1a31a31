/** Mistakes in `per` and `job` of a `when`: things that no call of the rule names. */

import type { Endpoint } from '../../protocol/endpoint.ts'
import { nearestWord } from '../../protocol/nearest-word.ts'
import { concernsJob, patternsOf, type Vocabulary } from '../../protocol/operations.ts'
import { clip, listed, show } from '../../protocol/wording.ts'
import { perJob, perSession } from '../compile/per.ts'
import type { ThenSpec } from '../format/then.ts'
import type { WhenSpec } from '../format/when.ts'
import { templateSources } from '../templates.ts'
import { matchesOperation } from './reach.ts'
import { checkShape, type ScenarioMistake } from './shape.ts'
import { mistakeOfSource } from './templates.ts'

type Path = readonly PropertyKey[]

interface PerContext {
  readonly path: Path
  readonly endpoints: readonly Endpoint[]
  readonly vocabulary: Vocabulary
}

const words = [perSession, perJob, ...templateSources]

const insides: Readonly<Record<string, string>> = {
  body: 'user',
  query: 'limit',
  headers: 'x-user',
  path: 'video_id',
}

/** What people call a job, and what is no word here. */
const meansJob = /^(?:jobs?|videos?|operations?|tasks?|resources?|id|polls?)$/i

export function* checkPer(
  { per, nth, first, after, every, times }: WhenSpec,
  then: ThenSpec,
  { path, endpoints, vocabulary }: PerContext,
): Generator<ScenarioMistake> {
  if (per === undefined) return
  const at = [...path, 'per']
  const message = mistakeIn(per, endpoints, vocabulary)
  if (message !== undefined) yield { path: at, message, key: false }
  // A function, whose `then` is empty here, counts as it likes.
  else if (
    Object.keys(then).length > 0 &&
    [nth, first, after, every, times, then.sequence].every((count) => count === undefined)
  )
    yield {
      path: at,
      message:
        'counts nothing: it needs `nth`, `first`, `after`, `every` or `times` beside it, or a `sequence`',
      key: true,
    }
}

function mistakeIn(per: string, endpoints: readonly Endpoint[], vocabulary: Vocabulary): string | undefined {
  if (per === perSession) return undefined
  if (per === perJob) return lackOfJob('counts per job', endpoints, vocabulary)
  const [source = '', ...inside] = per.split('.')
  const sources: readonly string[] = templateSources
  if (!sources.includes(source)) {
    const nearest = meansJob.test(per) ? perJob : nearestWord(source, words)
    return [
      `got ${show(per)}, expected ${perJob}, key, model, ${perSession},`,
      'or a value of the request such as body.user or headers.x-user',
      nearest === undefined ? '' : `; did you mean ${[nearest, ...inside].join('.')}?`,
    ]
      .join(' ')
      .replace(' ;', ';')
      .trimEnd()
  }
  const within = insides[per]
  if (within !== undefined) return `got ${show(per)}, expected one value in it such as ${per}.${within}`
  return mistakeOfSource(per, endpoints)
}

/** Conditions on how the job of a call was made. */
export function* checkJob(
  { job }: WhenSpec,
  { path, endpoints, vocabulary }: PerContext,
): Generator<ScenarioMistake> {
  if (job === undefined) return
  const at = [...path, 'job']
  const lack = lackOfJob('looks at a job', endpoints, vocabulary)
  if (lack !== undefined) {
    yield { path: at, message: lack, key: true }
    return
  }
  const kinds = new Set(endpoints.flatMap(({ concerns }) => concerns?.kind ?? []))
  const submit = vocabulary.all
    .map(({ endpoint }) => endpoint)
    .filter(({ submits }) => submits !== undefined && (kinds.size === 0 || kinds.has(submits)))
  const { operation, body } = job
  const ids = submit.map((endpoint) => endpoint.operation)
  if (typeof operation === 'string' && !ids.some((id) => matchesOperation(operation, id)))
    yield {
      path: [...at, 'operation'],
      message: `can never be met: ${show(operation)} makes no such job, expected one of ${listed(ids)}`,
      key: false,
    }
  const makers = submit.filter(
    (endpoint) => typeof operation !== 'string' || matchesOperation(operation, endpoint.operation),
  )
  if (body === undefined) return
  yield* checkShape(
    body,
    [...at, 'body'],
    [...makers.flatMap((endpoint) => endpoint.body ?? []), ...[...kinds].map(({ given }) => given)],
    { texts: makers.some(({ accepts }) => accepts.includes('form')) },
  )
}

function lackOfJob(what: string, endpoints: readonly Endpoint[], { all }: Vocabulary): string | undefined {
  const without = endpoints.filter(({ concerns }) => concerns === undefined)
  if (without.length === 0) return undefined
  const named = clip(without.map(({ operation }) => operation).join(', '), 200)
  const can = patternsOf(concernsJob, all).join(', ')
  return `${what}, but no call of ${named} names one: ${can} do`
}

/** Where calls that name a job are told apart by a field that only its submission has. */
export function madeWith(endpoints: readonly Endpoint[], field: string): string {
  if (endpoints.length === 0 || endpoints.some(({ concerns }) => concerns === undefined)) return ''
  const isNamed = field === 'model' || field === 'prompt'
  const shape = isNamed ? `${field}: …` : `body: { ${clip(field, 58)}: … }`
  return `. Write \`job: { ${shape} }\` for what it was made with`
}
