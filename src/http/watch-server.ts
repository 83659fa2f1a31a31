/** Rejects data that is not HTTP. */
import { type IncomingMessage, maxHeaderSize, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** An error of node's parser, with the bytes that caused it. */
interface ParserError extends Error {
  readonly code?: string
  readonly rawPacket?: Uint8Array
}

interface Rejection {
  readonly status: string
  readonly message: string
  /** Whether the client is misconfigured, which is worth a warning. */
  readonly warns?: true
}

const rejections: Readonly<Record<string, Rejection>> = {
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    message:
      `The URL and the headers of the request are longer than ${maxHeaderSize} bytes: ` +
      'shorten them, or start node with a larger --max-http-header-size.',
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    status: '413 Content Too Large',
    message: 'The chunk extensions are longer than 16 KiB: send chunks without extensions.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: '408 Request Timeout',
    message: 'The request timed out: expected its headers within 1 minute and its body within 5 minutes.',
  },
  HPE_PAUSED_H2_UPGRADE: {
    status: '400 Bad Request',
    message: 'The request uses HTTP/2: expected HTTP/1.1, the only supported version.',
    warns: true,
  },
}
const tls: Rejection = {
  status: '400 Bad Request',
  message: 'The request uses TLS: expected plain HTTP. Use a URL that begins with http://, not https://.',
  warns: true,
}

/**
 * Rejects requests that node cannot parse, and tunnels. Warns once about each kind of misconfigured client.
 */
export function rejectOtherTalk(server: Server, warn: (message: string) => void): void {
  const warned = new Set<Rejection>()
  server.on('clientError', (error: ParserError, socket: Socket) => {
    // After a response has started, an error would become part of it. (Node's own listener checks the same
    // field.)
    const underWay = (socket as { _httpMessage?: ServerResponse })._httpMessage?.headersSent === true
    if (!socket.writable || error.code === 'ECONNRESET' || underWay) {
      socket.destroy()
      return
    }
    const rejection = rejectionOf(error)
    if (rejection.warns === true && !warned.has(rejection)) {
      warned.add(rejection)
      warn(`a client was rejected before its first request: ${rejection.message}`)
    }
    rejectSocket(socket, rejection)
  })
  // Without a listener, node closes the connection without a response.
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    socket.on('error', ignore)
    rejectSocket(
      socket,
      {
        status: '405 Method Not Allowed',
        message:
          'CONNECT is not supported, because the simulator is not a proxy: set the base URL of ' +
          `the client to the simulator's URL (got ${(request.url ?? '').slice(0, 80)}).`,
      },
      'allow: GET, HEAD, POST, PUT, DELETE, OPTIONS\r\n',
    )
  })
}

function rejectionOf({ code = '', message, rawPacket }: ParserError): Rejection {
  // A handshake (22) of SSL 3 or later.
  if (rawPacket?.[0] === 22 && rawPacket[1] === 3) return tls
  return (
    rejections[code] ?? {
      status: '400 Bad Request',
      message: `The HTTP request cannot be parsed (${code || message}).`,
    }
  )
}

function rejectSocket(socket: Socket, { status, message }: Rejection, headers = ''): void {
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

function ignore(): void {}
