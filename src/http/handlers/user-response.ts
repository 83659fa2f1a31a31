/**
 * Makes a user's `Response` safe for the middleware that writes it: its body never errors, it stops when the
 * client disconnects, and a response that node cannot write is rejected before the first byte.
 */

import { type IncomingMessage, type ServerResponse, validateHeaderValue } from 'node:http'
import { Readable } from 'node:stream'
import type { SimulatorCore } from '../../core/simulator.ts'
import { isBytes } from '../../engine/bytes.ts'
import { type KeptExchange, keptOfBody, noCause } from '../../exchange/kept-exchange.ts'
import { findKey } from '../../protocol/auth.ts'
import { ApiError } from '../../protocol/errors.ts'
import { defaultSession, type Session, type Sessions } from '../../sessions/sessions.ts'
import { splitPath } from '../exchange.ts'
import { type AccessLogLine, millisecondsSince } from '../node-listener.ts'
import type { Headers } from '../read-node.ts'

/** One request while user handlers process it: its session, and its journal entry. */
export interface Visit {
  readonly core: SimulatorCore
  readonly method: string
  /** Path and query for the handlers, without a session prefix. */
  readonly path: string
  readonly outgoing: ServerResponse
  readonly body: Buffer
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal
  readonly session: Session
  /** Virtual milliseconds at which the request was complete. */
  readonly at: number
  /** `open`: no response yet; `running`: the handlers run; `over`: done. */
  state: 'open' | 'running' | 'over'
  /** The call is no longer in flight. */
  leave(): void
  /** Adds the request to the journal of its session, and to the log. */
  record(status: number): KeptExchange
}

const decidedBy = { kind: 'user-handler' } as const

/** The visit of a request whose body has been read. `accessLog` is called when it is recorded. */
export function openVisit(
  core: SimulatorCore,
  request: IncomingMessage,
  outgoing: ServerResponse,
  body: Buffer,
  leave: () => void,
  accessLog: ((line: AccessLogLine) => void) | undefined,
): Visit {
  const method = request.method ?? 'GET'
  const written = pathOf(request)
  const { path: bare, session: named } = splitPath(written)
  const path = bare + (request.url ?? '').slice(written.length)
  const headers = request.headers as Headers
  const match = core.match(method, bare)
  const { route, params } = match.kind === 'found' ? match : { route: undefined, params: {} }
  const key = findKey(headers, route?.group.credentials ?? [{ header: 'authorization', scheme: 'Bearer' }])
  const session = sessionOf(core, [
    { method, path: bare, query: '', headers, payload: { kind: 'none' }, session: named },
    key,
    route?.endpoint,
    params,
  ])
  const at = session.sandbox.clock.now()
  const cameAt = performance.now()
  const left = new AbortController()
  outgoing.once('close', () => {
    if (!outgoing.writableFinished) left.abort()
  })
  return {
    core,
    method,
    path,
    outgoing,
    body,
    signal: left.signal,
    session,
    at,
    state: 'open',
    leave,
    record(status) {
      const operation = route?.endpoint.operation
      accessLog?.({
        method,
        path,
        status,
        operation,
        decidedBy,
        rule: undefined,
        faults: [],
        session: session.sandbox.name,
        requestId: undefined,
        at,
        realAt: core.wall(),
        durationMs: millisecondsSince(cameAt),
      })
      return session.sandbox.journal.add({
        at,
        realAt: core.wall(),
        session: session.sandbox.name,
        operation,
        method,
        url: path,
        status,
        cause: { ...noCause, decidedBy },
        key,
        headers,
        prefix: named,
        request: body.length === 0 ? undefined : body.toString('utf8', 0, keptOfBody),
      })
    },
  }
}

/** The path as sent, without its query. */
export function pathOf({ url = '/' }: IncomingMessage): string {
  const mark = url.indexOf('?')
  return mark < 0 ? url : url.slice(0, mark)
}

/** A copy of the request without its body, detached from the socket. */
export function replay(request: IncomingMessage, { path, session }: Visit): IncomingMessage {
  const named = session.sandbox.name === defaultSession ? {} : { 'x-sim-session': session.sandbox.name }
  const headers = { host: 'localhost', ...request.headers, ...named }
  const copy = new Readable({ read() {}, destroy: (_, done) => done(null) })
  copy.push(null)
  return Object.assign(copy, {
    method: request.method,
    url: path,
    headers,
    socket: request.socket,
    httpVersion: request.httpVersion,
  }) as unknown as IncomingMessage
}

function sessionOf(core: SimulatorCore, call: Parameters<Sessions['resolve']>): Session {
  try {
    return core.sessions.resolve(...call)
  } catch (error) {
    // An invalid name; the simulator rejects the request if no handler responds.
    if (error instanceof ApiError) return core.sessions.get(defaultSession)
    throw error
  }
}

// The part of a body that a journal keeps.
const kept = 64 * 1024

/** The error for a faulty user handler, which is also logged as a warning. */
export function handlerRejection(
  { core, method, path }: Pick<Visit, 'core' | 'method' | 'path'>,
  what: string,
  error?: unknown,
): Response {
  const reason = error === undefined ? '' : `: ${error instanceof Error ? error.message : String(error)}`
  const details = error instanceof Error ? `: ${error.stack ?? error.message}` : reason
  core.warn(`a user handler for ${method} ${path} ${what}${details}`)
  const message = `A user handler for ${method} ${path} ${what}${reason}`
  return Response.json(
    { error: { type: 'user_handler_error', code: 500, message, param: null, details: [], trace_id: '' } },
    { status: 500 },
  )
}

/** Why the middleware cannot write a response; undefined if it can. */
export function unwritable(response: unknown): string | undefined {
  if (
    response === null ||
    typeof response !== 'object' ||
    typeof (response as Response).status !== 'number' ||
    !((response as Response).headers instanceof Headers)
  ) {
    const type = typeof response === 'object' ? 'an object' : `a ${typeof response}`
    return (
      `returned ${type}, which is not a Response: return HttpResponse.json(…), or nothing ` +
      'to pass the request on'
    )
  }
  const { bodyUsed, body, headers } = response as Response
  if (bodyUsed || body?.locked === true)
    return 'returned a Response whose body has been read: return a copy (response.clone()) or a new Response'
  for (const [name, value] of headers) {
    try {
      validateHeaderValue(name, value)
    } catch {
      return `returned a header that cannot be sent: ${name}`
    }
  }
  return undefined
}

/** The same response, guarded: its entry is closed after the last byte, or when the client disconnects. */
export function guardResponse(response: Response, visit: Visit): Response {
  const { core, outgoing, session } = visit
  const { journal } = session.sandbox
  const entry = visit.record(response.status)
  const headers = new Headers(response.headers)
  if (!headers.has('access-control-allow-origin')) {
    headers.set('access-control-allow-origin', '*')
    headers.set('access-control-expose-headers', '*')
  }
  if (!headers.has('date')) headers.set('date', new Date(visit.at).toUTCString())
  outgoing.sendDate = false
  const init = { status: response.status, statusText: response.statusText, headers }
  if (response.body === null) {
    journal.close(entry, 'completed', undefined)
    return new Response(null, init)
  }

  const reader = response.body.getReader()
  const decoder = /json|text|event-stream/.test(headers.get('content-type') ?? '')
    ? new TextDecoder()
    : undefined
  let sent = ''
  let ended = false
  const finish = (how: 'completed' | 'aborted' | 'disconnected'): void => {
    if (ended) return
    ended = true
    session.open.delete(stop)
    journal.close(entry, how, decoder === undefined ? undefined : sent)
  }
  const stop = (reason: Error): void => {
    finish('disconnected')
    void reader.cancel(reason).catch(ignore)
    breakOff(outgoing)
  }
  session.open.add(stop)

  const body = new ReadableStream<Uint8Array>(
    {
      start() {
        outgoing.once('close', () => {
          if (ended) return
          finish('aborted')
          void reader.cancel(new Error('the client left')).catch(ignore)
        })
      },
      async pull(controller) {
        // The body is read only after the middleware has set status and headers; a slow stream sends them
        // immediately.
        if (!outgoing.headersSent && !outgoing.destroyed) outgoing.flushHeaders()
        try {
          const { done, value } = await reader.read()
          if (ended) return
          if (done) {
            finish('completed')
            controller.close()
            return
          }
          if (!isBytes(value)) {
            const type = typeof value === 'string' ? 'a string' : 'not binary'
            throw new TypeError(
              `a body chunk is ${type}: expected a Uint8Array (pipe text through a TextEncoderStream)`,
            )
          }
          if (decoder !== undefined && sent.length < kept) sent += decoder.decode(value, { stream: true })
          controller.enqueue(value)
        } catch (error) {
          if (ended) return
          const reason = error instanceof Error ? (error.stack ?? error.message) : String(error)
          core.warn(
            `the response body of a user handler for ${visit.method} ${visit.path} failed, and the ` +
              `connection was closed: ${reason}`,
          )
          finish('disconnected')
          // The body deliberately has no end, which the middleware would write as a complete response.
          breakOff(outgoing)
        }
      },
    },
    { highWaterMark: 0 },
  )
  return new Response(body, init)
}

// Written data must arrive before the connection closes.
function breakOff(outgoing: ServerResponse): void {
  outgoing.socket?.destroySoon()
}

function ignore(): void {}
