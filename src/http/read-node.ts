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

/** Headers as the core wants them: lower-case names, one text each. */
export function nodeHeaders(request: IncomingMessage): Readonly<Record<string, string | undefined>> {
  const { headers } = request
  // Only cookies and set-cookie come as lists; node joins the rest.
  return headers as Readonly<Record<string, string | undefined>>
}

/** The whole body, or undefined when it is over the limit. Rejects with `ClientLeft`. */
export function readAll(request: IncomingMessage, limit: number): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
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
    request.on('end', () => resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)))
    request.on('error', () => reject(new ClientLeft()))
    request.on('close', () => reject(new ClientLeft()))
  })
}

/** The payload of a request. `parsed` is what a body parser in front of us made of a body that can be read no more. */
export async function nodePayload(request: IncomingMessage, endpoint: Endpoint, settings: Settings, parsed: unknown): Promise<Payload> {
  const contentType = request.headers['content-type']
  const headers = nodeHeaders(request)
  if (request.readableEnded || parsed instanceof Uint8Array) return parsedPayload(parsed, headers, endpoint)
  const limit = bodyLimit(contentType, settings)
  const bytes = await readAll(request, limit)
  return bytes === undefined ? tooLarge(limit, contentType) : readBytes(bytes, headers, endpoint)
}

/** The payload that a parser in front of us has left. */
export function parsedPayload(parsed: unknown, headers: Readonly<Record<string, string | undefined>>, endpoint: Endpoint): Payload | Promise<Payload> {
  if (parsed instanceof Uint8Array) return readBytes(parsed, headers, endpoint)
  if (typeof parsed === 'string') return readBytes(new TextEncoder().encode(parsed), headers, endpoint)
  if (parsed === undefined || parsed === null) return { kind: 'none' }
  const contentType = headers['content-type'] ?? ''
  if (contentType.startsWith('multipart/')) {
    return { kind: 'refused', type: 'invalid_request_error', message: 'A body parser in front of the simulator has already taken this form apart: mount the simulator before it.' }
  }
  const text = JSON.stringify(parsed)
  return readBytes(new TextEncoder().encode(text), headers, endpoint)
}
