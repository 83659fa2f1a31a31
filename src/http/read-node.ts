/** Reads a call straight from node's `IncomingMessage`, without building a web `Request`. */
import type { IncomingMessage } from 'node:http'
import type { Payload } from '../protocol/call.ts'
import type { Endpoint } from '../protocol/endpoint.ts'
import type { Settings } from '../protocol/settings.ts'
import { bodyLimit, readBytes, tooLarge } from './read-payload.ts'

/** The client left before its request was whole. */
export class ClientLeft extends Error {
  override readonly name = 'ClientLeft'
}

/** Stands for a body that was too large to keep. */
export const overLimit = Symbol('over the limit')

/** A body that was read from the request before the simulator was asked. */
export type RawBody = Uint8Array | typeof overLimit

/** Headers as the core wants them: lower-case names, one text each. */
export function nodeHeaders(request: IncomingMessage): Readonly<Record<string, string | undefined>> {
  const { headers } = request
  // Only cookies and set-cookie come as lists; node joins the rest.
  return headers as Readonly<Record<string, string | undefined>>
}

/** Stands for a body whose client left before it was whole. */
export const clientLeft = Symbol('the client left')

/** Reads the whole body and hands it over once: `overLimit` beyond the limit, `clientLeft` when it never becomes whole. */
export function readBody(request: IncomingMessage, limit: number, done: (body: Buffer | typeof overLimit | typeof clientLeft) => void): void {
  // Left already: no event would come any more.
  if (request.destroyed && !request.readableEnded) return done(clientLeft)
  const declared = Number(request.headers['content-length'])
  if (declared > limit) {
    request.resume()
    return done(overLimit)
  }
  let chunks: Buffer[] = []
  let size = 0
  let ended = false
  const end = (body: Buffer | typeof overLimit | typeof clientLeft): void => {
    if (ended) return
    ended = true
    done(body)
  }
  request.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size <= limit) return void chunks.push(chunk)
    chunks = []
    end(overLimit)
  })
  request.on('end', () => end(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)))
  // Every request closes, after its end or instead of it. (Without a listener for `error`, node raises none.)
  request.on('close', () => end(clientLeft))
}

/** The whole body, for those who wait for it. Rejects with `ClientLeft`. */
export function readAll(request: IncomingMessage, limit: number): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    readBody(request, limit, (body) => (body === clientLeft ? reject(new ClientLeft()) : resolve(body === overLimit ? undefined : body)))
  })
}

/**
 * Hands over the payload of a request, at once or when it has been read; a form takes a promise. `parsed` is what a body
 * parser in front of us made of a body that can be read no more.
 */
export function nodePayload(request: IncomingMessage, endpoint: Endpoint, settings: Settings, parsed: unknown, done: (payload: Payload | Promise<Payload>) => void): void {
  const contentType = request.headers['content-type']
  const headers = nodeHeaders(request)
  const limit = bodyLimit(contentType, settings)
  if (parsed === overLimit || (parsed instanceof Uint8Array && parsed.length > limit)) return done(tooLarge(limit, contentType))
  if (request.readableEnded || parsed instanceof Uint8Array) return done(parsedPayload(parsed, headers, endpoint))
  // No promise stands between the usual body's end and its answer.
  readBody(request, limit, (body) => done(body === clientLeft ? leftEarly : body === overLimit ? tooLarge(limit, contentType) : readBytes(body, headers, endpoint)))
}

// Taken as a call all the same, so that the journal shows it; its reply reaches nobody.
const leftEarly: Payload = { kind: 'refused', type: 'invalid_request_error', message: 'The client left before its request was whole.' }

/** The payload that a parser in front of us has left. */
export function parsedPayload(parsed: unknown, headers: Readonly<Record<string, string | undefined>>, endpoint: Endpoint): Payload | Promise<Payload> {
  if (parsed instanceof Uint8Array) return readBytes(parsed, headers, endpoint)
  if (typeof parsed === 'string') return readBytes(new TextEncoder().encode(parsed), headers, endpoint)
  const contentType = headers['content-type'] ?? ''
  if (parsed === undefined || parsed === null) {
    const sent = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
    if (!sent) return { kind: 'none' }
    return { kind: 'refused', type: 'invalid_request_error', message: 'Something in front of the simulator has already read this body and left nothing of it: mount the simulator before it.' }
  }
  if (contentType.startsWith('multipart/')) {
    return { kind: 'refused', type: 'invalid_request_error', message: 'A body parser in front of the simulator has already taken this form apart: mount the simulator before it.' }
  }
  let text: string
  try {
    text = JSON.stringify(parsed)
  } catch {
    // Only depth can be in the way: a parser made this value of JSON, or of a form.
    return { kind: 'refused', type: 'invalid_request_error', message: 'The body is nested too deep to be read: make it flatter.' }
  }
  return readBytes(new TextEncoder().encode(text), headers, endpoint)
}
