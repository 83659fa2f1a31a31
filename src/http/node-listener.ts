/** Serves node's http requests, for `listen` and for the Express middleware. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { SimulatorCore } from '../core/simulator.ts'
import { eventCount } from '../engine/event-run.ts'
import { defined } from '../engine/fields.ts'
import { controlPrefix } from '../protocol/paths.ts'
import type { Decision } from '../protocol/plan.ts'
import { itemsOf } from '../protocol/response.ts'
import { smallResponse } from '../protocol/traffic.ts'
import { rejectionReason } from '../protocol/wording.ts'
import { type Connection, isUnclaimed, splitPath, startExchange } from './exchange.ts'
import { playResponse } from './play-response.ts'
import {
  type AdmitBody,
  createAdmitBody,
  discardBody,
  type Headers,
  isArriving,
  nodePayload,
  type RawBody,
} from './read-node.ts'
import type { Playback, RequestContext, WireResponse } from './request-context.ts'
import { hasTwoHosts, hostForm, rejectedHead } from './request-context.ts'
import {
  createUnreadResponses,
  createWhenOver,
  reset,
  socketSink,
  type UnreadResponses,
  type WhenOver,
} from './socket-responses.ts'
import { bugWarning, createCountedWarning } from './warnings.ts'
import { answerPreflight, isPlayback, writtenContent } from './write-response.ts'

/** One answered call, for logs. */
export interface AccessLogLine {
  readonly method: string
  readonly path: string
  readonly status: number
  readonly operation: string | undefined
  readonly decidedBy: Decision | undefined
  /** The id of the scenario rule that answered. */
  readonly rule: string | undefined
  /** The kinds of the faults that were applied to the response. */
  readonly faults: readonly string[]
  readonly session: string
  /** The `x-request-id` of the response; undefined after a user handler or an outage. */
  readonly requestId: string | undefined
  /**
   * Why the call got this response, if requested (settings `strict` and `explain`, header `x-sim-explain`).
   */
  readonly explain?: string | undefined
  /** Why the contract rejects the request: type, field and message. Undefined for other responses. */
  readonly reason?: string | undefined
  /** Virtual milliseconds since the epoch. */
  readonly at: number
  /** The same by the wall clock. */
  readonly realAt: number | undefined
  /** Real milliseconds from the arrival of the call until its response begins. */
  readonly durationMs: number
}

/** @internal */
export interface NodeOptions {
  /** The base path of the simulator, without a trailing slash. */
  readonly mount?: string
  /** Called for an unknown path. Default: the simulator rejects it (404). */
  readonly unknown?: () => void
  /** The result of a body parser before the simulator. */
  readonly parsedBody?: unknown
  /** The body, if it has been read already. */
  readonly rawBody?: RawBody
  readonly accessLog?: ((line: AccessLogLine) => void) | undefined
}

/** @internal Answers one request. Never throws; the journal explains a response that stays open. */
export type ServeRequest = (request: IncomingMessage, outgoing: ServerResponse, options?: NodeOptions) => void

/** @internal The request handling of one server or mount. */
export function createServeRequest(core: SimulatorCore, defaults: NodeOptions = {}): ServeRequest {
  const whenOver = createWhenOver()
  const chains = new Chains()
  const unread = createUnreadResponses(core, whenOver)
  const reportBug = createBugReporter(core.warn)
  const page = `${controlPrefix}/ui`
  const queue = createBatchWrites(writeWhole, ({ outgoing, method, path }, error) =>
    reportBug(outgoing, `${method} ${path}`, error),
  )
  return (request, outgoing, options = defaults) => {
    const { url = '/' } = request
    const target = url.startsWith('/') ? url : originForm(url)
    const mark = target.indexOf('?')
    const { path, session, prefix } = splitPath(mark < 0 ? target : target.slice(0, mark))
    const method = request.method ?? 'GET'
    // Nearly every path needs no function call.
    if ((path === '/' || path.startsWith(page)) && isForPage(method, path, core, options)) {
      void import('./serve-page.ts').then(
        ({ servePage }) => servePage(core, { path, mount: options.mount }, request, outgoing),
        (error: unknown) => reportBug(outgoing, `${method} ${path}`, error),
      )
      return
    }
    const match = core.match(method, path)
    if (options.unknown !== undefined && isUnclaimed(match)) return options.unknown()
    // An error of the socket concerns the client; without a listener it would end the process.
    outgoing.on('error', ignore)
    const headers = request.headers as Headers
    if (method === 'OPTIONS') {
      const preflight = answerPreflight(core, headers, match)
      return void outgoing.writeHead(preflight.status, preflight.headers).end()
    }
    const context: RequestContext = {
      method,
      path,
      query: mark < 0 ? '' : target.slice(mark + 1),
      headers,
      session,
      prefix,
      match,
      chain: chains.bySocket.get(request.socket) ?? chains.begin(request.socket),
      // Nearly every head is valid and needs no function call.
      rejected:
        headers['expect'] === undefined &&
        hostForm.test(headers['host'] ?? '') &&
        !hasTwoHosts(request.rawHeaders)
          ? undefined
          : rejectedHead(request),
      address: () => addressOf(request, options.mount),
      clientGone: () => goneSignal(request, outgoing, whenOver),
    }
    startExchange(
      core,
      context,
      nodeConnection(core, { queue, unread, whenOver, reportBug }, context, request, outgoing, options),
    )
  }
}

/** Whether a request is for the page of the simulator, or for the root of its server, which leads there. */
function isForPage(
  method: string,
  path: string,
  { settings: { control } }: SimulatorCore,
  { unknown }: NodeOptions,
): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false
  const isPath = path === '/' ? unknown === undefined : /^\/ui(?:\/|$)/.test(path.slice(controlPrefix.length))
  return isPath && control.enabled
}

/** A response with a complete body, queued until the end of the turn. */
interface WholeResponse {
  readonly response: WireResponse
  readonly outgoing: ServerResponse
  readonly method: string
  readonly path: string
  readonly unread: UnreadResponses
  readonly firstByteSent: () => void
}

/** The state that the connections of one server share. */
interface Outgoing {
  readonly queue: (response: WholeResponse) => void
  readonly unread: UnreadResponses
  readonly whenOver: WhenOver
  readonly reportBug: ReportBug
}

function nodeConnection(
  core: SimulatorCore,
  { queue, unread, whenOver, reportBug }: Outgoing,
  { method, path }: RequestContext,
  request: IncomingMessage,
  outgoing: ServerResponse,
  { rawBody, parsedBody, accessLog }: NodeOptions,
): Connection {
  const log = accessLog === undefined || isFromPage(path, request) ? undefined : accessLog
  // Only a log needs the arrival time.
  const cameAt = log === undefined ? 0 : performance.now()
  let isCounted = false
  const count = (response: WireResponse): void => {
    isCounted = true
    unread.count(response, request, outgoing)
  }
  let admitted: AdmitBody | undefined
  // Most bodies are not needed here.
  const admit: AdmitBody = (size) => (admitted ??= createAdmitBody(core, whenOver, request, outgoing))(size)
  const send: Connection['send'] = (response, firstByteSent) => {
    outgoing.sendDate = false
    if (
      isPlayback(response.body) &&
      method !== 'HEAD' &&
      response.status !== 304 &&
      response.status !== 204
    ) {
      firstByteSent()
      if (!isCounted) count(response)
      const clientLeft = play(response, response.body, outgoing, core)
      unread.watch(response, outgoing)
      return whenOver(request, outgoing, clientLeft)
    }
    if (
      !isCounted &&
      response.body !== undefined &&
      !isPlayback(response.body) &&
      response.body.length > smallResponse
    )
      count(response)
    queue({ response, outgoing, method, path, unread, firstByteSent })
  }
  return {
    count,
    read: (endpoint, done) => nodePayload(request, endpoint, core, rawBody ?? parsedBody, admit, done),
    isGone: () => outgoing.destroyed || request.socket.destroyed,
    send(response, firstByteSent) {
      if (!isArriving(request)) return send(response, firstByteSent)
      discardBody(request, core.settings, (closes) => {
        if (closes) response.headers['connection'] = 'close'
        send(response, firstByteSent)
      })
    },
    breakOff: () => reset(outgoing),
    fail: (error) => reportBug(outgoing, `${method} ${path}`, error),
    log: log === undefined ? undefined : (response) => log(lineOf(response, method, cameAt)),
  }
}

/** Whether the page sends a control request for itself: a log is for the requests of clients. */
function isFromPage(path: string, { headers }: IncomingMessage): boolean {
  return headers.referer?.endsWith(`${controlPrefix}/ui/`) === true && path.startsWith(`${controlPrefix}/`)
}

/** Writes a response with a complete body, and closes its entry. */
function writeWhole({ response: whole, outgoing, method, unread, firstByteSent }: WholeResponse): void {
  firstByteSent()
  const { answered, status, headers, body } = whole
  const { entry, response } = answered
  const { journal } = answered.session.sandbox
  // The client disconnected while the response was queued.
  if (outgoing.destroyed) return journal.close(entry, 'aborted', undefined)
  const isStream = response.body.kind === 'events'
  if (response.body.kind === 'events') entry.eventCount = eventCount(itemsOf(response.body))
  const text = typeof body === 'string' ? body : undefined
  const length = text === undefined ? (body as Uint8Array | undefined)?.length : Buffer.byteLength(text)
  // A stream has no known length, even if all events are due.
  if (length !== undefined && !isStream) headers['content-length'] = String(length)
  outgoing.writeHead(status, headers)
  if (method === 'HEAD' || status === 304 || body === undefined || isPlayback(body)) outgoing.end()
  // As many bytes as characters: ASCII, which is faster to write as `latin1`.
  else outgoing.end(body, length === text?.length ? 'latin1' : 'utf8')
  // The operating system accepts most responses immediately. A pipelined response has no socket yet.
  if (outgoing.socket === null || outgoing.socket.writableLength > 0) unread.watch(whole, outgoing)
  journal.close(entry, 'completed', text ?? writtenContent(whole))
}

/** Plays a timed body. Returns a function to call when the client disconnects. */
function play(
  { answered, status, headers }: WireResponse,
  body: Playback,
  outgoing: ServerResponse,
  core: SimulatorCore,
): () => void {
  const { journal } = answered.session.sandbox
  outgoing.writeHead(status, headers)
  outgoing.flushHeaders()
  return playResponse(
    body,
    answered,
    socketSink(outgoing),
    (how, text) => journal.close(answered.entry, how, text),
    core.warn,
  )
}

/** Responds with an internal error, and warns. */
type ReportBug = (outgoing: ServerResponse, call: string, bug: unknown) => void

function createBugReporter(warn: (message: string) => void): ReportBug {
  const warnCounted = createCountedWarning(warn)
  return (outgoing, call, bug) => {
    const lack = lackOf(bug)
    if (lack === undefined) warn(bugWarning(call, bug))
    else warnCounted(lack, `${call}: ${lack}`)
    // After a response has started, an error body would become part of it.
    if (outgoing.headersSent) return void outgoing.destroy()
    const [status, type] = lack === undefined ? [500, 'simulator_bug'] : [503, 'overloaded_error']
    const message = lack ?? 'Internal error in gateway-sim, not an error in your request. Please report it.'
    const error = { type, code: status, message, param: null, details: [], trace_id: '' }
    const wait = lack === undefined ? {} : { 'retry-after': '1' }
    outgoing.writeHead(status, { 'content-type': 'application/json', ...wait })
    outgoing.end(JSON.stringify({ error }))
  }
}

/** The system resource that is exhausted; undefined for other errors. */
function lackOf(bug: unknown): string | undefined {
  const { code } = bug instanceof Error ? (bug as NodeJS.ErrnoException) : {}
  return code === 'EMFILE' || code === 'ENFILE'
    ? `No file descriptors are left (${code}): close connections, or raise the limit (ulimit -n), and try ` +
        'again.'
    : undefined
}

// A server must accept the absolute form too (RFC 9112 section 3.2.2): `GET http://host/v1/models HTTP/1.1`.
function originForm(target: string): string {
  return target.replace(/^https?:\/\/[^/?#]*/i, '') || '/'
}

// Needed only by responses with links.
function addressOf({ socket, headers }: IncomingMessage, mount = ''): string {
  const { encrypted } = socket as { encrypted?: boolean }
  return `http${encrypted === true ? 's' : ''}://${headers.host || boundAddress(socket)}${mount}`
}

function boundAddress({ localAddress, localPort }: Socket): string {
  // The socket is closed, so the link is not needed.
  if (localAddress === undefined) return 'localhost'
  return `${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`
}

// Needed only by responses with media, and by delayed ones.
function goneSignal(request: IncomingMessage, outgoing: ServerResponse, whenOver: WhenOver): AbortSignal {
  const gone = new AbortController()
  if (outgoing.destroyed) gone.abort()
  else
    whenOver(request, outgoing, () => {
      // After a complete response there is no listener, and an abort would create an error with a stack.
      if (!outgoing.writableFinished) gone.abort()
    })
  return gone.signal
}

function ignore(): void {}

function lineOf(
  { status, headers, body, answered: { entry } }: WireResponse,
  method: string,
  cameAt: number,
): AccessLogLine {
  const { requestId, rule, rejection, decidedBy, violations, faults } = entry.cause
  const isRejected = status >= 400 && rejection !== undefined && decidedBy === undefined
  return {
    method,
    path: entry.request.url,
    status,
    operation: entry.operation,
    decidedBy,
    rule,
    faults,
    session: entry.session,
    requestId: requestId === '' ? undefined : requestId,
    at: entry.at,
    realAt: entry.realAt,
    durationMs: millisecondsSince(cameAt),
    ...defined({
      reason: isRejected
        ? rejectionReason(rejection, violations, typeof body === 'string' ? body : undefined)
        : undefined,
      explain: headers['x-sim-explain'],
    }),
  }
}

/** To a hundredth. */
export function millisecondsSince(timestamp: number): number {
  return Math.round((performance.now() - timestamp) * 100) / 100
}

/**
 * A queue for one server: `write` gets each item at the end of the turn in which it was queued, in order;
 * `failed` gets its errors.
 */
export function createBatchWrites<Item>(
  write: (item: Item) => void,
  failed: (item: Item, error: unknown) => void,
): (item: Item) => void {
  let queue: Item[] = []
  const flush = (): void => {
    const ready = queue
    queue = []
    // A failed item must not block the others.
    for (const item of ready) {
      try {
        write(item)
      } catch (error) {
        failed(item, error)
      }
    }
  }
  return (item) => {
    if (queue.push(item) === 1) setImmediate(flush)
  }
}

/**
 * Numbers the connections of a server for the client report: requests with the same number came one after the
 * other. A connection shares the number of the one before it if that had closed when its first request came.
 */
class Chains {
  /** A warm request finds its number here. */
  readonly bySocket = new WeakMap<Socket, number>()
  #open = 0
  #last = 0

  begin(socket: Socket): number {
    if (this.#open > 0) this.#last++
    this.#open++
    socket.once('close', () => this.#open--)
    this.bySocket.set(socket, this.#last)
    return this.#last
  }
}
