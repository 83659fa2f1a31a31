/** Serves node's http requests, for `listen` and for the Express middleware. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { SimulatorCore } from '../core/simulator.ts'
import { eventCount } from '../engine/event-run.ts'
import { defined } from '../engine/fields.ts'
import type { Payload } from '../protocol/call.ts'
import type { Endpoint } from '../protocol/endpoint.ts'
import { controlPrefix } from '../protocol/paths.ts'
import type { Decision } from '../protocol/plan.ts'
import { itemsOf } from '../protocol/response.ts'
import type { Match } from '../protocol/router.ts'
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
import type { Playback, WireResponse } from './request-context.ts'
import { rejectedHead } from './request-context.ts'
import {
  createUnreadResponses,
  createWhenOver,
  reset,
  socketSink,
  type UnreadResponses,
  type WhenOver,
} from './socket-responses.ts'
import { bugWarning, createCountedWarning } from './warnings.ts'
import { answerPreflight, writtenContent } from './write-response.ts'

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
  const server: Server = {
    core,
    unread: createUnreadResponses(core, whenOver),
    whenOver,
    reportBug: createBugReporter(core.warn),
  }
  const page = `${controlPrefix}/ui`
  return (incoming, outgoing, options = defaults) => {
    const request = new NodeRequest(server, incoming, outgoing, options)
    const { method, path, match } = request
    // Nearly every path needs no function call.
    if ((path === '/' || path.startsWith(page)) && isForPage(method, path, core, options)) {
      void import('./serve-page.ts').then(
        ({ servePage }) => servePage(core, { path, mount: options.mount }, incoming, outgoing),
        (error: unknown) => request.fail(error),
      )
      return
    }
    if (options.unknown !== undefined && isUnclaimed(match)) return options.unknown()
    // An error of the socket concerns the client; without a listener it would end the process.
    outgoing.on('error', ignore)
    if (method === 'OPTIONS') {
      const preflight = answerPreflight(core, request.headers, match)
      return void outgoing.writeHead(preflight.status, preflight.headers).end()
    }
    request.chain = chains.bySocket.get(incoming.socket) ?? chains.begin(incoming.socket)
    request.rejected = rejectedHead(incoming)
    startExchange(core, request)
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

/** What the requests of one server share. */
interface Server {
  readonly core: SimulatorCore
  readonly unread: UnreadResponses
  readonly whenOver: WhenOver
  readonly reportBug: ReportBug
}

/** One request over a socket, and its response. */
class NodeRequest implements Connection {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly session: string | undefined
  readonly prefix: string
  readonly headers: Headers
  readonly match: Match
  readonly log: Connection['log']
  chain = 0
  rejected: Payload | undefined
  readonly #server: Server
  readonly #incoming: IncomingMessage
  readonly #outgoing: ServerResponse
  readonly #options: NodeOptions
  #admit: AdmitBody | undefined
  #isCounted = false
  /** The rest of an unread body is over. */
  #isRead = false

  constructor(server: Server, incoming: IncomingMessage, outgoing: ServerResponse, options: NodeOptions) {
    const { url = '/', method = 'GET' } = incoming
    const target = url.startsWith('/') ? url : originForm(url)
    const mark = target.indexOf('?')
    const written = mark < 0 ? target : target.slice(0, mark)
    const named = written.startsWith('/s/') ? splitPath(written) : undefined
    this.method = method
    this.path = named?.path ?? written
    this.query = mark < 0 ? '' : target.slice(mark + 1)
    this.session = named?.session
    this.prefix = named?.prefix ?? ''
    this.headers = incoming.headers as Headers
    this.match = server.core.match(method, this.path)
    this.log = options.accessLog && this.#logInto(options.accessLog)
    this.#server = server
    this.#incoming = incoming
    this.#outgoing = outgoing
    this.#options = options
  }

  #logInto(log: (line: AccessLogLine) => void): Connection['log'] {
    // The page sends control requests for itself: a log is for the requests of clients.
    const isFromPage = this.headers['referer']?.endsWith(`${controlPrefix}/ui/`) === true
    if (isFromPage && this.path.startsWith(`${controlPrefix}/`)) return undefined
    const cameAt = performance.now()
    return (response) => log(lineOf(response, this.method, cameAt))
  }

  /** Origin and mount path. */
  address(): string {
    const { socket, headers } = this.#incoming
    const { encrypted } = socket as { encrypted?: boolean }
    const { mount = '' } = this.#options
    return `http${encrypted === true ? 's' : ''}://${headers.host || boundAddress(socket)}${mount}`
  }

  clientGone(): AbortSignal {
    const gone = new AbortController()
    const outgoing = this.#outgoing
    if (outgoing.destroyed) gone.abort()
    else
      this.#server.whenOver(this.#incoming, outgoing, () => {
        // After a complete response there is no listener, and an abort would create an error with a stack.
        if (!outgoing.writableFinished) gone.abort()
      })
    return gone.signal
  }

  read(endpoint: Endpoint, done: (payload: Payload | Promise<Payload>) => void): void {
    const { core, whenOver } = this.#server
    const { rawBody, parsedBody } = this.#options
    // Most bodies are small.
    const admit: AdmitBody = (size) => {
      this.#admit ??= createAdmitBody(core, whenOver, this.#incoming, this.#outgoing)
      return this.#admit(size)
    }
    nodePayload(this.#incoming, endpoint, core, rawBody ?? parsedBody, admit, done)
  }

  isGone(): boolean {
    return this.#outgoing.destroyed || this.#incoming.socket.destroyed
  }

  count(response: WireResponse): void {
    this.#isCounted = true
    this.#server.unread.count(response, this.#incoming, this.#outgoing)
  }

  send(response: WireResponse, firstByteSent: () => void): void {
    const incoming = this.#incoming
    if (!incoming.complete && !this.#isRead && isArriving(incoming))
      return discardBody(incoming, this.#server.core.settings, (closes) => {
        if (closes) response.headers['connection'] = 'close'
        this.#isRead = true
        this.send(response, firstByteSent)
      })
    this.#outgoing.sendDate = false
    const { body, playback, status } = response
    const isPlayed = playback !== undefined && this.method !== 'HEAD' && status !== 304 && status !== 204
    if (!this.#isCounted && (isPlayed || (body !== undefined && body.length > smallResponse)))
      this.count(response)
    if (isPlayed) return this.#play(response, playback, firstByteSent)
    // Requests that came in the same turn are answered before any response is written.
    setImmediate(() => {
      try {
        this.#write(response, firstByteSent)
      } catch (error) {
        this.fail(error)
      }
    })
  }

  #play(response: WireResponse, playback: Playback, firstByteSent: () => void): void {
    const { core, unread, whenOver } = this.#server
    const outgoing = this.#outgoing
    const { answered, status, headers } = response
    const { journal } = answered.session.sandbox
    firstByteSent()
    outgoing.writeHead(status, headers)
    outgoing.flushHeaders()
    const clientLeft = playResponse(
      playback,
      answered,
      socketSink(outgoing),
      (how, text) => journal.close(answered.entry, how, text),
      core.warn,
    )
    unread.watch(response, outgoing)
    whenOver(this.#incoming, outgoing, clientLeft)
  }

  /** Writes a response with a complete body, and closes its entry. */
  #write(whole: WireResponse, firstByteSent: () => void): void {
    const outgoing = this.#outgoing
    firstByteSent()
    const { answered, status, headers, body } = whole
    const { entry, response } = answered
    const { journal } = answered.session.sandbox
    // The client disconnected while the response was queued.
    if (outgoing.destroyed) return journal.close(entry, 'aborted', undefined)
    const isStream = response.body.kind === 'events'
    if (response.body.kind === 'events') entry.eventCount = eventCount(itemsOf(response.body))
    const length = typeof body === 'string' ? Buffer.byteLength(body) : body?.length
    // A stream has no known length, even if all events are due.
    if (length !== undefined && !isStream) headers['content-length'] = String(length)
    outgoing.writeHead(status, headers)
    if (this.method === 'HEAD' || status === 304 || body === undefined) outgoing.end()
    // As many bytes as characters: ASCII, which is faster to write as `latin1`.
    else outgoing.end(body, length === body.length ? 'latin1' : 'utf8')
    // The operating system accepts most responses immediately. A pipelined response has no socket yet.
    if (outgoing.socket === null || outgoing.socket.writableLength > 0)
      this.#server.unread.watch(whole, outgoing)
    journal.close(entry, 'completed', typeof body === 'string' ? body : writtenContent(whole))
  }

  breakOff(): void {
    reset(this.#outgoing)
  }

  fail(error: unknown): void {
    this.#server.reportBug(this.#outgoing, `${this.method} ${this.path}`, error)
  }
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

function boundAddress({ localAddress, localPort }: Socket): string {
  // The socket is closed, so the link is not needed.
  if (localAddress === undefined) return 'localhost'
  return `${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`
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
