/** Finds the operation of a recorded request, whose gateway may have a path prefix: `/ai/v1/videos`. */
import type { Route, Router } from '../protocol/router.ts'

export interface FoundRoute {
  /** The path without the prefix, as the simulator knows it. */
  readonly path: string
  readonly prefix: string
  /** Undefined for an unknown path. */
  readonly route: Route | undefined
  readonly params: Readonly<Record<string, string>>
}

/** `whole` is a path without its query. */
export function findRoute(router: Router, method: string, whole: string): FoundRoute {
  for (let at = 0; at >= 0; at = whole.indexOf('/', at + 1)) {
    const path = whole.slice(at)
    const match = router.match(method, path)
    if (match.kind === 'found')
      return { path, prefix: whole.slice(0, at), route: match.route, params: match.params }
  }
  return { path: whole, prefix: '', route: undefined, params: {} }
}
