/**
 * Forwards one call and its response as the bytes arrive. A disconnect on one side is forwarded to the other;
 * there are no timeouts.
 */
import {
  type ClientRequest,
  type IncomingMessage,
  request as plainRequest,
  type ServerResponse,
} from 'node:http'
import { request as secureRequest } from 'node:https'
import type { LookupFunction } from 'node:net'
import { defined } from '../../engine/fields.ts'
import { ApiError, envelope } from '../../protocol/errors.ts'
import { type CallRecord, passedOn } from './call-record.ts'
import type { Links, Target } from './links.ts'

/** Large enough for all headers of a gateway and its clients. */
export const maxHeaderSize = 256 * 1024

/** Compressed bodies cannot be searched for secrets and links. The proxy itself sends `100 Continue`. */
export const headersFor = ({ host }: URL) => ({ host, 'accept-encoding': 'identity', expect: undefined })

export interface Forwarding {
  readonly record: CallRecord
  readonly url: URL
  /** The path and query, as they were sent. */
  readonly path: string
  /** Rejects IP addresses that must not be called. */
  readonly lookup: LookupFunction | undefined
  readonly turning: ResponseLinks
  /** A whole body to send instead of the one that is arriving. */
  readonly body: Uint8Array | undefined
}

/** Responds to the client and tells the record how the call ended. Never throws. */
export function forward(request: IncomingMessage, outgoing: ServerResponse, forwarding: Forwarding): void {
  const { record, url, body } = forwarding
  let reachable = false
  let responded = false
  let asking: ClientRequest
  const fail = (error: Error): void => {
    const reason = reasonOf(error)
    record.end('disconnected', `${url.origin}: ${reason}`)
    if (outgoing.headersSent) outgoing.destroy()
    else {
      const message = `gateway-sim record cannot reach ${url.origin}: ${reason}.`
      const remedy = 'Check --base-url and the network.'
      reject(outgoing, request, new ApiError('upstream_response_error', `${message} ${remedy}`))
    }
    request.resume()
  }
  try {
    asking = open(request, forwarding)
  } catch (error) {
    // A header or the path has bytes that Node does not send.
    return fail(error as Error)
  }
  asking.on('socket', (socket) =>
    socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', () => (reachable = true)),
  )
  whenLeft(request, outgoing, () => {
    if (!record.over()) record.end('aborted', 'the client disconnected')
    if (!outgoing.writableFinished) asking.destroy()
  })
  asking.on('error', (error: NodeJS.ErrnoException) => {
    if (record.over() || responded) return
    // A reset before the response is forwarded as a reset; a response that is not HTTP is reported.
    if (!reachable || error.code?.startsWith('HPE_')) return fail(error)
    record.end('disconnected', `${url.origin}: ${reasonOf(error)} before the status line`)
    outgoing.destroy()
  })
  asking.on('close', () => {
    // A change of protocol that was not requested.
    if (responded || record.over()) return
    record.end('disconnected', `${url.origin}: the response is not HTTP/1.1`)
    outgoing.destroy()
  })
  asking.on('response', (response) => {
    responded = true
    passResponse(response, outgoing, { request, record, turning: forwarding.turning })
  })
  // The gateway may respond before the body has arrived.
  asking.flushHeaders()
  if (body === undefined) sendBody(request, asking, record)
  else {
    record.request(body)
    asking.end(body)
  }
}

/** Calls back once when the response has ended or the client disconnected. */
function whenLeft({ socket }: IncomingMessage, outgoing: ServerResponse, left: () => void): void {
  const once = (): void => {
    outgoing.off('close', once)
    socket.off('close', once)
    left()
  }
  outgoing.on('close', once)
  socket.setMaxListeners(0).on('close', once)
  if (socket.destroyed) setImmediate(once)
}

function open(request: IncomingMessage, { url, path, lookup, body }: Forwarding): ClientRequest {
  const secure = url.protocol === 'https:'
  const { 'content-length': length, 'transfer-encoding': coding } = request.headers
  const framed = length !== undefined || coding !== undefined
  const headers = passedOn(request.rawHeaders, {
    ...headersFor(url),
    ...(body === undefined ? {} : { 'content-length': String(body.length), 'transfer-encoding': undefined }),
  })
  if (body !== undefined && length === undefined) headers.push('Content-Length', String(body.length))
  // Node would send an empty body in chunks.
  if (body === undefined && !framed && !/^(?:GET|HEAD|DELETE|OPTIONS|TRACE)$/.test(request.method ?? ''))
    headers.push('Content-Length', '0')
  const defaultPort = secure ? 443 : 80
  return (secure ? secureRequest : plainRequest)({
    protocol: url.protocol,
    hostname: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? defaultPort : url.port,
    method: request.method,
    path,
    headers,
    // A new connection for each call: a kept connection may close when it is reused.
    agent: false,
    maxHeaderSize,
    ...defined({ lookup }),
  })
}

function sendBody(request: IncomingMessage, asking: ClientRequest, record: CallRecord): void {
  request.on('data', (bytes: Buffer) => {
    record.request(bytes)
    if (asking.destroyed || asking.write(bytes)) return
    request.pause()
    asking.once('drain', () => request.resume())
  })
  request.on('end', () => void asking.end())
  // The response gets the error too.
  request.on('error', () => {})
}

function reasonOf(error: Error): string {
  const { code } = error as NodeJS.ErrnoException
  // Several IP addresses were tried, each with its own reason.
  const first = (error as AggregateError).errors?.[0] as Error | undefined
  const message = error.message === '' ? (first?.message ?? 'no reason given') : error.message
  return code === undefined || message.includes(code) ? message : `${message} (${code})`
}

/** 403: a URL that the proxy does not call. */
export function forbiddenResponse(outgoing: ServerResponse, request: IncomingMessage, reason: string): void {
  const message = `gateway-sim record does not follow this URL: ${reason}.`
  reject(outgoing, request, new ApiError('permission_error', message))
}

function reject(outgoing: ServerResponse, request: IncomingMessage, error: ApiError): void {
  const body = Buffer.from(JSON.stringify(envelope(error, 'gateway-sim-record')))
  outgoing.writeHead(error.status, {
    'content-type': 'application/json',
    'content-length': body.length,
    // The rest of the request is not read.
    connection: 'close',
  })
  outgoing.end(request.method === 'HEAD' ? undefined : body)
}

interface ResponseLinks {
  readonly links: Links
  /** The proxy as the client calls it: `http://127.0.0.1:4011`. */
  readonly base: string
  readonly target: Target
}

interface Passing {
  readonly request: IncomingMessage
  readonly record: CallRecord
  readonly turning: ResponseLinks
}

function passResponse(response: IncomingMessage, outgoing: ServerResponse, passing: Passing): void {
  const { record } = passing
  record.begin(response.statusCode ?? 0, response.statusMessage ?? '', response.rawHeaders)
  // The length of JSON changes with its links.
  const held: Buffer[] | undefined = mayHaveLinks(response, passing) ? [] : undefined
  const writeHead = (changes: Changes = {}): void => sendHead(response, outgoing, passing, changes)
  if (held === undefined) writeHead()
  response.on('data', (bytes: Buffer) => {
    record.response(bytes)
    if (held !== undefined) return void held.push(bytes)
    if (outgoing.write(bytes)) return
    response.pause()
    outgoing.once('drain', () => response.resume())
  })
  response.on('end', () => {
    if (!response.complete) return
    record.end('completed')
    if (outgoing.destroyed) return
    if (held === undefined) return void outgoing.end()
    const { links, base } = passing.turning
    const whole = Buffer.concat(held)
    const rewritten = links.rewriteResponse(whole.toString(), base)
    const body = rewritten === undefined ? whole : Buffer.from(rewritten)
    writeHead({ 'content-length': String(body.length) })
    outgoing.end(body)
  })
  const broken = (): void => {
    if (response.complete) return
    record.end('disconnected', 'the gateway disconnected')
    // What has arrived before the disconnect.
    if (held !== undefined && !outgoing.headersSent && !outgoing.destroyed) {
      writeHead()
      outgoing.write(Buffer.concat(held))
    }
    if (outgoing.socket === null) outgoing.destroy()
    else outgoing.socket.destroySoon()
  }
  response.on('error', broken)
  response.on('close', broken)
}

type Changes = Readonly<Record<string, string | undefined>>

function sendHead(
  response: IncomingMessage,
  outgoing: ServerResponse,
  { record, turning: { links, base, target } }: Passing,
  changes: Changes,
): void {
  const { location } = response.headers
  const turned = location === undefined ? undefined : links.rewriteLocation(location, base, target)
  const all = { ...changes, ...defined({ location: turned }) }
  outgoing.sendDate = false
  try {
    outgoing.writeHead(response.statusCode ?? 502, response.statusMessage, passedOn(response.rawHeaders, all))
    // Send the status of a stream before its first event.
    outgoing.flushHeaders()
  } catch (error) {
    // Node can read this header but not write it.
    record.end('disconnected', (error as Error).message)
    outgoing.destroy()
  }
}

/** A single document: JSON in lines or in a sequence is a stream. */
const isDocument = /^application\/(?!stream\+)(?:[\w.+-]+\+)?json\s*(?:;|$)/i

/** The response to a followed link is not rewritten. */
function mayHaveLinks({ headers, statusCode = 0 }: IncomingMessage, { request, turning }: Passing): boolean {
  if (turning.target.isFollowed || request.method === 'HEAD' || statusCode < 200 || statusCode > 299)
    return false
  return headers['content-encoding'] === undefined && isDocument.test(headers['content-type'] ?? '')
}
