/**
 * One HTTP request and its response, the same for node and the web: read → answer → wait → send. An
 * integration supplies only how bytes are read and how they are sent.
 */

import type { Stop } from '../control/breakpoints.ts'
import { type Arrival, wasReset } from '../core/begin-call.ts'
import type { SimulatorCore } from '../core/simulator.ts'
import { percentDecoded } from '../engine/fields.ts'
import type { IncomingCall, Payload } from '../protocol/call.ts'
import type { Endpoint, Need } from '../protocol/endpoint.ts'
import type { Match } from '../protocol/router.ts'
import { SimulatorClosedError } from '../sessions/session-errors.ts'
import { cutReason, gateEvents } from './hold-events.ts'
import { holdResponse } from './play-response.ts'
import type { RequestContext, WireResponse } from './request-context.ts'
import { writeResponse } from './write-response.ts'

/** A request of an integration: how its body is read, and how its response is sent. */
export interface Connection extends RequestContext {
  /** Reads the body and passes it on once; asynchronous for some bodies only. */
  read(endpoint: Endpoint, done: (payload: Payload | Promise<Payload>) => void): void
  /** Sends a response. Calls `firstByteSent` when its first byte leaves. */
  send(response: WireResponse, firstByteSent: () => void): void
  /** Counts a delayed response as unread. */
  count?(response: WireResponse): void
  /** Whether the client has disconnected. */
  isGone(): boolean
  /** Keeps the process running until the returned function is called. Sockets need no such call. */
  stayAwake?(): () => void
  /** The client has disconnected before its response; the journal has an entry. */
  abandon?(): void
  /** Closes the connection without a response. */
  breakOff(reason: Error): void
  /** An internal error of the simulator. */
  fail(error: unknown): void
  /** Called for every answered call, before its response is sent. */
  readonly log?: ((response: WireResponse) => void) | undefined
}

interface Exchange {
  readonly core: SimulatorCore
  readonly request: Connection
  /** The call no longer counts as in flight. */
  firstByteSent: () => void
  /** The session of the call: the named one, then the one that answered. */
  session: string | undefined
  /** The arrival, if the call could not be answered immediately. */
  arrival: Arrival | undefined
  /** The last phase whose breakpoint has released the call. */
  passed: Stop['phase'] | undefined
}

/** Handles one request. Never throws; errors go to `request.fail`. */
export function startExchange(core: SimulatorCore, request: Connection): void {
  if (core.isClosed) return request.breakOff(new SimulatorClosedError())
  const session = request.session ?? request.headers['x-sim-session']
  const exchange: Exchange = {
    core,
    request,
    session,
    firstByteSent: ignore,
    arrival: undefined,
    passed: undefined,
  }
  exchange.firstByteSent = core.callStarted(exchange)
  const { match, rejected } = request
  if (rejected !== undefined) return answer(exchange, rejected)
  if (match.kind !== 'found' || match.route.endpoint.accepts.length === 0)
    return answer(exchange, { kind: 'none' })
  request.read(match.route.endpoint, (payload) => answer(exchange, payload))
}

/** Answers the call, synchronously unless it needs preparation (see `prepare`). */
function answer(exchange: Exchange, payload: Payload | Promise<Payload>): void {
  const { core, request } = exchange
  if (payload instanceof Promise) {
    exchange.arrival = core.arrivalOf(request, request.match)
    return void payload.then(
      (read) => answer(exchange, read),
      (error: unknown) => fail(exchange, error),
    )
  }
  const { match, method, path, query, headers, session, chain } = request
  const call: IncomingCall = { method, path, query, headers, payload, session, chain }
  try {
    if (core.breakpoints.isArmed && holdRequest(exchange, call)) return
    const preparing = match.kind === 'found' ? prepare(exchange, call, match.route.endpoint) : undefined
    if (preparing !== undefined) {
      exchange.arrival ??= core.arrivalOf(request, match)
      return void preparing
        .then(() => answerLater(exchange, call))
        .catch((error: unknown) => fail(exchange, error))
    }
    if (exchange.arrival !== undefined) return answerLater(exchange, call)
    // As below, without the extra step for the common case.
    const answered = core.answer(call, match)
    exchange.session = answered.session.sandbox.name
    deliver(exchange, writeResponse(answered, core, request))
  } catch (error) {
    fail(exchange, error)
  }
}

/** Answers a call after its preparation, unless its client or its session is gone. */
function answerLater(exchange: Exchange, call: IncomingCall): void {
  const { core, request, arrival, firstByteSent } = exchange
  let end: Error | undefined
  if (core.isClosed) end = new SimulatorClosedError()
  else if (arrival !== undefined && wasReset(arrival, core.sessions))
    end = new Error(`the session "${arrival.sandbox.name}" was reset while this request was open`)
  if (end !== undefined) {
    firstByteSent()
    return request.breakOff(end)
  }
  const answered = core.answer(call, request.match, arrival)
  exchange.session = answered.session.sandbox.name
  deliver(exchange, writeResponse(answered, core, request))
}

function ignore(): void {}

const noNeeds: readonly Need[] = []

/** The preparation of a call: loading and waiting; undefined for most calls. */
function prepare(exchange: Exchange, call: IncomingCall, endpoint: Endpoint): Promise<void> | undefined {
  const { loaded, load } = exchange.core.facilities
  const needs = endpoint.needs?.(call.payload) ?? noNeeds
  let isLoaded = true
  for (const need of needs) if (loaded[need] === undefined) isLoaded = false
  if (isLoaded && endpoint.waitsForInFlight !== true) return undefined
  const loading = isLoaded ? undefined : load(needs)
  return waitForAll(exchange, loading, endpoint.waitsForInFlight === true)
}

async function waitForAll(
  exchange: Exchange,
  loading: Promise<void> | undefined,
  waitsForInFlight: boolean,
): Promise<void> {
  const { core, session, firstByteSent } = exchange
  await loading
  if (!waitsForInFlight) return
  // This call must not wait for itself.
  firstByteSent()
  // Other calls may take long because of their bodies, their images, or a breakpoint.
  leaveEarly(exchange)
  await core.settled(session)
}

/**
 * Sends the response, immediately or after its delay. Returns a promise only if media must be rendered.
 */
function deliver(exchange: Exchange, response: WireResponse | Promise<WireResponse>): void {
  if (response instanceof Promise)
    return void response.then(
      (rendered) => deliver(exchange, rendered),
      (error: unknown) => fail(exchange, error),
    )
  if (exchange.core.breakpoints.isArmed) {
    if (exchange.request.isGone()) return abandon(exchange, response)
    if (holdAnswer(exchange, response)) return
    const gated = gateEvents(exchange, response)
    if (gated !== undefined) return deliver(exchange, gated)
  }
  if (response.hold !== undefined) return wait(exchange, response, response.hold)
  const { request, firstByteSent } = exchange
  try {
    if (request.isGone()) return abandon(exchange, response)
    request.log?.(response)
    request.send(response, firstByteSent)
  } catch (error) {
    fail(exchange, error)
  }
}

/** A client in-process that leaves while its request waits is rejected immediately, as over a socket. */
function leaveEarly({ request }: Exchange, then: () => void = ignore): void {
  const signal = request.clientGone()
  const leave = (): void => {
    request.abandon?.()
    then()
  }
  if (signal?.aborted === true) return leave()
  signal?.addEventListener('abort', leave, { once: true })
}

/** Whether a breakpoint holds the request before it acts. */
function holdRequest(exchange: Exchange, call: IncomingCall): boolean {
  const { core, request } = exchange
  const { match, method, path } = request
  if (match.kind !== 'found' || match.group?.internal === true || exchange.passed === 'request') return false
  const arrival = exchange.arrival ?? core.arrivalOf(request, match)
  if (arrival === undefined) return false
  const { payload } = call
  const { sandbox } = arrival
  const { operation } = match.route.endpoint
  const text = 'text' in payload && typeof payload.text === 'string' ? payload.text : undefined
  const whenGone = (task: () => void): void => leaveEarly(exchange, task)
  const stop: Stop = { phase: 'request', sandbox, operation, method, path, request: text, whenGone }
  return core.breakpoints.hold(stop, (decision) => {
    exchange.arrival = arrival
    exchange.passed = 'request'
    if (decision.action !== 'end') return answer(exchange, payload)
    exchange.firstByteSent()
    request.breakOff(decision.reason)
  })
}

/** Whether a breakpoint holds the response before it is sent. */
function holdAnswer(exchange: Exchange, response: WireResponse): boolean {
  const { core, request } = exchange
  const { match, method, path } = request
  if (match.kind !== 'found' || match.group?.internal === true || exchange.passed === 'response') return false
  const { entry, session } = response.answered
  const { sandbox } = session
  const body = typeof response.body === 'string' ? response.body : undefined
  const { operation } = match.route.endpoint
  const shown = { status: response.status, body }
  const whenGone = (task: () => void): void => leaveEarly(exchange, task)
  const about = {
    phase: 'response',
    sandbox,
    operation,
    method,
    path,
    request: entry.request.body?.text,
    entry,
  } as const
  return core.breakpoints.hold({ ...about, response: shown, whenGone }, (decision) => {
    exchange.passed = 'response'
    if (decision.action === 'continue') return deliver(exchange, response)
    if (decision.action !== 'change') {
      exchange.firstByteSent()
      sandbox.journal.close(entry, 'disconnected', undefined)
      return request.breakOff(decision.action === 'end' ? decision.reason : cutReason())
    }
    const { status = response.status, headers, body: written } = decision
    entry.changeStatus(status)
    entry.changeCause({ decidedBy: { kind: 'breakpoint' } })
    const changed = { ...response, status, headers: { ...response.headers, ...headers } }
    deliver(exchange, written === undefined ? changed : { ...changed, body: written, playback: undefined })
  })
}

/** Delays a response until its virtual time. Meanwhile the call does not count as in flight. */
function wait(exchange: Exchange, response: WireResponse, hold: NonNullable<WireResponse['hold']>): void {
  const { core, request } = exchange
  exchange.firstByteSent()
  if (request.isGone()) return abandon(exchange, response)
  request.count?.(response)
  // A call without a response is logged on arrival.
  if (response.status === 0) request.log?.(response)
  const signal = request.clientGone()
  const sleep = signal === undefined ? undefined : request.stayAwake?.()
  let clientLeft: (() => void) | undefined
  const onGone = (): void => {
    sleep?.()
    clientLeft?.()
    request.abandon?.()
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
      request.breakOff(reason)
    },
  })
}

function abandon({ request, firstByteSent }: Exchange, { answered }: WireResponse): void {
  firstByteSent()
  answered.session.sandbox.journal.close(answered.entry, 'aborted', undefined)
  request.abandon?.()
}

function fail({ request, firstByteSent }: Exchange, error: unknown): void {
  firstByteSent()
  request.fail(error)
}

/** Whether the path is unknown. Paths under the prefix of the control API always belong to the simulator. */
export function isUnclaimed(match: Match): boolean {
  return match.kind === 'none' && match.group?.internal !== true
}

const sessionPrefix = /^\/s\/([^/]+)(\/[^]*)?$/

/** A path without its `/s/<id>` prefix, the named session, and the prefix (for links). */
export function splitPath(path: string): {
  readonly path: string
  readonly session: string | undefined
  readonly prefix: string
} {
  const found = sessionPrefix.exec(path)
  if (found === null) return { path, session: undefined, prefix: '' }
  const written = found[1] as string
  return { path: found[2] ?? '/', session: percentDecoded(written) ?? written, prefix: `/s/${written}` }
}
