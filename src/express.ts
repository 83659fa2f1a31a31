/** `gateway-sim/express`: the simulator inside an Express app, at any path, before or after body parsers. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Simulator } from './core/simulator.ts'
import { createServeRequest } from './http/node-listener.ts'

/** The fields that Express adds to a request, declared here because express may not be installed. */
interface ExpressRequest extends IncomingMessage {
  readonly baseUrl?: string
  readonly body?: unknown
}

/**
 * An Express middleware. Unknown paths go to `next()`.
 *
 * @example
 * app.use('/gateway', middleware(createSimulator()))
 */
export function middleware(
  sim: Simulator,
): (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void {
  const serveRequest = createServeRequest(sim.core)
  return (request, response, next) => {
    const { baseUrl = '', body } = request as ExpressRequest
    serveRequest(request, response, { mount: baseUrl, unknown: () => next(), parsedBody: body })
  }
}
