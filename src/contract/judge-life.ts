/** Judges what one job, video or operation showed over its life. */
import { isFields } from '../engine/fields.ts'
import type { Route } from '../protocol/router.ts'
import type { Deviation } from './deviation.ts'
import { askedId, shownId } from './laws/answer.ts'
import { judge } from './laws/law.ts'
import { lifeLaws } from './laws/life.ts'

/** One reply that shows such a thing: the answer to its submission, or to a poll. */
export interface Sight {
  readonly route: Route
  /** The parsed body. */
  readonly reply: unknown
}

/**
 * Of which thing a successful exchange shows the state: its kind and the id that the client knows it by.
 * Undefined where it shows none.
 */
export function lifeOf(
  { endpoint }: Route,
  asked: { readonly params: Readonly<Record<string, string>>; readonly request: unknown },
  reply: unknown,
): string | undefined {
  const kind = (endpoint.polls?.kind ?? endpoint.submits)?.name
  if (kind === undefined || !isFields(reply)) return undefined
  const request = isFields(asked.request) ? asked.request : {}
  const id = askedId({ endpoint, params: asked.params, request }) ?? shownId(reply)
  return id === undefined ? undefined : `${kind} ${id}`
}

/** What breaks the laws over a life. `sights` are in order of time and of one thing (`lifeOf`). */
export function judgeLife(sights: readonly Sight[]): Deviation[] {
  const last = sights.at(-1)?.route.endpoint
  const kind = (last?.polls?.kind ?? last?.submits)?.name
  if (last === undefined || kind === undefined) return []
  const life = sights.map(({ reply }) => reply).filter(isFields)
  return judge(lifeLaws[kind] ?? [], life, { operation: last.operation, where: 'body' })
}
