/** `gateway-sim/node`: the simulator as an HTTP server. */
import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Simulator } from './core/simulator.ts'
import { type AccessLogLine, createServeRequest } from './http/node-listener.ts'

export type { AccessLogLine } from './http/node-listener.ts'

export interface ListenOptions {
  /** 0 (the default) picks a free port. */
  readonly port?: number
  /** Default: `127.0.0.1`. */
  readonly host?: string
  /**
   * The user's own msw handlers; they answer before the simulator's endpoints (needs msw 2 and
   * @mswjs/http-middleware).
   */
  readonly handlers?: readonly unknown[]
  /** Called after each answered call. */
  readonly accessLog?: (line: AccessLogLine) => void
}

export interface SimulatorServer {
  /** Without a trailing slash: `http://127.0.0.1:53121`. */
  readonly url: string
  readonly port: number
  readonly server: Server
  /**
   * The token that control API calls must carry: the setting `control.token`, or a generated one when the
   * server listens beyond loopback. Undefined when none is needed.
   */
  readonly controlToken: string | undefined
  /** Ends open streams, closes every socket and resolves when the port is free. */
  close(): Promise<void>
}

/**
 * Serves a simulator. Rejects with node's error (`EADDRINUSE`, `EACCES`, …) when it cannot bind.
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
  const server =
    userHandlers === undefined
      ? createServer(serveRequest)
      : createServer((request, response) => {
          // A socket that breaks under a reply is the client's business; unheard it would end the process.
          response.on('error', ignore)
          userHandlers(request, response, (rawBody) =>
            serveRequest(request, response, { accessLog, ...(rawBody === undefined ? {} : { rawBody }) }),
          )
        })
  server.on('clientError', refuseGarbage)
  server.on('connect', refuseTunnel)
  server.keepAliveTimeout = 30_000
  const { port = 0, host = '127.0.0.1' } = options
  // Whoever can reach the gateway could move its clock and read its journal. Before the first call may come.
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
  const shown =
    host === '0.0.0.0' || host === '::'
      ? 'localhost'
      : address.family === 'IPv6'
        ? `[${address.address}]`
        : host
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

// Bytes that are no HTTP at all never reach a call; they still get a planned answer.
function refuseGarbage(error: Error & { code?: string }, socket: Socket): void {
  // Into a reply that has begun, an answer would be read as a part of it. (Node's own listener looks at the
  // same field.)
  const underWay = (socket as { _httpMessage?: ServerResponse })._httpMessage?.headersSent === true
  if (!socket.writable || error.code === 'ECONNRESET' || underWay) {
    socket.destroy()
    return
  }
  const status =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? '431 Request Header Fields Too Large'
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? '408 Request Timeout'
        : '400 Bad Request'
  refuseSocket(
    socket,
    status,
    `This is not an HTTP request that can be read (${error.code ?? error.message}).`,
  )
}

// Without a listener, node would hang up without a word.
function refuseTunnel(request: IncomingMessage, socket: Socket): void {
  socket.on('error', ignore)
  refuseSocket(
    socket,
    '405 Method Not Allowed',
    'CONNECT is not a method of the simulator, which is no proxy: expected the base URL of the client to ' +
      `be its address (got ${(request.url ?? '').slice(0, 80)}).`,
    'allow: GET, HEAD, POST, PUT, DELETE, OPTIONS\r\n',
  )
}

function refuseSocket(socket: Socket, status: string, message: string, headers = ''): void {
  const body = JSON.stringify({
    error: {
      type: 'invalid_request_error',
      code: Number(status.slice(0, 3)),
      message,
      param: null,
      details: [],
      trace_id: '',
    },
  })
  socket.end(
    `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n` +
      `${headers}connection: close\r\n\r\n${body}`,
  )
}
