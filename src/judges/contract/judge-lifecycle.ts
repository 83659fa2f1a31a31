/** Judges the responses about one job, video or operation over its lifecycle. */
import { rulesOf } from '../../endpoints/invariants.ts'
import { isFields } from '../../engine/fields.ts'
import { askedId, judge, shownId, type Violation } from '../../protocol/invariant.ts'
import type { Route } from '../../protocol/router.ts'

export interface Sight {
  readonly route: Route
  readonly response: unknown
}

/** The kind and the id of the job in a successful response; undefined for none. */
export function lifecycleOf(
  { endpoint }: Route,
  params: Readonly<Record<string, string>>,
  response: unknown,
): string | undefined {
  const kind = (endpoint.job?.polls ?? endpoint.job?.submits)?.name
  if (kind === undefined || !isFields(response)) return undefined
  const id = askedId({ endpoint, params }) ?? shownId(response)
  return id === undefined ? undefined : `${kind} ${id}`
}

/** The violations of a lifecycle. `sights` belong to one job (`lifecycleOf`), in chronological order. */
export function judgeLifecycle(sights: readonly Sight[]): Violation[] {
  const last = sights.at(-1)?.route
  if (last === undefined) return []
  const lifecycle = sights.map(({ response }) => response).filter(isFields)
  return judge(rulesOf(last.group.name).lifecycle ?? [], lifecycle, {
    operation: last.endpoint.operation,
    where: 'body',
  })
}
