/** `gateway-sim/node`: the simulator as an HTTP server. */
import { randomBytes } from 'node:crypto'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Simulator } from './core/simulator.ts'
import { defined } from './engine/fields.ts'
import { type AccessLogLine, createServeRequest } from './http/node-listener.ts'
import { rejectOtherTalk } from './http/watch-server.ts'
import type { Scenario } from './scenario/load/scenario.ts'

export { HarError } from './exchange/har-error.ts'
export type { AccessLogLine } from './http/node-listener.ts'

export interface ListenOptions {
  /** 0 (the default) picks a free port. */
  readonly port?: number
  /** Default: `127.0.0.1`. */
  readonly host?: string
  /** Your own msw handlers, which take precedence (requires msw). */
  readonly handlers?: readonly unknown[] | undefined
  /** Called after each response, except to control requests of the page itself. */
  readonly accessLog?: ((line: AccessLogLine) => void) | undefined
}

export interface SimulatorServer {
  /** Without a trailing slash: `http://127.0.0.1:53121`. */
  readonly url: string
  readonly port: number
  readonly server: Server
  /**
   * The token that requests to the control API must carry: the setting `control.token`, or a generated one if
   * the server listens beyond loopback. Undefined if none is required.
   */
  readonly controlToken: string | undefined
  /** Ends open streams, closes every socket and resolves once the port is free. */
  close(): Promise<void>
}

/**
 * Serves a simulator over HTTP. Rejects with node's error (`EADDRINUSE`, `EACCES`, …) if it cannot listen.
 *
 * @example
 * const { url, close } = await listen(createSimulator(), { port: 4010 })
 */
export async function listen(sim: Simulator, options: ListenOptions = {}): Promise<SimulatorServer> {
  const { core } = sim
  const { accessLog } = options
  const serveRequest = createServeRequest(core, { accessLog })
  const userHandlers =
    options.handlers === undefined || options.handlers.length === 0
      ? undefined
      : await import('./http/handlers/user-handlers.ts').then(({ createUserHandlers }) =>
          createUserHandlers(options.handlers ?? [], core, { accessLog }),
        )
  const answer: RequestListener =
    userHandlers === undefined
      ? serveRequest
      : (request, outgoing) => {
          // An error of the socket concerns the client; without a listener it would end the process.
          outgoing.on('error', ignore)
          userHandlers(request, outgoing, (rawBody) =>
            serveRequest(request, outgoing, { accessLog, ...defined({ rawBody }) }),
          )
        }
  // Node would reject these with an empty response; `serveRequest` adds a message.
  const server = createServer({ requireHostHeader: false }, answer).on('checkExpectation', answer)
  rejectOtherTalk(server, core.warn)
  server.keepAliveTimeout = 30_000
  const { port = 0, host = '127.0.0.1' } = options
  // Otherwise everyone on the network could advance the clock and read the journal. Set before the first
  // request.
  if (core.settings.control.enabled && !isLoopback(host))
    core.controlToken.value ??= randomBytes(18).toString('base64url')
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
  const address = server.address() as AddressInfo
  const named = address.family === 'IPv6' ? `[${address.address}]` : host
  const shown = host === '0.0.0.0' || host === '::' ? 'localhost' : named
  return {
    url: `http://${shown}:${address.port}`,
    port: address.port,
    server,
    controlToken: core.controlToken.value,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      await sim.close()
      server.closeAllConnections()
      await closed
    },
  }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host)
}

function ignore(): void {}

/**
 * Reads recordings of `gateway-sim record` or a browser (a HAR file, a folder of them, or a parsed HAR
 * object) as a scenario that plays them back. Throws `HarError` with the place of the error.
 *
 * @example
 * const sim = createSimulator({ scenarios: [await loadRecordings('recordings')], strict: true })
 */
export async function loadRecordings(source: string | object): Promise<Scenario> {
  const { readRecordings } = await import('./recording/read-recordings.ts')
  return readRecordings(source)
}
