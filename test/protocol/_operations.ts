/** Every operation of the service, and a call to any of them, for what holds for all. */
import type { Simulator } from '../../src/index.ts'

export type Operation = Simulator['routes'][number]

/**
 * All operations but the simulator's own and those of the store behind upload URLs, which rejects in a way of
 * its own.
 */
export const operationsOf = (sim: Simulator): readonly Operation[] =>
  sim.routes.filter(({ group }) => group.name !== 'control' && group.name !== 'uploads')

/** A call with ids that nobody minted in its path. */
export function sendTo(
  { endpoint: { method, path } }: Operation,
  via: { readonly fetch: typeof fetch; readonly url: string },
  headers: Readonly<Record<string, string>>,
  body?: string,
): Promise<Response> {
  return via.fetch(`${via.url}${path.replace(/\{\w+\}/g, 'x')}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body }),
  })
}
