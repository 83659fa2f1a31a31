/** Serves `fetch`-shaped callers: web requests in, web responses out, no network. Runs in a browser too. */

import type { AnsweredCall } from '../core/call-state.ts'
import type { SimulatorCore } from '../core/simulator.ts'
import { isBytes } from '../engine/bytes.ts'
import { eventCount } from '../engine/event-run.ts'
import { itemsOf } from '../protocol/response.ts'
import { SimulatorClosedError } from '../sessions/session-errors.ts'
import { isUnclaimed, splitPath, startExchange } from './exchange.ts'
import { message, stayAwake } from './platform.ts'
import { type OnEnd, playResponse } from './play-response.ts'
import { byteLength } from './read-payload.ts'
import { webHeaders, webPayload } from './read-web.ts'
import type { Playback, WireResponse } from './request-context.ts'
import { hostForm, rejectedHost } from './request-context.ts'
import { answerPreflight, writtenContent } from './write-response.ts'

export interface WebOptions {
  /** The base path of the simulator, without a trailing slash. */
  readonly mount?: string
  /** How to handle an unknown path: a 404 of the simulator, or undefined. */
  readonly unknown?: 'reject' | 'passthrough'
  /**
   * True when node's `ServerResponse` will write the response to a socket. A stream then says that it is
   * chunked, without which undici dies of a client that leaves, and begins with a chunk of no bytes, without
   * which the headers wait for the first event.
   */
  readonly throughSocket?: boolean
  /**
   * Whether the caller is the page or the process that created the simulator, and may use the control API.
   */
  readonly ownCalls?: boolean
}

const ownOrigin = 'http://gateway.sim'

/** Every so many requests in-process, timers and sockets have their turn. */
const turnEvery = 256

/** Responds like `fetch`; undefined only for an unknown path with `unknown: 'passthrough'`. */
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
  if (options.ownCalls === true && match.group?.internal === true)
    for (const name of core.controlGuard.headers) delete headers[name]
  if (method === 'OPTIONS') return new Response(null, answerPreflight(core, headers, match))
  return new Promise((resolve, reject) =>
    startExchange(core, {
      method,
      path,
      query: url.search.slice(1),
      headers,
      session,
      prefix,
      match,
      rejected: hostForm.test(url.host) ? undefined : rejectedHost(url.host),
      address: () => url.origin + mount,
      clientGone: () => signal,
      read: (endpoint, done) => done(webPayload(core, endpoint, request ?? url, init, headers, signal)),
      isGone: () => signal?.aborted === true,
      // As over a socket, concurrent requests are all accepted before the first response is read.
      send(response, firstByteSent) {
        // Promises alone would starve timers: a client that polls without a pause could not time out.
        const isTurn = response.answered.entry.seq % turnEvery === turnEvery - 1
        const answered = (isTurn ? message() : Promise.resolve()).then(() =>
          toResponse(response, method, core, signal, throughSocket),
        )
        resolve(answered.finally(firstByteSent))
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

/** A path is resolved against the simulator. */
function addressOf(written: string): URL {
  try {
    return new URL(written.startsWith('/') ? `${ownOrigin}${written}` : written)
  } catch (cause) {
    throw new TypeError(
      `fetch: expected a URL, or a path that begins with a slash such as /v1/models, got ` +
        JSON.stringify(written.slice(0, 200)),
      { cause },
    )
  }
}

function toResponse(
  written: WireResponse,
  method: string,
  core: SimulatorCore,
  signal: AbortSignal | undefined,
  throughSocket: boolean,
): Response {
  const { body, playback, answered, status, headers } = written
  const { journal } = answered.session.sandbox
  const empty = method === 'HEAD' || status === 204 || status === 304
  if (playback !== undefined && !empty) {
    // For a body of known length, node sets the header.
    if (throughSocket && headers['content-length'] === undefined) headers['transfer-encoding'] = 'chunked'
    return new Response(
      webStream(playback, answered, headers['content-length'], core, signal, throughSocket),
      {
        status,
        headers,
      },
    )
  }
  const isStream = answered.response.body.kind === 'events'
  if (isStream && typeof body === 'string' && body !== '' && !empty)
    return new Response(readableEvents(body, answered, signal), { status, headers })
  journal.close(answered.entry, 'completed', writtenContent(written))
  // A stream has no known length, even if all events are due.
  if (typeof body === 'string' && !isStream) headers['content-length'] ??= String(byteLength(body))
  else if (isBytes(body)) headers['content-length'] = String(body.length)
  return new Response(empty || body === undefined ? null : (body as string | Uint8Array<ArrayBuffer>), {
    status,
    headers,
  })
}

/**
 * How `fetch` rejects, and how the body of its response errors, when a connection breaks: a `TypeError` whose
 * cause has the
 * `code` that clients and retry libraries look at.
 */
export class BrokenCall extends TypeError {
  constructor(message: 'fetch failed' | 'terminated', reason: Error, how: 'close' | 'reset') {
    super(message, {
      cause: Object.assign(new Error(reason.message), {
        code: how === 'reset' ? 'ECONNRESET' : 'UND_ERR_SOCKET',
      }),
    })
  }
}

/** The stream of a playback. `length` is the content length as it is declared: a client reads no further. */
function webStream(
  playback: Playback,
  exchange: AnsweredCall,
  length: string | undefined,
  core: SimulatorCore,
  signal: AbortSignal | undefined,
  throughSocket: boolean,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let left = length === undefined || throughSocket ? Infinity : Number(length)
  let ended = false
  let leave: (() => void) | undefined
  let broken: Error | undefined
  // A reader of a copy of the stream (as created by msw) needs a turn to read earlier chunks.
  const breakOff = (controller: ReadableStreamDefaultController<Uint8Array>): void =>
    void setTimeout(() => controller.error(broken), 0)
  return new ReadableStream<Uint8Array>({
    start(controller) {
      if (throughSocket) controller.enqueue(new Uint8Array(0))
      const abort = (): void => {
        leave?.()
        if (!ended) controller.error(signal?.reason)
      }
      let isOver = false
      let sleep: (() => void) | undefined
      const onEnd: OnEnd = (how, text) => {
        isOver = true
        sleep?.()
        signal?.removeEventListener('abort', abort)
        exchange.session.sandbox.journal.close(exchange.entry, how, text)
      }
      const end = (): void => {
        if (!ended) controller.close()
        ended = true
      }
      signal?.addEventListener('abort', abort)
      if (left === 0) end()
      leave = playResponse(
        playback,
        exchange,
        {
          backlog: () => Math.max(0, -(controller.desiredSize ?? 0)),
          write(content) {
            if (ended) return
            const bytes = typeof content === 'string' ? encoder.encode(content) : content
            const kept = bytes.length > left ? bytes.subarray(0, left) : bytes
            left -= kept.length
            if (kept.length > 0) controller.enqueue(kept)
            if (left === 0) end()
          },
          end,
          fail(reason, how) {
            if (ended) return
            ended = true
            broken = new BrokenCall('terminated', reason, how)
            // An error discards unread chunks, so it waits until they have been read.
            if ((controller.desiredSize ?? 0) > 0) breakOff(controller)
          },
        },
        onEnd,
        core.warn,
      )
      // The process must keep running while a signal may end the wait.
      if (!isOver && signal !== undefined) sleep = stayAwake()
    },
    pull(controller) {
      if (broken !== undefined) breakOff(controller)
    },
    cancel() {
      leave?.()
    },
  })
}

/**
 * The stream of events that are all due: each event is passed on when the caller reads it, so the journal
 * knows how many were read before a disconnect.
 */
function readableEvents(
  text: string,
  { entry, session, response: { body } }: AnsweredCall,
  signal: AbortSignal | undefined,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  // Encoded in pages, which costs less than each event by itself; a chunk has its own memory, so that whoever
  // reads it may transfer it. A page ends at `at` in the text; `read` bytes of it have been handed over.
  let page = new Uint8Array(0)
  let begins = 0
  let at = 0
  let read = 0
  let abort: (() => void) | undefined
  const finish = (how: 'completed' | 'aborted'): void => {
    if (abort !== undefined) signal?.removeEventListener('abort', abort)
    if (entry.ended !== 'open') return
    const sent = how === 'completed' ? text : text.slice(0, begins) + textOf(page.subarray(0, read))
    session.sandbox.journal.close(entry, how, sent)
  }
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        abort = () => {
          controller.error(signal?.reason)
          finish('aborted')
        }
        signal?.addEventListener('abort', abort)
      },
      pull(controller) {
        if (read === page.length) {
          begins = at
          const end = text.indexOf('\n\n', at + pageLength)
          at = end < 0 ? text.length : end + 2
          page = encoder.encode(text.slice(begins, at))
          read = 0
        }
        const next = endOfEvent(page, read)
        controller.enqueue(page.slice(read, next))
        read = next
        entry.eventCount++
        if (at < text.length || read < page.length) return
        // One event of a script may consist of several frames.
        if (body.kind === 'events') entry.eventCount = eventCount(itemsOf(body))
        controller.close()
        finish('completed')
      },
      cancel: () => finish('aborted'),
    },
    { highWaterMark: 0 },
  )
}

const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

const pageLength = 4096
const lineFeed = 10

/** The end of the event at `start`: after an empty line, or at the end of the text. */
function endOfEvent(bytes: Uint8Array, start: number): number {
  for (let at = bytes.indexOf(lineFeed, start); at >= 0; at = bytes.indexOf(lineFeed, at + 1))
    if (bytes[at + 1] === lineFeed) return at + 2
  return bytes.length
}
