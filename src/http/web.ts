/** Serves `fetch`-shaped callers: web requests in, web responses out, no network. Runs in a browser too. */
import type { SimulatorCore } from '../core/simulator.ts'
import { isBytes } from '../engine/bytes.ts'
import { isInternal } from '../protocol/router.ts'
import { SimulatorClosedError } from '../sessions/closed-error.ts'
import { answerPreflight } from './cors.ts'
import { isUnclaimed, splitPath, startExchange } from './exchange.ts'
import { byteLength } from './read-payload.ts'
import { webHeaders, webPayload } from './read-web.ts'
import { hostForm, refusedHost } from './refused-head.ts'
import type { RequestContext, WireReply } from './request-context.ts'
import { stayAwake } from './turn.ts'
import { BrokenCall, webStream } from './web-stream.ts'
import { isPlayback } from './write-reply.ts'

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
  /** True when the page or the process that calls is the one that made the simulator: it may drive it. */
  readonly ownCalls?: boolean
}

const ownOrigin = 'http://gateway.sim'

/** Answers like `fetch`; undefined only for an unknown path with `unknown: 'passthrough'`. */
export async function fetchFrom(
  core: SimulatorCore,
  input: string | URL | Request,
  init: RequestInit | undefined,
  options: WebOptions = {},
): Promise<Response | undefined> {
  const request = input instanceof Request ? input : undefined
  const url = addressOf(request?.url ?? String(input))
  const signal = init?.signal ?? request?.signal ?? undefined
  signal?.throwIfAborted()
  const { mount = '', throughSocket = false } = options
  const isMounted = mount !== '' && url.pathname.startsWith(mount)
  const { path, session, prefix } = splitPath(
    isMounted ? url.pathname.slice(mount.length) || '/' : url.pathname,
  )
  const method = (init?.method ?? request?.method ?? 'GET').toUpperCase()
  const match = core.match(method, path)
  if (options.unknown === 'passthrough' && isUnclaimed(match)) return undefined
  const headers = webHeaders(init?.headers ?? request?.headers)
  if (options.ownCalls === true && isInternal(match))
    for (const name of core.controlGuard.headers) delete headers[name]
  if (method === 'OPTIONS') return new Response(null, answerPreflight(core, headers, match))
  const context: RequestContext = {
    method,
    path,
    query: url.search.slice(1),
    headers,
    session,
    prefix,
    match,
    refused: hostForm.test(url.host) ? undefined : refusedHost(url.host),
    address: () => url.origin + mount,
    clientGone: () => signal,
  }
  return new Promise((resolve, reject) =>
    startExchange(core, context, {
      read: (endpoint, done) => done(webPayload(core, endpoint, request ?? url, init, headers, signal)),
      isGone: () => signal?.aborted === true,
      // As over a socket, calls that are made together have all been taken before the first reply is read.
      send(reply, firstByteSent) {
        const response = Promise.resolve().then(() => toResponse(reply, method, core, signal, throughSocket))
        resolve(response.finally(firstByteSent))
      },
      stayAwake,
      abandon: () => reject(signal?.reason as Error),
      breakOff: (reason) =>
        reject(
          reason instanceof SimulatorClosedError ? reason : new BrokenCall('fetch failed', reason, 'reset'),
        ),
      fail: reject,
    }),
  )
}

/** A path is one of the simulator: nothing else has an address here. */
function addressOf(written: string): URL {
  try {
    return new URL(written.startsWith('/') ? `${ownOrigin}${written}` : written)
  } catch (cause) {
    throw new TypeError(
      `fetch: expected an address, or a path that begins with a slash such as /v1/models, got ` +
        JSON.stringify(written.slice(0, 200)),
      { cause },
    )
  }
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
