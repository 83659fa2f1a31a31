/** `gateway-sim/msw`: the simulator as msw handlers (2 and 3), for code that accepts no custom `fetch`. */
import { type HttpHandler, http, passthrough } from 'msw'
import type { Simulator } from './core/simulator.ts'
import { BrokenCall, fetchFrom } from './http/web.ts'
import { SimulatorClosedError } from './sessions/session-errors.ts'

export interface MswOptions {
  /**
   * The base URLs of your client: `https://api.openai.com`, with a base path if the gateway has one.
   */
  readonly origins: readonly string[]
  /**
   * How to handle unknown paths: respond with 404 and a hint (`reject`), or pass them on to the network
   * (`passthrough`). Default: `reject`.
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
    // No `/*`: msw decodes the match of a wildcard, and throws for a path that is not percent-encoded UTF-8.
    const below = new RegExp(`^${`${origin}${mount}`.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?:/|$)`)
    return http.all(below, async ({ request }) => {
      // Only requests that msw parsed from a socket have a `host`: those of node:http, and all under msw 3.
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

// msw would respond to an error here with 500, and print it. A disconnected client gets nothing.
function networkError(error: unknown, signal: AbortSignal): Response {
  if (error instanceof BrokenCall || error instanceof SimulatorClosedError || signal.aborted)
    return Response.error()
  throw error
}

function address(written: unknown, index: number): URL {
  const url = typeof written === 'string' && /^https?:/i.test(written) ? parsed(written) : undefined
  if (url !== undefined) return url
  throw new TypeError(
    `origins[${index}]: expected a base URL such as 'https://api.openai.com', got ${JSON.stringify(written)}`,
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
  // The copy that reads first reads for both.
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
      // Reads only on demand: an error must not overtake earlier chunks.
      { highWaterMark: 0 },
    )
  }

  const forClient = copy((own, reason) => {
    open.delete(own)
    close()
    // The source may have failed already; then there is nothing to cancel.
    reader.cancel(reason).catch(() => {})
  })
  const forListeners = copy((own) => void open.delete(own))
  return [forClient, forListeners]
}
