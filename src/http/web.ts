/**
 * The door for `fetch`-shaped callers: web requests in, web responses out, no network. Runs in a browser too.
 */

import type { SimulatorCore } from '../core/simulator.ts'
import { isBytes } from '../engine/bytes.ts'
import type { IncomingCall, Payload } from '../protocol/call.ts'
import type { Match } from '../protocol/router.ts'
import { splitPath } from './address.ts'
import { answer, preflight } from './answer.ts'
import { createIntake } from './body-sink.ts'
import { holdReply } from './delay-reply.ts'
import {
  bodyLimit,
  byteLength,
  formReader,
  readBytes,
  readString,
  takesBytes,
  tooLarge,
} from './read-payload.ts'
import { BrokenCall, webStream } from './web-stream.ts'
import { isPlayback, type WireReply } from './write-reply.ts'

export interface WebOptions {
  /** A base path in front of the simulator's own paths, without a trailing slash. */
  readonly mount?: string
  /**
   * What becomes of a path that no operation owns: a 404 of the simulator, or undefined for the caller to go
   * on.
   */
  readonly unknown?: 'refuse' | 'passthrough'
  /**
   * True when node's `ServerResponse` will write the reply to a socket. A stream then says that it is
   * chunked, without which undici dies of a client that leaves, and begins with a chunk of no bytes, without
   * which the headers wait for the first event.
   */
  readonly throughSocket?: boolean
}

/** Answers like `fetch`; undefined only for an unknown path with `unknown: 'passthrough'`. */
export async function fetchFrom(
  core: SimulatorCore,
  input: string | URL | Request,
  init: RequestInit | undefined,
  options: WebOptions = {},
): Promise<Response | undefined> {
  const request = input instanceof Request ? input : undefined
  const url = new URL(request === undefined ? String(input) : request.url)
  const signal = init?.signal ?? request?.signal
  signal?.throwIfAborted()
  const mount = options.mount ?? ''
  const { path, session, prefix } = splitPath(
    mount !== '' && url.pathname.startsWith(mount) ? url.pathname.slice(mount.length) || '/' : url.pathname,
  )
  const method = (init?.method ?? request?.method ?? 'GET').toUpperCase()
  const match = core.match(method, path)
  // What stands under the control API's address is the simulator's, whoever else has the rest.
  if (match.kind === 'none' && match.group?.internal !== true && options.unknown === 'passthrough')
    return undefined

  let leave = core.callStarted()
  try {
    const headers = plainHeaders(init?.headers ?? request?.headers)
    const early = preflight(core, method, headers, match)
    if (early !== undefined) return new Response(null, early)
    const payload = await readPayload(core, match, input, init, headers, signal ?? undefined)
    const call: IncomingCall = { method, path, query: url.search.slice(1), headers, payload, session }
    const written = await answer(
      core,
      call,
      match,
      { method, headers, address: () => url.origin + mount, prefix, left: () => signal ?? undefined },
      leave,
    )
    if (written.hold !== undefined) {
      leave()
      leave = await comes(written, core, signal ?? undefined)
    }
    if (signal?.aborted) {
      written.answered.session.world.journal.close(written.answered.entry, 'aborted', undefined)
      signal.throwIfAborted()
    }
    return toResponse(written, method, core, signal ?? undefined, options.throughSocket === true)
  } finally {
    leave()
  }
}

/**
 * Resolves when the time of a held reply has come, with the end of its arrival; rejects as `fetch` does when
 * none comes.
 */
function comes(
  { hold, answered }: WireReply,
  core: SimulatorCore,
  signal: AbortSignal | undefined,
): Promise<() => void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      left()
      reject(signal?.reason as Error)
    }
    const done = (): void => signal?.removeEventListener('abort', abort)
    const left = holdReply(hold as NonNullable<typeof hold>, answered, core, {
      come(arrived) {
        done()
        resolve(arrived)
      },
      fail(reason) {
        done()
        reject(new BrokenCall('fetch failed', reason, 'reset'))
      },
    })
    if (signal?.aborted) abort()
    else signal?.addEventListener('abort', abort)
  })
}

async function readPayload(
  core: SimulatorCore,
  match: Match,
  input: string | URL | Request,
  init: RequestInit | undefined,
  headers: Record<string, string>,
  signal: AbortSignal | undefined,
): Promise<Payload> {
  if (match.kind !== 'found' || match.route.endpoint.accepts.length === 0) return { kind: 'none' }
  const { endpoint } = match.route
  const body = init?.body
  // The usual SDK hands over a string; building a Request around it would cost more than answering it.
  if (typeof body === 'string' && !takesBytes(endpoint)) {
    // What `fetch` would send: over HTTP such a body is refused, and a test must not pass here alone.
    headers['content-type'] ??= 'text/plain;charset=UTF-8'
    return readString(body, headers, endpoint, core.settings)
  }
  if (body === undefined || body === null) {
    if (!(input instanceof Request) || input.body === null)
      return readBytes(new Uint8Array(0), headers, endpoint, core)
  }
  const request =
    input instanceof Request && (body === undefined || body === null)
      ? input
      : new Request(input, { ...init, duplex: 'half' } as RequestInit)
  // A form gets its boundary, and with it its content type, only here.
  headers['content-type'] ??= request.headers.get('content-type') ?? ''
  const limit = bodyLimit(headers['content-type'], core.settings, endpoint)
  if (takesBytes(endpoint)) {
    const declared = Number(headers['content-length'])
    const intake = createIntake(declared <= limit ? declared : 0)
    return (await readPieces(request, limit, signal, intake.add))
      ? intake.finish()
      : tooLarge(limit, headers['content-type'], endpoint)
  }
  const form = await formReader(headers, endpoint, core)
  if (form !== undefined)
    return (await readPieces(request, limit, signal, form.add))
      ? form.finish()
      : tooLarge(limit, headers['content-type'])
  const bytes = await readAtMost(request, limit, signal)
  return bytes === undefined
    ? tooLarge(limit, headers['content-type'])
    : readBytes(bytes, headers, endpoint, core)
}

/**
 * Hands over the body piece by piece; false when it is over the limit. Rejects when the body breaks or the
 * caller leaves.
 */
async function readPieces(
  { body }: Request,
  limit: number,
  signal: AbortSignal | undefined,
  take: (piece: Uint8Array) => void,
): Promise<boolean> {
  if (body === null) return true
  const reader = body.getReader()
  // A stream that says nothing more would keep a caller who has left waiting for ever.
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
  let size = 0
  const whole = await readPieces(request, limit, signal, (piece) => {
    chunks.push(piece)
    size += piece.length
  })
  if (!whole) return undefined
  if (chunks.length === 1) return chunks[0]
  const bytes = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}

function plainHeaders(given: RequestInit['headers'] | Headers | undefined): Record<string, string> {
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

function toResponse(
  written: WireReply,
  method: string,
  core: SimulatorCore,
  signal: AbortSignal | undefined,
  throughSocket: boolean,
): Response {
  const { body, answered, status, headers } = written
  const { journal } = answered.session.world
  const empty = method === 'HEAD' || status === 204 || status === 304
  if (isPlayback(body) && !empty) {
    // Of a body of known length, node says so itself.
    if (throughSocket && headers['content-length'] === undefined) headers['transfer-encoding'] = 'chunked'
    return new Response(webStream(body, answered, headers['content-length'], core, signal, throughSocket), {
      status,
      headers,
    })
  }
  if (answered.reply.body.kind === 'events') answered.entry.events = answered.reply.body.events.length
  journal.close(answered.entry, 'completed', typeof body === 'string' ? body : undefined)
  // A stream has no length that could be known before it ends, also where nothing of it waits.
  if (typeof body === 'string' && answered.reply.body.kind !== 'events')
    headers['content-length'] ??= String(byteLength(body))
  else if (isBytes(body)) headers['content-length'] = String(body.length)
  return new Response(empty || body === undefined ? null : (body as string | Uint8Array<ArrayBuffer>), {
    status,
    headers,
  })
}
