/** `gateway-sim/msw`: the simulator as msw handlers (2 and 3), for code that cannot be handed a `fetch`. */
import { type HttpHandler, http, passthrough } from 'msw'
import type { Simulator } from './core/simulator.ts'
import { BrokenCall, fetchFrom } from './http/web.ts'
import { SimulatorClosedError } from './sessions/session-errors.ts'

export interface MswOptions {
  /**
   * The base URLs that your client calls: `https://api.openai.com`, with a base path when the gateway
   * has one.
   */
  readonly origins: readonly string[]
  /**
   * How to handle paths that match no operation: answer with the simulator's 404 and a hint (`reject`, the
   * default), or let them through to the network (`passthrough`).
   */
  readonly unknown?: 'reject' | 'passthrough'
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
      'handlers(sim, { origins }): expected the base URLs that your client calls, such as ' +
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
        unknown: options.unknown ?? 'reject',
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
    `origins[${index}]: expected a base URL such as 'https://api.openai.com', got ` + JSON.stringify(written),
  )
}

function parsed(written: string): URL | undefined {
  try {
    return new URL(written)
  } catch {
    return undefined
  }
}

/**
 * The same response with a `tee` whose copies are cancelled independently. The first copy is the client's:
 * cancelling it cancels the source.
 */
function withUntiedCopies(response: Response): Response {
  const { body } = response
  if (body !== null) Object.defineProperty(body, 'tee', { value: () => untiedCopies(body) })
  return response
}

type Chunks = ReadableStream<Uint8Array>

function untiedCopies(source: Chunks): [Chunks, Chunks] {
  const reader = source.getReader()
  const open = new Set<ReadableStreamDefaultController<Uint8Array>>()
  let turn: Promise<void> | undefined

  const close = (): void => {
    for (const controller of open) controller.close()
    open.clear()
  }
  // Whichever copy asks first reads for both.
  const read = (): Promise<void> =>
    (turn ??= reader.read().then(
      ({ done, value }) => {
        turn = undefined
        if (done) return close()
        for (const controller of open) controller.enqueue(value)
      },
      (error: unknown) => {
        for (const controller of open) controller.error(error)
        open.clear()
      },
    ))
  const copy = (
    left: (own: ReadableStreamDefaultController<Uint8Array>, reason: unknown) => void,
  ): Chunks => {
    let own: ReadableStreamDefaultController<Uint8Array>
    return new ReadableStream<Uint8Array>(
      {
        start(controller) {
          own = controller
          open.add(controller)
        },
        pull: read,
        cancel: (reason) => left(own, reason),
      },
      // Nothing is read before somebody asks: an error must not overtake what was said before it.
      { highWaterMark: 0 },
    )
  }

  const forClient = copy((own, reason) => {
    open.delete(own)
    close()
    // The source may have broken on its own account; then there is nothing left to stop.
    reader.cancel(reason).catch(() => {})
  })
  const forListeners = copy((own) => void open.delete(own))
  return [forClient, forListeners]
}
