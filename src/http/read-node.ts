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

/** The whole body, or undefined when it is over the limit. Rejects with `ClientLeft`. */
export function readAll(request: IncomingMessage, limit: number): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    // Left already: no event would come any more.
    if (request.destroyed && !request.readableEnded) {
      reject(new ClientLeft())
      return
    }
    const declared = Number(request.headers['content-length'])
    if (declared > limit) {
      request.resume()
      resolve(undefined)
      return
    }
    const chunks: Buffer[] = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > limit) {
        chunks.length = 0
        resolve(undefined)
        return
      }
      chunks.push(chunk)
    })
    let ended = false
    request.on('end', () => {
      ended = true
      resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks))
    })
    // Every request closes; an error is made only for one that has not ended, since its stack costs more than the answer.
    const left = (): void => {
      if (!ended) reject(new ClientLeft())
    }
    request.on('error', left)
    request.on('close', left)
  })
}

/** The payload of a request. `parsed` is what a body parser in front of us made of a body that can be read no more. */
export async function nodePayload(request: IncomingMessage, endpoint: Endpoint, settings: Settings, parsed: unknown): Promise<Payload> {
  const contentType = request.headers['content-type']
  const headers = nodeHeaders(request)
  const limit = bodyLimit(contentType, settings)
  if (parsed === overLimit || (parsed instanceof Uint8Array && parsed.length > limit)) return tooLarge(limit, contentType)
  if (request.readableEnded || parsed instanceof Uint8Array) return parsedPayload(parsed, headers, endpoint)
  const bytes = await readAll(request, limit)
  return bytes === undefined ? tooLarge(limit, contentType) : readBytes(bytes, headers, endpoint)
}

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
