/** A plain reply as its laws see it: the body, with the request that it answers. */
import { type Fields, isFields } from '../../engine/fields.ts'
import type { Route } from '../../protocol/router.ts'

export interface JudgedAnswer {
  readonly endpoint: Route['endpoint']
  /** The parameters of the path. */
  readonly params: Readonly<Record<string, string>>
  /** The body of the request: JSON, or the text fields of a form. */
  readonly request: Fields
  readonly reply: Fields
}

/** The id of what a reply shows: its `id`, or the end of its `name`. */
export function shownId({ id, name }: Fields): string | undefined {
  if (typeof id === 'string') return id
  return typeof name === 'string' ? name.slice(name.lastIndexOf('/') + 1) : undefined
}

/** The id that a request polls: in its body where the operation says so, or else at the end of its path. */
export function askedId({ endpoint, params, request }: Omit<JudgedAnswer, 'reply'>): string | undefined {
  if (endpoint.polls === undefined) return undefined
  const { field } = endpoint.polls
  if (field === undefined) return params[/\{(\w+)\}$/.exec(endpoint.path)?.[1] ?? '']
  const name = isFields(request) ? request[field] : undefined
  return typeof name === 'string' ? name.slice(name.lastIndexOf('/') + 1) : undefined
}
