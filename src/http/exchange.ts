/**
 * One HTTP request and its response, the same for node and the web: read → answer → wait → send. An
 * integration supplies only how bytes are read and how they are sent.
 */

import { type Arrival, wasReset } from '../core/begin-call.ts'
import type { SimulatorCore } from '../core/simulator.ts'
import { percentDecoded } from '../engine/fields.ts'
import type { HeldBytes, IncomingCall, Payload } from '../protocol/call.ts'
import type { Endpoint, Need } from '../protocol/endpoint.ts'
import { isInternal, type Match } from '../protocol/router.ts'
import { SimulatorClosedError } from '../sessions/session-errors.ts'
import { holdResponse } from './play-response.ts'
import type { RequestContext, WireResponse } from './request-context.ts'
import { writeResponse } from './write-response.ts'

/** How an integration reads a request and sends its response. */
export interface Connection {
  /** Reads the body and hands it over once; only some bodies take a promise. */
  read(endpoint: Endpoint, done: (payload: Payload | Promise<Payload>) => void): void
  /** Sends a response. Calls `firstByteSent` when its first byte leaves. */
  send(response: WireResponse, firstByteSent: () => void): void
  /** Counts a response that is kept for later as one that nobody has read. */
  count?(response: WireResponse): void
  /** Whether the client has left. */
  isGone(): boolean
  /** Keeps the process running until the function that it returns is called. A socket does that by itself. */
  stayAwake?(): () => void
  /** The client has left before its response, and the journal says so. */
  abandon?(): void
  /** Breaks the connection: there will be no response. */
  breakOff(reason: Error): void
  /** The simulator itself went wrong. */
  fail(error: unknown): void
  /** Hears of every call that is answered, before its response is sent. */
  readonly log?: ((response: WireResponse) => void) | undefined
}

interface Exchange {
  readonly core: SimulatorCore
  readonly request: RequestContext
  readonly connection: Connection
  /** The call no longer counts as in flight. */
  firstByteSent: () => void
  /** The session of the call: what it names, and in the end where it was answered. */
  session: string | undefined
  /** When it came, where it could not be answered at once. */
  arrival: Arrival | undefined
}

/** Takes one request to its response. Never throws; `connection.fail` hears what goes wrong. */
export function startExchange(core: SimulatorCore, request: RequestContext, connection: Connection): void {
  if (core.isClosed) return connection.breakOff(new SimulatorClosedError())
  const session = request.session ?? request.headers['x-sim-session']
  const exchange: Exchange = { core, request, connection, session, firstByteSent: ignore, arrival: undefined }
  exchange.firstByteSent = core.callStarted(exchange)
  const { match, rejected } = request
  if (rejected !== undefined) return answer(exchange, rejected)
  if (match.kind !== 'found' || match.route.endpoint.accepts.length === 0)
    return answer(exchange, { kind: 'none' })
  connection.read(match.route.endpoint, (payload) => answer(exchange, payload))
}

/** Answers the call; only one that needs something first (see `prepare`) waits for a promise. */
function answer(exchange: Exchange, payload: Payload | Promise<Payload>): void {
  const { core, request } = exchange
  if (payload instanceof Promise) {
    exchange.arrival = core.arrivalOf(request, request.match)
    return void payload.then(
      (read) => answer(exchange, read),
      (error: unknown) => fail(exchange, error),
    )
  }
  const { match, method, path, query, headers, session } = request
  const call: IncomingCall = { method, path, query, headers, payload, session }
  try {
    const preparing = match.kind === 'found' ? prepare(exchange, call, match.route.endpoint) : undefined
    if (preparing !== undefined) {
      exchange.arrival ??= core.arrivalOf(request, match)
      return void preparing
        .then(() => answerLater(exchange, call))
        .catch((error: unknown) => fail(exchange, error))
    }
    if (exchange.arrival !== undefined) return answerLater(exchange, call)
    // As below; the usual call does without one more step.
    const answered = core.answer(call, match)
    exchange.session = answered.session.sandbox.name
    deliver(exchange, writeResponse(answered, core, request))
  } catch (error) {
    fail(exchange, error)
  }
}

/** Answers a call that could not be answered when it came, unless nobody is left who would. */
function answerLater(exchange: Exchange, call: IncomingCall): void {
  const { core, request, arrival, connection, firstByteSent } = exchange
  const end = core.isClosed
    ? new SimulatorClosedError()
    : arrival !== undefined && wasReset(arrival, core.sessions)
      ? new Error(`the session "${arrival.sandbox.name}" was reset while this request was open`)
      : undefined
  if (end !== undefined) {
    firstByteSent()
    return connection.breakOff(end)
  }
  const answered = core.answer(call, request.match, arrival)
  exchange.session = answered.session.sandbox.name
  deliver(exchange, writeResponse(answered, core, request))
}

function ignore(): void {}

const noNeeds: readonly Need[] = []

/** What must be loaded, looked at or awaited before the call; undefined for most calls. */
function prepare(exchange: Exchange, call: IncomingCall, endpoint: Endpoint): Promise<void> | undefined {
  const { core, request } = exchange
  const { loaded, load } = core.facilities
  const needs = endpoint.needs?.(call.payload) ?? noNeeds
  let isLoaded = true
  for (const need of needs) if (loaded[need] === undefined) isLoaded = false
  const uploads = endpoint.files?.uploads === undefined ? [] : core.pendingUploads(call, request.match)
  if (isLoaded && uploads.length === 0 && endpoint.waitsForInFlight !== true) return undefined
  const loading = isLoaded ? undefined : load(needs)
  return waitForAll(exchange, call, loading, uploads, endpoint.waitsForInFlight === true)
}

async function waitForAll(
  { core, request, session, firstByteSent }: Exchange,
  call: IncomingCall,
  loading: Promise<void> | undefined,
  uploads: readonly HeldBytes[],
  waitsForInFlight: boolean,
): Promise<void> {
  await loading
  const inspect = async (held: HeldBytes): Promise<void> => {
    if (held.image === undefined) return
    held.image = await core.media.inspectPixels(held.image, held.content as Uint8Array)
  }
  // Another file may have taken the place of one meanwhile.
  for (let files = uploads; files.length > 0; files = core.pendingUploads(call, request.match))
    await Promise.all(files.map(inspect))
  if (!waitsForInFlight) return
  // This call must not wait for itself.
  firstByteSent()
  // Calls of others may take long: their bodies, their images.
  await core.settled(session)
}

/**
 * Sends the response, at once or when it has been held. A promise comes only where media must be rendered.
 */
function deliver(exchange: Exchange, response: WireResponse | Promise<WireResponse>): void {
  if (response instanceof Promise)
    return void response.then(
      (rendered) => deliver(exchange, rendered),
      (error: unknown) => fail(exchange, error),
    )
  if (response.hold !== undefined) return wait(exchange, response, response.hold)
  const { connection, firstByteSent } = exchange
  try {
    if (connection.isGone()) return abandon(exchange, response)
    connection.log?.(response)
    connection.send(response, firstByteSent)
  } catch (error) {
    fail(exchange, error)
  }
}

/** Holds a response back until its virtual time has come. Meanwhile the call does not count as in flight. */
function wait(exchange: Exchange, response: WireResponse, hold: NonNullable<WireResponse['hold']>): void {
  const { core, request, connection } = exchange
  exchange.firstByteSent()
  if (connection.isGone()) return abandon(exchange, response)
  connection.count?.(response)
  // A call that gets no response is logged when it is taken.
  if (response.status === 0) connection.log?.(response)
  const signal = request.clientGone()
  const sleep = signal === undefined ? undefined : connection.stayAwake?.()
  let clientLeft: (() => void) | undefined
  const onGone = (): void => {
    sleep?.()
    clientLeft?.()
    connection.abandon?.()
  }
  signal?.addEventListener('abort', onGone, { once: true })
  const over = (): void => {
    sleep?.()
    signal?.removeEventListener('abort', onGone)
  }
  clientLeft = holdResponse(hold, response.answered, core, {
    release(firstByteSent) {
      over()
      exchange.firstByteSent = firstByteSent
      deliver(exchange, { ...response, hold: undefined })
    },
    breakOff(reason) {
      over()
      connection.breakOff(reason)
    },
  })
}

function abandon({ connection, firstByteSent }: Exchange, { answered }: WireResponse): void {
  firstByteSent()
  answered.session.sandbox.journal.close(answered.entry, 'aborted', undefined)
  connection.abandon?.()
}

function fail({ connection, firstByteSent }: Exchange, error: unknown): void {
  firstByteSent()
  connection.fail(error)
}

/** Whether no operation owns the path. What is under the control API's prefix is always the simulator's. */
export function isUnclaimed(match: Match): boolean {
  return match.kind === 'none' && !isInternal(match)
}

const sessionPrefix = /^\/s\/([^/]+)(\/[^]*)?$/

/** A path without its `/s/<id>` prefix, the session it named, and the prefix itself (for links). */
export function splitPath(path: string): {
  readonly path: string
  readonly session: string | undefined
  readonly prefix: string
} {
  // 47 is the slash, 115 the s: the usual path does not pay for the pattern.
  if (path.charCodeAt(1) !== 115 || path.charCodeAt(2) !== 47) return { path, session: undefined, prefix: '' }
  const found = sessionPrefix.exec(path)
  if (found === null) return { path, session: undefined, prefix: '' }
  const written = found[1] as string
  return { path: found[2] ?? '/', session: percentDecoded(written) ?? written, prefix: `/s/${written}` }
}
