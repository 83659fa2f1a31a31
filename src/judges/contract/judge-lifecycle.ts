/** Judges the responses about one job, video or operation over its lifecycle. */
import { rulesOf } from '../../endpoints/invariants.ts'
import { isFields } from '../../engine/fields.ts'
import { polledId, shownId } from '../../protocol/invariant.ts'
import type { ContractFinding } from '../finding.ts'
import type { JudgedCall } from '../judged-calls.ts'
import { judgeInvariants } from './judge-exchange.ts'

/** The kind and the id of the job in a successful response; undefined for none. */
export function lifecycleOf({ route, params, request: body, json }: JudgedCall): string | undefined {
  const { endpoint } = route
  const kind = (endpoint.job?.polls?.kind ?? endpoint.job?.submits)?.name
  if (kind === undefined || !isFields(json)) return undefined
  const request = isFields(body) ? body : {}
  const id = polledId({ endpoint, params, request }) ?? shownId(json)
  return id === undefined ? undefined : `${kind} ${id}`
}

/** What one job's responses violate together. `calls` are about one job, in chronological order. */
export function judgeLifecycle(
  calls: readonly Pick<JudgedCall, 'route' | 'exchange' | 'json'>[],
): ContractFinding[] {
  const last = calls.at(-1)
  if (last === undefined) return []
  const lifecycle = calls.map(({ json }) => json).filter(isFields)
  return judgeInvariants(rulesOf(last.route.group.name).lifecycle ?? [], lifecycle, last, 'body')
}
