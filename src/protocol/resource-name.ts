/** Resource names as Google writes them: collections and ids in turn, `projects/p/…/operations/o`. */
import type { Endpoint } from './endpoint.ts'

/**
 * The field of a call that may hold the name of what it polls, instead of a path parameter for each part of
 * it; undefined where one parameter is all.
 */
export function nameFieldOf({ polls, path }: Pick<Endpoint, 'polls' | 'path'>): string | undefined {
  return polls !== undefined && path.split('{').length > 2 ? (polls.field ?? 'name') : undefined
}

/** The path parameters that a name says: `{project_id}` is what follows `projects`. */
export function paramsInName(path: string, name: string): Record<string, string> {
  const parts = name.split('/')
  const found: Record<string, string> = {}
  for (const [, collection = '', param = ''] of path.matchAll(/([^/]+)\/\{(\w+)\}/g)) {
    const at = parts.indexOf(collection)
    const value = at < 0 ? undefined : parts[at + 1]
    if (value !== undefined && value !== '') found[param] = value
  }
  return found
}
