/**
 * The user's own msw handlers in front of the simulator, through `@mswjs/http-middleware` in an Express app.
 * Works around known limits of that package, each reproduced in a test: it needs msw 2, crashes if a body
 * stream errors, ignores clients that disconnect, hangs on `HttpResponse.error()` and consumes the body on
 * passthrough. Loaded only if there are handlers.
 *
 * Handlers see the path without a session prefix (`/s/<id>`); the session is in the header
 * `x-sim-session`. They match on the path only: a handler for `https://api.openai.com/v1/…` applies here too.
 * They never get requests to the control API (`/__sim`).
 */

import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { SimulatorCore } from '../../core/simulator.ts'
import { controlPrefix } from '../../protocol/paths.ts'
import { splitPath } from '../exchange.ts'
import type { AccessLogLine } from '../node-listener.ts'
import { type AdmitBody, createAdmitBody, type RawBody, readAll } from '../read-node.ts'
import { bodyLimit } from '../read-payload.ts'
import { createWhenOver } from '../socket-responses.ts'
import { bugWarning, patience } from '../warnings.ts'
import { type HandlerGroup, loadMiddleware, type Middleware, readHandlers } from './load-middleware.ts'
import {
  guardResponse,
  handlerRejection,
  openVisit,
  pathOf,
  replay,
  unwritable,
  type Visit,
} from './user-response.ts'

/** `next` passes the request to the simulator, with the body that was read. */
export type UserHandlers = (
  request: IncomingMessage,
  outgoing: ServerResponse,
  next: (rawBody?: RawBody) => void,
) => void

export interface UserHandlersOptions {
  /** Called for every request that a handler answered. */
  readonly accessLog?: ((line: AccessLogLine) => void) | undefined
  /** The file URL from which msw and the middleware are resolved. Default: this file. */
  readonly from?: string
}

/** Shared by all servers: one per server would slow down every promise of the process, even after closing. */
const currentVisit = new AsyncLocalStorage<Visit>()

/** Rejects with a `TypeError` for an invalid handler, with an `Error` for a missing or wrong package. */
export async function createUserHandlers(
  handlers: readonly unknown[],
  core: SimulatorCore,
  options: UserHandlersOptions = {},
): Promise<UserHandlers> {
  const groups = readHandlers(handlers)
  const { createApp, getResponse, catchAll } = loadMiddleware(options.from)
  const app = createApp(
    catchAll(({ request }) => {
      const visit = currentVisit.getStore() as Visit
      return answerVisit(visit, () => firstAnswer(groups, getResponse, request, visit))
    }),
  )
  const runApp: RunApp = (request, visit, done) =>
    currentVisit.run(visit, () => app(replay(request, visit), visit.outgoing, done))

  const whenOver = createWhenOver()
  return (request, outgoing, next) => {
    const { path } = splitPath(pathOf(request))
    if (path === controlPrefix || path.startsWith(`${controlPrefix}/`)) return next()
    const admit = createAdmitBody(core, whenOver, request, outgoing)
    askHandlers(core, request, outgoing, next, runApp, { ...options, admit }).catch((error: unknown) => {
      core.warn(bugWarning(`${request.method} ${path}`, error))
      outgoing.destroy()
    })
  }
}

/** Runs the middleware for a visit; `done` is called if no handler responded. */
type RunApp = (request: IncomingMessage, visit: Visit, done: (error?: unknown) => void) => void

/** The first response of a handler; each handler sees the request as if sent to its own origin. */
async function firstAnswer(
  groups: readonly HandlerGroup[],
  getResponse: Middleware['getResponse'],
  seen: Request,
  { body, signal }: Visit,
): Promise<Response | undefined> {
  const { method, headers } = seen
  const url = new URL(seen.url)
  for (const group of groups) {
    const address = group.origin === undefined ? url.href : group.origin + url.pathname + url.search
    const takesBody = method !== 'GET' && method !== 'HEAD' && body.length > 0
    const request = new Request(address, {
      method,
      headers,
      signal,
      credentials: 'omit',
      body: takesBody ? (body as Uint8Array<ArrayBuffer>) : null,
    })
    const answer = await getResponse(group.handlers, request, { baseUrl: url.origin })
    if (answer !== undefined && answer !== null) return answer
  }
  return undefined
}

/** The response for the middleware to write; undefined if the simulator responds, or there is none. */
async function answerVisit(
  visit: Visit,
  ask: () => Promise<Response | undefined>,
): Promise<Response | undefined> {
  visit.state = 'running'
  let answer: Response | undefined
  try {
    answer = await ask()
    const wrong = answer === undefined || isNetworkError(answer) ? undefined : unwritable(answer)
    if (wrong !== undefined) answer = handlerRejection(visit, wrong)
  } catch (error) {
    if (!visit.signal.aborted) answer = handlerRejection(visit, 'threw', error)
  }
  if (answer === undefined || visit.signal.aborted || isPassthrough(answer)) return undefined
  visit.state = 'over'
  visit.leave()
  if (isNetworkError(answer)) {
    visit.session.sandbox.journal.close(visit.record(0), 'disconnected', undefined)
    visit.outgoing.socket?.resetAndDestroy()
    return undefined
  }
  return guardResponse(answer, visit)
}

/** Passes one request to the handlers; `next` passes it to the simulator if none of them responds. */
async function askHandlers(
  core: SimulatorCore,
  request: IncomingMessage,
  outgoing: ServerResponse,
  next: (rawBody?: RawBody) => void,
  runApp: RunApp,
  { accessLog, admit }: Pick<UserHandlersOptions, 'accessLog'> & { readonly admit: AdmitBody },
): Promise<void> {
  const callEnded = core.callStarted()
  // A handler that never responds must not block the clock.
  const timer = setTimeout(callEnded, patience)
  timer.unref()
  const leave = (): void => {
    clearTimeout(timer)
    callEnded()
  }
  const pass = (rawBody?: RawBody): void => {
    next(rawBody)
    leave()
  }
  let body: Exclude<RawBody, Uint8Array> | Buffer
  try {
    const match = core.match(request.method ?? 'GET', splitPath(pathOf(request)).path)
    const endpoint = match.kind === 'found' ? match.route.endpoint : undefined
    const limit = bodyLimit(request.headers['content-type'], core.settings, endpoint)
    body = await readAll(request, limit, admit)
  } catch {
    // The client disconnected; the simulator records that.
    return pass()
  }
  if (typeof body === 'symbol') return pass(body)

  const visit = openVisit(core, request, outgoing, body, leave, accessLog)
  outgoing.once('close', () => {
    leave()
    if (visit.state === 'over') return
    // Records a client that disconnects before a response; after that, the guarded response does.
    visit.state = 'over'
    visit.session.sandbox.journal.close(visit.record(clientLeft), 'aborted', undefined)
  })
  runApp(request, visit, (error) => {
    if (visit.state === 'over' || visit.signal.aborted) return
    // Some requests (TRACE, an invalid host) cannot be expressed as a web Request: no handler can match them.
    if (error !== undefined && visit.state === 'running')
      core.warn(bugWarning(`${visit.method} ${visit.path}`, error))
    visit.state = 'over'
    pass(body)
  })
}

/** The status that servers log for a client that disconnected before the response. */
const clientLeft = 499

function isPassthrough(answer: Response): boolean {
  return answer.status === 302 && answer.headers.get('x-msw-intention') === 'passthrough'
}

function isNetworkError(answer: Response): boolean {
  return answer.type === 'error'
}
