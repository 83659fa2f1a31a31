/**
 * One call while it is with the user's handlers: whose it is, how it enters the journal, and the copy of the
 * request that the handlers get.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { SimulatorCore } from '../../core/simulator.ts'
import type { JournalEntry } from '../../engine/journal-entry.ts'
import { findKey } from '../../protocol/auth.ts'
import { ApiError } from '../../protocol/errors.ts'
import { defaultSession } from '../../sessions/session-name.ts'
import type { Session, Sessions } from '../../sessions/sessions.ts'
import { splitPath } from '../exchange.ts'
import { type AccessLogLine, millisecondsSince } from '../node-listener.ts'
import type { Headers } from '../read-node.ts'

export interface Visit {
  readonly core: SimulatorCore
  readonly method: string
  /** Path and query as the handlers see them: without a session prefix. */
  readonly path: string
  readonly response: ServerResponse
  readonly body: Buffer
  /** Aborts when the client leaves. */
  readonly signal: AbortSignal
  readonly session: Session
  /** Virtual milliseconds at which the call was whole. */
  readonly at: number
  /**
   * `open` while nobody answered; `asked` from when the handlers run; `over` when there is nothing left to
   * do.
   */
  state: 'open' | 'asked' | 'over'
  /** Says that the call no longer stands between its arrival and its first reply byte. */
  leave(): void
  /** Enters the call into the journal of its session, and into the log. */
  record(status: number): JournalEntry
}

const decidedBy = 'a handler of yours'

/** A visit of a call whose body is read. `accessLog` hears of it when it is recorded. */
export function openVisit(
  core: SimulatorCore,
  request: IncomingMessage,
  response: ServerResponse,
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
  const at = session.world.clock.now()
  const cameAt = performance.now()
  const left = new AbortController()
  response.once('close', () => {
    if (!response.writableFinished) left.abort()
  })
  return {
    core,
    method,
    path,
    response,
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
        session: session.world.name,
        requestId: undefined,
        at,
        realAt: core.wall(),
        durationMs: millisecondsSince(cameAt),
      })
      return session.world.journal.add({
        at,
        realAt: core.wall(),
        session: session.world.name,
        requestId: '',
        operation,
        method,
        path,
        key,
        headers,
        prefix: named,
        status,
        request: body.length === 0 ? undefined : body.toString('utf8', 0, 64 * 1024),
        decidedBy,
        bug: undefined,
      })
    },
  }
}

/** The path as sent, without its query. */
export function pathOf({ url = '/' }: IncomingMessage): string {
  const mark = url.indexOf('?')
  return mark < 0 ? url : url.slice(0, mark)
}

/**
 * A copy of the request without its body, which the handlers get whole; nothing that is done to it reaches
 * the socket.
 */
export function replay(request: IncomingMessage, { path, session }: Visit): IncomingMessage {
  const named = session.world.name === defaultSession ? {} : { 'x-sim-session': session.world.name }
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
    // A name that cannot be one; the simulator refuses the call if no handler answers it.
    if (error instanceof ApiError) return core.sessions.get(defaultSession)
    throw error
  }
}
