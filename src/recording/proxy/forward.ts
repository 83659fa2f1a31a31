/**
 * Passes one call on and its reply back, byte by byte as they come. Whoever breaks off, the other side sees
 * it; nothing here has a timeout.
 */
import {
  type ClientRequest,
  type IncomingMessage,
  request as plainRequest,
  type ServerResponse,
} from 'node:http'
import { request as secureRequest } from 'node:https'
import type { LookupFunction } from 'node:net'
import type { CallRecord } from './call-record.ts'
import { inPairs, passedOn } from './headers.ts'
import { passReply, type ReplyLinks } from './pass-reply.ts'
import { unreachableReply } from './refusals.ts'

/** Large enough for whatever a gateway and its clients send. */
export const maxHeaderSize = 256 * 1024

export interface Forwarding {
  readonly record: CallRecord
  readonly url: URL
  /** The path and query, as they were sent. */
  readonly path: string
  /** Refuses addresses that must not be called. */
  readonly lookup: LookupFunction | undefined
  readonly turning: ReplyLinks
  /** A whole body to send instead of the one that is arriving. */
  readonly body: Uint8Array | undefined
  readonly expectsContinue: boolean
}

/** Answers the client; the record hears how it ended. Never throws. */
export function forward(request: IncomingMessage, response: ServerResponse, forwarding: Forwarding): void {
  const { record, url, body } = forwarding
  let reachable = false
  let replied = false
  let asking: ClientRequest
  const refuse = (error: Error): void => {
    const reason = reasonOf(error)
    record.end('gateway', `${url.origin}: ${reason}`)
    if (response.headersSent) response.destroy()
    else unreachableReply(response, request, url.origin, reason)
    request.resume()
  }
  try {
    asking = open(request, forwarding)
  } catch (error) {
    // Bytes that node does not send: in a header or the path.
    return refuse(error as Error)
  }
  asking.on('socket', (socket) =>
    socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', () => (reachable = true)),
  )
  whenLeft(request, response, () => {
    if (!record.over()) record.end('client', 'the client broke off')
    if (!response.writableFinished) asking.destroy()
  })
  asking.on('error', (error: NodeJS.ErrnoException) => {
    if (record.over() || replied) return
    // What reset the connection to us without a word does so to the client. That it is no HTTP is told.
    if (!reachable || error.code?.startsWith('HPE_')) return refuse(error)
    record.end('gateway', `${url.origin}: ${reasonOf(error)} before the status line`)
    response.destroy()
  })
  asking.on('close', () => {
    // A change of protocol that nobody asked for.
    if (replied || record.over()) return
    record.end('gateway', `${url.origin}: no reply that is HTTP/1.1`)
    response.destroy()
  })
  asking.on('continue', () => {
    if (forwarding.expectsContinue && !response.headersSent) response.writeContinue()
  })
  asking.on('response', (reply) => {
    replied = true
    passReply(reply, response, { request, record, turning: forwarding.turning })
  })
  // The gateway may answer the head alone.
  asking.flushHeaders()
  if (body === undefined) sendBody(request, asking, record)
  else {
    record.asked.add(body, record.since())
    asking.end(body)
  }
}

/**
 * Calls back once when the response is over or the client gone. A response that waits for one before it on
 * the same connection has no socket yet, and hears nothing of its end.
 */
function whenLeft({ socket }: IncomingMessage, response: ServerResponse, left: () => void): void {
  const once = (): void => {
    response.off('close', once)
    socket.off('close', once)
    left()
  }
  response.on('close', once)
  socket.setMaxListeners(0).on('close', once)
  if (socket.destroyed) setImmediate(once)
}

function open(request: IncomingMessage, { url, path, lookup, body }: Forwarding): ClientRequest {
  const secure = url.protocol === 'https:'
  const { 'content-length': length, 'transfer-encoding': coding } = request.headers
  const framed = length !== undefined || coding !== undefined
  const headers = passedOn(request.rawHeaders, {
    host: url.host,
    ...(body === undefined ? {} : { 'content-length': String(body.length), 'transfer-encoding': undefined }),
  })
  if (request.headers.host === undefined) headers.push('Host', url.host)
  if (body !== undefined && length === undefined) headers.push('Content-Length', String(body.length))
  // Node would send an empty body in chunks.
  if (body === undefined && !framed && !/^(?:GET|HEAD|DELETE|OPTIONS|TRACE)$/.test(request.method ?? ''))
    headers.push('Content-Length', '0')
  return (secure ? secureRequest : plainRequest)({
    protocol: url.protocol,
    hostname: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (secure ? 443 : 80) : url.port,
    method: request.method,
    path,
    headers,
    // A connection for each call: one that was kept may be closed just when it is used again.
    agent: false,
    maxHeaderSize,
    ...(lookup === undefined ? {} : { lookup }),
  })
}

function sendBody(request: IncomingMessage, asking: ClientRequest, record: CallRecord): void {
  request.on('data', (bytes: Buffer) => {
    record.asked.add(bytes, record.since())
    if (asking.destroyed || asking.write(bytes)) return
    request.pause()
    asking.once('drain', () => request.resume())
  })
  request.on('end', () => {
    const trailers = inPairs(request.rawTrailers)
    if (trailers.length > 0) asking.addTrailers(trailers)
    asking.end()
  })
  // The response hears of it too.
  request.on('error', () => {})
}

function reasonOf(error: Error): string {
  const { code } = error as NodeJS.ErrnoException
  // Several addresses were tried, each with its own reason.
  const first = (error as AggregateError).errors?.[0] as Error | undefined
  const message = error.message === '' ? (first?.message ?? 'no reason given') : error.message
  return code === undefined || message.includes(code) ? message : `${message} (${code})`
}
