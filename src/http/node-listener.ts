/**
 * The door for node's http server: the hot path from socket to core and back. Express and `listen` both stand
 * on it.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { SimulatorCore } from '../core/simulator.ts'
import { isBytes } from '../engine/bytes.ts'
import type { IncomingCall, Payload } from '../protocol/call.ts'
import { splitPath } from './address.ts'
import { answer, preflight } from './answer.ts'
import { type AtTurnsEnd, createBatchWrites } from './batch-writes.ts'
import { holdReply } from './delay-reply.ts'
import { playEvents } from './play-events.ts'
import { nodeHeaders, nodePayload, type RawBody } from './read-node.ts'
import { reset, socketSink } from './socket-sink.ts'
import { isPlayback, type WireReply } from './write-reply.ts'

/** One answered call, for logs. */
export interface AccessLogLine {
  readonly method: string
  readonly path: string
  readonly status: number
  readonly operation: string | undefined
  readonly decidedBy: string | undefined
  /** The id of the scenario rule that answered. */
  readonly rule: string | undefined
  readonly session: string
  /**
   * Why the reply is as it is, where that is asked for (settings strict and explain, header x-sim-explain).
   */
  readonly explain?: string | undefined
  /** Virtual milliseconds since the epoch. */
  readonly at: number
}

/** @internal */
export interface NodeOptions {
  /** What stands in front of the simulator's own paths, without a trailing slash. */
  readonly mount?: string
  /** Called for a path that no operation owns; the simulator refuses it (404) when not given. */
  readonly unknown?: () => void
  /** What a body parser in front of us made of the body. */
  readonly parsedBody?: unknown
  /** The body, when it was read before us. */
  readonly rawBody?: RawBody
  readonly accessLog?: ((line: AccessLogLine) => void) | undefined
}

/**
 * @internal Answers one request. Never throws and never leaves a response open without a reason in the
 * journal.
 */
export type ServeRequest = (request: IncomingMessage, response: ServerResponse, options?: NodeOptions) => void

/** @internal What one server, or one mount, answers its requests with. */
export function createServeRequest(core: SimulatorCore): ServeRequest {
  const atTurnsEnd = createBatchWrites()
  return (request, response, options = {}) => serveRequest(core, atTurnsEnd, request, response, options)
}

function serveRequest(
  core: SimulatorCore,
  atTurnsEnd: AtTurnsEnd,
  request: IncomingMessage,
  response: ServerResponse,
  options: NodeOptions,
): void {
  const url = originForm(request.url ?? '/')
  const mark = url.indexOf('?')
  const { path, session, prefix } = splitPath(mark < 0 ? url : url.slice(0, mark))
  const method = request.method ?? 'GET'
  const match = core.match(method, path)
  // What stands under the control API's address is the simulator's, whoever else has the rest.
  if (match.kind === 'none' && match.group?.internal !== true && options.unknown !== undefined)
    return options.unknown()

  // A socket that breaks under a reply is the client's business; unheard it would end the process.
  response.on('error', ignore)
  const leave = core.callStarted()
  const headers = nodeHeaders(request)
  const early = preflight(core, method, headers, match)
  if (early !== undefined) {
    leave()
    response.writeHead(early.status, early.headers).end()
    return
  }
  const asked = {
    method,
    headers,
    address: () => addressOf(request, options.mount),
    prefix,
    left: () => leavingOf(response),
  }

  const go = (payload: Payload): void => {
    const call: IncomingCall = {
      method,
      path,
      query: mark < 0 ? '' : url.slice(mark + 1),
      headers,
      payload,
      session,
    }
    const written = answer(core, call, match, asked, leave)
    if (written instanceof Promise) written.then(send).catch(failed)
    else send(written)
  }
  const send = (written: WireReply): void => {
    if (written.hold === undefined)
      write(written, method, request, response, core, (turn) => atTurnsEnd(turn, failed), leave, options)
    else hold(written)
  }
  const hold = (written: WireReply): void => {
    leave()
    if (response.destroyed || request.socket.destroyed)
      return written.answered.session.world.journal.close(written.answered.entry, 'aborted', undefined)
    // A call that gets no reply is logged when it is taken.
    if (written.status === 0) logCall(written, method, options)
    let left: (() => void) | undefined
    const gone = (): void => left?.()
    response.once('close', gone)
    left = holdReply(written.hold as NonNullable<typeof written.hold>, written.answered, core, {
      come(arrived) {
        response.off('close', gone)
        try {
          write(
            written,
            method,
            request,
            response,
            core,
            (turn) => atTurnsEnd(turn, failed),
            arrived,
            options,
          )
        } catch (error) {
          arrived()
          failed(error)
        }
      },
      fail: () => reset(response),
    })
  }
  const failed = (error: unknown): void => {
    leave()
    core.warn(
      `bug of the simulator in ${method} ${path}: ${error instanceof Error ? error.stack : String(error)}`,
    )
    // Behind a reply that has begun, an error body would be read as a part of it.
    if (response.headersSent) return void response.destroy()
    response.writeHead(500, { 'content-type': 'application/json' })
    response.end(
      JSON.stringify({
        error: {
          type: 'simulator_bug',
          code: 500,
          message: 'The simulator itself went wrong, not your call. Please report it.',
          param: null,
          details: [],
          trace_id: '',
        },
      }),
    )
  }

  const arrived = (payload: Payload | Promise<Payload>): void => {
    if (payload instanceof Promise) return void payload.then(go).catch(failed)
    try {
      go(payload)
    } catch (error) {
      failed(error)
    }
  }
  if (match.kind !== 'found' || match.route.endpoint.accepts.length === 0) arrived({ kind: 'none' })
  else nodePayload(request, match.route.endpoint, core, options.rawBody ?? options.parsedBody, arrived)
}

// A server must take the absolute form too (RFC 9112 section 3.2.2): `GET http://host/v1/models HTTP/1.1`.
function originForm(target: string): string {
  return target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]*/i, '') || '/'
}

// Asked for only by replies with links.
function addressOf(request: IncomingMessage, mount = ''): string {
  return `http${(request.socket as { encrypted?: boolean }).encrypted === true ? 's' : ''}://${request.headers.host ?? 'localhost'}${mount}`
}

// Asked for only by replies with media.
function leavingOf(response: ServerResponse): AbortSignal {
  const leaving = new AbortController()
  if (response.destroyed) leaving.abort()
  else response.once('close', () => leaving.abort())
  return leaving.signal
}

function ignore(): void {}

// A request without a body is answered while node still counts it as incomplete.
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'
}

function logCall(
  { status, headers, answered: { entry } }: WireReply,
  method: string,
  { accessLog }: NodeOptions,
): void {
  accessLog?.({
    method,
    path: entry.path,
    status,
    operation: entry.operation,
    decidedBy: entry.decidedBy,
    rule: entry.rule,
    session: entry.session,
    at: entry.at,
    ...(headers['x-sim-explain'] === undefined ? {} : { explain: headers['x-sim-explain'] }),
  })
}

function write(
  written: WireReply,
  method: string,
  request: IncomingMessage,
  response: ServerResponse,
  core: SimulatorCore,
  atTurnsEnd: (turn: () => void) => void,
  leave: () => void,
  options: NodeOptions,
): void {
  const { answered, status, headers, body } = written
  const { journal } = answered.session.world
  const { entry } = answered
  if (response.destroyed || request.socket.destroyed) {
    leave()
    journal.close(entry, 'aborted', undefined)
    return
  }
  response.sendDate = false
  // A body that nobody read to its end would be taken for the next request.
  if (!request.complete && hasBody(request)) headers['connection'] = 'close'
  logCall(written, method, options)

  if (isPlayback(body) && method !== 'HEAD' && status !== 304 && status !== 204) {
    leave()
    response.writeHead(status, headers)
    response.flushHeaders()
    const left = playEvents(
      body,
      answered,
      socketSink(response),
      (how, said) => journal.close(entry, how, said),
      core.warn,
    )
    response.once('close', () => {
      if (!response.writableFinished) left()
    })
    return
  }
  const text = typeof body === 'string' ? body : undefined
  if (answered.reply.body.kind === 'events') entry.events = answered.reply.body.events.length
  // A stream has no length that could be known before it ends, also where nothing of it waits.
  const size = text === undefined ? 0 : Buffer.byteLength(text)
  if (text !== undefined && answered.reply.body.kind !== 'events') headers['content-length'] = String(size)
  if (isBytes(body)) headers['content-length'] = String(body.length)
  const empty = method === 'HEAD' || body === undefined || isPlayback(body) || status === 304
  atTurnsEnd(() => {
    leave()
    // Left while the reply waited for its turn's end.
    if (response.destroyed) return journal.close(entry, 'aborted', undefined)
    response.writeHead(status, headers)
    if (empty) response.end()
    // As many bytes as characters: ASCII, for which `latin1` says the same and is quicker to write.
    else if (text !== undefined) response.end(text, size === text.length ? 'latin1' : 'utf8')
    else response.end(body as Uint8Array)
    journal.close(entry, 'completed', text)
  })
}
