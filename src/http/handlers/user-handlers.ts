/**
 * The user's own msw handlers in front of the simulator. Loaded only if there are handlers.
 *
 * Handlers see the path without a session prefix (`/s/<id>`); the session is in the header
 * `x-sim-session`. They match on the path only: a handler for `https://api.openai.com/v1/…` applies here too.
 * They never get requests to the control API (`/__sim`).
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { SimulatorCore } from '../../core/simulator.ts'
import { controlPrefix } from '../../protocol/paths.ts'
import { defaultSession } from '../../sessions/sessions.ts'
import { splitPath } from '../exchange.ts'
import type { AccessLogLine } from '../node-listener.ts'
import { type AdmitBody, createAdmitBody, type RawBody, readAll } from '../read-node.ts'
import { bodyLimit } from '../read-payload.ts'
import { createWhenOver } from '../socket-responses.ts'
import { bugWarning, patience } from '../warnings.ts'
import { type GetResponse, type HandlerGroup, loadGetResponse, readHandlers } from './load-msw.ts'
import { handlerRejection, sendResponse } from './send-response.ts'
import { openVisit, pathOf, type Visit } from './visit.ts'

/** `next` passes the request to the simulator, with the body that was read. */
export type UserHandlers = (
  request: IncomingMessage,
  outgoing: ServerResponse,
  next: (rawBody?: RawBody) => void,
) => void

export interface UserHandlersOptions {
  /** Called for every request that a handler answered. */
  readonly accessLog?: ((line: AccessLogLine) => void) | undefined
  /** The file URL from which msw is resolved. Default: this file. */
  readonly from?: string
}

/** Rejects with a `TypeError` for an invalid handler, with an `Error` for a missing or wrong package. */
export async function createUserHandlers(
  handlers: readonly unknown[],
  core: SimulatorCore,
  { accessLog, from }: UserHandlersOptions = {},
): Promise<UserHandlers> {
  const groups = readHandlers(handlers)
  const getResponse = await loadGetResponse(from)
  const whenOver = createWhenOver()
  return (request, outgoing, next) => {
    const { path } = splitPath(pathOf(request))
    if (path === controlPrefix || path.startsWith(`${controlPrefix}/`)) return next()
    const admit = createAdmitBody(core, whenOver, request, outgoing)
    const open = (body: Buffer): Visit => openVisit(core, { request, outgoing }, body, accessLog)
    const handle = async (): Promise<void> => {
      const left = startCall(core, outgoing)
      const body = await readBody(core, request, admit)
      if (!Buffer.isBuffer(body)) {
        next(body)
        return left()
      }
      const visit = open(body)
      const answer = await answerOf(visit, (seen) => firstAnswer(groups, getResponse, seen, visit))
      if (answer === 'pass') next(body)
      left()
      if (answer !== 'pass' && answer !== 'gone') await sendAnswer(answer, visit)
    }
    handle().catch((error: unknown) => {
      core.warn(bugWarning(`${request.method} ${path}`, error))
      outgoing.destroy()
    })
  }
}

/** Counts a call until the returned function is called. */
function startCall(core: SimulatorCore, outgoing: ServerResponse): () => void {
  const callEnded = core.callStarted()
  // A handler that never responds must not block the clock.
  const timer = setTimeout(callEnded, patience)
  timer.unref()
  const left = (): void => {
    clearTimeout(timer)
    callEnded()
  }
  outgoing.once('close', left)
  return left
}

/** The body, or the reason why it was not read. Undefined if the client left: the simulator records it. */
async function readBody(
  core: SimulatorCore,
  request: IncomingMessage,
  admit: AdmitBody,
): Promise<RawBody | undefined> {
  const match = core.match(request.method ?? 'GET', splitPath(pathOf(request)).path)
  const endpoint = match.kind === 'found' ? match.route.endpoint : undefined
  try {
    return await readAll(request, bodyLimit(request.headers['content-type'], core.settings, endpoint), admit)
  } catch {
    return undefined
  }
}

/** The response of a handler. `pass`: the simulator responds. `gone`: the client left before, as recorded. */
async function answerOf(
  visit: Visit,
  ask: (seen: Request) => Promise<Response | undefined>,
): Promise<Response | 'pass' | 'gone'> {
  const { outgoing, session, signal } = visit
  const seen = webRequest(visit)
  if (seen === undefined) return 'pass'
  const onClose = (): void => session.sandbox.journal.close(visit.record(clientLeft), 'aborted', undefined)
  outgoing.once('close', onClose)
  try {
    const answer = await ask(seen)
    if (signal.aborted) return 'gone'
    if (answer === undefined || isPassthrough(answer)) return 'pass'
    const fault = faultOf(answer)
    return fault === undefined ? answer : handlerRejection(visit, fault)
  } catch (error) {
    return signal.aborted ? 'gone' : handlerRejection(visit, 'threw', error)
  } finally {
    outgoing.off('close', onClose)
  }
}

/** The status that servers log for a client that disconnected before the response. */
const clientLeft = 499

/** The request as handlers see it; undefined for one that has no web form (TRACE, an invalid host). */
function webRequest({ method, path, headers, session, signal, body }: Visit): Request | undefined {
  const shown = new Headers()
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) shown.set(name, value)
  if (session.sandbox.name !== defaultSession) shown.set('x-sim-session', session.sandbox.name)
  const takesBody = method !== 'GET' && method !== 'HEAD' && body.length > 0
  try {
    return new Request(`http://${headers['host'] ?? 'localhost'}${path}`, {
      method,
      headers: shown,
      signal,
      credentials: 'omit',
      body: takesBody ? (body as Uint8Array<ArrayBuffer>) : null,
    })
  } catch {
    return undefined
  }
}

/** The first response of a handler; each handler sees the request as if sent to its own origin. */
async function firstAnswer(
  groups: readonly HandlerGroup[],
  getResponse: GetResponse,
  seen: Request,
  { signal }: Visit,
): Promise<Response | undefined> {
  const { origin, pathname, search } = new URL(seen.url)
  for (const group of groups) {
    const address = (group.origin ?? origin) + pathname + search
    const request = new Request(address, new Request(seen.clone(), { signal }))
    const answer = await getResponse(group.handlers, request, { baseUrl: origin })
    if (answer !== undefined && answer !== null) return answer
  }
  return undefined
}

function isPassthrough({ status, headers }: Response): boolean {
  return status === 302 && headers?.get?.('x-msw-intention') === 'passthrough'
}

/** Why a value cannot be sent as a response; undefined if it can. */
function faultOf(answer: Response): string | undefined {
  if (typeof answer.status !== 'number' || typeof answer.headers?.get !== 'function')
    return (
      'returned a value that is not a Response: return HttpResponse.json(…), or nothing to pass the ' +
      'request on'
    )
  if (answer.bodyUsed || answer.body?.locked === true)
    return 'returned a Response whose body has been read: return a copy (response.clone()) or a new Response'
  return undefined
}

/** Sends a response, or breaks the connection for `HttpResponse.error()`. */
async function sendAnswer(answer: Response, visit: Visit): Promise<void> {
  if (answer.type !== 'error') return sendResponse(answer, visit)
  visit.session.sandbox.journal.close(visit.record(0), 'disconnected', undefined)
  visit.outgoing.socket?.resetAndDestroy()
}
