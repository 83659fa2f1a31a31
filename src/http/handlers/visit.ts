/** A request while user handlers process it: its session, and its journal entry. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { SimulatorCore } from '../../core/simulator.ts'
import { keptOfBody } from '../../engine/journal.ts'
import { type JournalEntry, noOutcome } from '../../engine/journal-entry.ts'
import { findKey } from '../../protocol/auth.ts'
import { ApiError } from '../../protocol/errors.ts'
import { defaultSession, type Session, type Sessions } from '../../sessions/sessions.ts'
import { splitPath } from '../exchange.ts'
import { type AccessLogLine, millisecondsSince } from '../node-listener.ts'
import type { Headers } from '../read-node.ts'

export interface Visit {
  readonly core: SimulatorCore
  readonly method: string
  /** Path and query for the handlers, without a session prefix. */
  readonly path: string
  readonly headers: Headers
  readonly outgoing: ServerResponse
  readonly body: Buffer
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal
  readonly session: Session
  /** Virtual milliseconds at which the request was complete. */
  readonly at: number
  /** Adds the request to the journal of its session, and to the log. */
  record(status: number): JournalEntry
}

const decidedBy = 'a user handler'

/** The visit of a request whose body has been read. `accessLog` is called when it is recorded. */
export function openVisit(
  core: SimulatorCore,
  { request, outgoing }: { readonly request: IncomingMessage; readonly outgoing: ServerResponse },
  body: Buffer,
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
  const record = (status: number): JournalEntry => {
    const shared = {
      method,
      path,
      status,
      operation: route?.endpoint.operation,
      session: session.sandbox.name,
      at,
      realAt: core.wall(),
    }
    accessLog?.({
      ...shared,
      decidedBy,
      rule: undefined,
      faults: [],
      requestId: undefined,
      durationMs: millisecondsSince(cameAt),
    })
    return session.sandbox.journal.add({
      facts: { ...shared, ...noOutcome, requestId: '', decidedBy },
      key,
      headers,
      prefix: named,
      request: body.length === 0 ? undefined : body.toString('utf8', 0, keptOfBody),
    })
  }
  return { core, method, path, headers, outgoing, body, signal: left.signal, session, at, record }
}

/** The path as sent, without its query. */
export function pathOf({ url = '/' }: IncomingMessage): string {
  const mark = url.indexOf('?')
  return mark < 0 ? url : url.slice(0, mark)
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
