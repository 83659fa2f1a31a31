/**
 * The user's own msw handlers in front of the simulator, through `@mswjs/http-middleware`. Guards that package's known
 * limits, each reproduced in a test: it needs msw 2, dies of a body stream that errors, never hears of a client that
 * leaves, hangs on `HttpResponse.error()` and consumes the body on passthrough.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { SimulatorCore } from '../simulator.ts'

export type UserHandlers = (request: IncomingMessage, response: ServerResponse, next: (rawBody?: Uint8Array) => void) => void

export async function createUserHandlers(_handlers: readonly unknown[], _core: SimulatorCore): Promise<UserHandlers> {
  throw new Error('user handlers are not built yet')
}
