/** Reads a call from the arguments of `fetch`. */

import type { SimulatorCore } from '../core/simulator.ts'
import { joinBytes } from '../engine/bytes.ts'
import type { Payload } from '../protocol/call.ts'
import type { Endpoint } from '../protocol/endpoint.ts'
import { createBodySink } from './held-bytes.ts'
import { bodyLimit, formReader, readBytes, readString, tooLarge } from './read-payload.ts'

/**
 * The payload of a request; synchronous for no body or a string. Rejects if the body fails or the caller
 * aborts. Adds the headers that `fetch` would send.
 */
export function webPayload(
  core: SimulatorCore,
  endpoint: Endpoint,
  input: URL | Request,
  init: RequestInit | undefined,
  headers: Record<string, string>,
  signal: AbortSignal | undefined,
): Payload | Promise<Payload> {
  const body = init?.body
  // Most SDKs pass a string; building a Request from it would cost more than the response.
  if (typeof body === 'string' && !endpoint.accepts.includes('bytes')) {
    // As `fetch` would send it: over HTTP such a body is rejected, so it must be rejected here too.
    headers['content-type'] ??= 'text/plain;charset=UTF-8'
    return readString(body, headers, endpoint, core.settings)
  }
  if (body === undefined || body === null) {
    if (!(input instanceof Request) || input.body === null)
      return readBytes(new Uint8Array(0), headers, endpoint)
  }
  return readRequest(core, endpoint, input, init, headers, signal)
}

async function readRequest(
  core: SimulatorCore,
  endpoint: Endpoint,
  input: URL | Request,
  init: RequestInit | undefined,
  headers: Record<string, string>,
  signal: AbortSignal | undefined,
): Promise<Payload> {
  const body = init?.body
  const request =
    input instanceof Request && (body === undefined || body === null)
      ? input
      : new Request(input, { ...init, duplex: 'half' } as RequestInit)
  // A form gets its boundary and its content type only here.
  headers['content-type'] ??= request.headers.get('content-type') ?? ''
  const limit = bodyLimit(headers['content-type'], core.settings, endpoint)
  if (endpoint.accepts.includes('bytes')) {
    const intake = createBodySink()
    return (await readChunks(request, limit, signal, intake.add))
      ? intake.finish()
      : tooLarge(limit, headers['content-type'], endpoint)
  }
  const form = await formReader(headers, endpoint)
  if (form !== undefined)
    return (await readChunks(request, limit, signal, form.add))
      ? form.finish()
      : tooLarge(limit, headers['content-type'], endpoint)
  const bytes = await readAtMost(request, limit, signal)
  return bytes === undefined
    ? tooLarge(limit, headers['content-type'], endpoint)
    : readBytes(bytes, headers, endpoint)
}

/** Passes on the body in chunks; false over the limit. Rejects if the body fails or the caller aborts. */
async function readChunks(
  { body }: Request,
  limit: number,
  signal: AbortSignal | undefined,
  take: (chunk: Uint8Array) => void,
): Promise<boolean> {
  if (body === null) return true
  const reader = body.getReader()
  // A silent stream would keep an aborted caller waiting forever.
  const leave = (): void => void reader.cancel(signal?.reason).catch(() => {})
  signal?.addEventListener('abort', leave)
  try {
    for (let size = 0; ; ) {
      const { done, value } = await reader.read()
      signal?.throwIfAborted()
      if (done) return true
      size += value.length
      if (size > limit) {
        leave()
        return false
      }
      take(value)
    }
  } finally {
    signal?.removeEventListener('abort', leave)
  }
}

async function readAtMost(
  request: Request,
  limit: number,
  signal: AbortSignal | undefined,
): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = []
  const isWhole = await readChunks(request, limit, signal, (chunk) => void chunks.push(chunk))
  return isWhole ? joinBytes(chunks) : undefined
}

/** Headers for the core: lower-case names, repeated ones joined. */
export function webHeaders(given: RequestInit['headers'] | Headers | undefined): Record<string, string> {
  const headers: Record<string, string> = Object.create(null)
  if (given === undefined) return headers
  const list = given instanceof Headers || Array.isArray(given) ? given : Object.entries(given)
  for (const [name, value] of list as Iterable<[string, string | undefined]>) {
    if (value === undefined) continue
    const lower = name.toLowerCase()
    headers[lower] = headers[lower] === undefined ? String(value) : `${headers[lower]}, ${value}`
  }
  return headers
}
