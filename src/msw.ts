/**
 * `gateway-sim/msw`: the simulator as msw handlers, for code that cannot be handed a `fetch`. Works with msw
 * 2 and 3.
 */
import { type HttpHandler, http, passthrough } from 'msw'
import type { Simulator } from './core/simulator.ts'
import { withUntiedCopies } from './http/msw-tee.ts'
import { fetchFrom } from './http/web.ts'
import { BrokenCall } from './http/web-stream.ts'
import { SimulatorClosedError } from './sessions/closed-error.ts'

export interface MswOptions {
  /**
   * The base addresses that your client calls: `https://api.openai.com`, with a base path when the gateway
   * has one.
   */
  readonly origins: readonly string[]
  /**
   * How to handle paths that match no operation: answer with the simulator's 404 and a hint (`refuse`, the
   * default), or let them through to the network (`passthrough`).
   */
  readonly unknown?: 'refuse' | 'passthrough'
}

/**
 * One catch-all handler per origin; the simulator's own router does the rest.
 *
 * @example
 * const server = setupServer(...handlers(createSimulator(), { origins: ['https://api.openai.com'] }))
 */
export function handlers(sim: Simulator, options: MswOptions): HttpHandler[] {
  if (!Array.isArray(options?.origins) || options.origins.length === 0) {
    throw new TypeError(
      'handlers(sim, { origins }): expected the base addresses that your client calls, such as ' +
        "['https://api.openai.com']",
    )
  }
  return options.origins.map((written, index) => {
    const { origin, pathname } = address(written, index)
    const mount = pathname.replace(/\/+$/, '')
    // No `/*`: msw decodes what a wildcard caught, and throws for a path that is not percent-encoded UTF-8.
    const below = new RegExp(`^${`${origin}${mount}`.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?:/|$)`)
    return http.all(below, async ({ request }) => {
      // Only a request that msw parsed from a socket names its host: one of node:http, and under msw 3 every
      // one.
      const throughSocket = request.headers.has('host')
      const response = await fetchFrom(sim.core, request, undefined, {
        mount,
        unknown: options.unknown ?? 'refuse',
        throughSocket,
        ownCalls: true,
      }).catch((error: unknown) => networkError(error, request.signal))
      return response === undefined ? passthrough() : withUntiedCopies(response)
    })
  })
}

// What is thrown here, msw would answer with 500, and print. A client that has left hears of nothing any
// more.
function networkError(error: unknown, signal: AbortSignal): Response {
  if (error instanceof BrokenCall || error instanceof SimulatorClosedError || signal.aborted)
    return Response.error()
  throw error
}

function address(written: unknown, index: number): URL {
  const url = typeof written === 'string' && /^https?:/i.test(written) ? parsed(written) : undefined
  if (url !== undefined) return url
  throw new TypeError(
    `origins[${index}]: expected a base address such as 'https://api.openai.com', got ` +
      JSON.stringify(written),
  )
}

function parsed(written: string): URL | undefined {
  try {
    return new URL(written)
  } catch {
    return undefined
  }
}
