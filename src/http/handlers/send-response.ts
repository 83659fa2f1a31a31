/** Sends the web `Response` of a user handler over a socket. */

import { isBytes } from '../../engine/bytes.ts'
import { keptOfBody } from '../../engine/journal.ts'
import type { JournalEntry } from '../../engine/journal-entry.ts'
import type { Visit } from './visit.ts'

/** Resolves once the body has been sent, has failed, or its client is gone. */
export async function sendResponse(given: Response, visit: Visit): Promise<void> {
  const { outgoing, session } = visit
  let response = given
  try {
    writeHead(response, visit)
  } catch (error) {
    for (const name of outgoing.getHeaderNames()) outgoing.removeHeader(name)
    response = handlerRejection(visit, `returned a response that cannot be sent: ${messageOf(error)}`)
    writeHead(response, visit)
  }
  const entry = visit.record(response.status)
  if (response.body !== null) return sendBody(response, entry, visit)
  outgoing.end()
  session.sandbox.journal.close(entry, 'completed', undefined)
}

/** Throws for a header that node cannot send. */
function writeHead({ status, statusText, headers }: Response, { outgoing, at }: Visit): void {
  outgoing.sendDate = false
  outgoing.setHeader('date', new Date(at).toUTCString())
  outgoing.setHeader('access-control-allow-origin', '*')
  outgoing.setHeader('access-control-expose-headers', '*')
  for (const [name, value] of headers) outgoing.setHeader(name, value)
  const cookies = headers.getSetCookie()
  if (cookies.length > 0) outgoing.setHeader('set-cookie', cookies)
  outgoing.writeHead(status, statusText)
}

async function sendBody(response: Response, entry: JournalEntry, visit: Visit): Promise<void> {
  const { core, outgoing, session } = visit
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const isText = /json|text|event-stream/.test(response.headers.get('content-type') ?? '')
  const decoder = new TextDecoder()
  let text = ''
  let ended = false
  const finish = (how: 'completed' | 'aborted' | 'disconnected', reason?: Error): void => {
    if (ended) return
    ended = true
    session.open.delete(stop)
    session.sandbox.journal.close(entry, how, isText ? text : undefined)
    if (reason !== undefined) void reader.cancel(reason).catch(() => {})
  }
  const stop = (reason: Error): void => {
    finish('disconnected', reason)
    // Written data must arrive before the connection closes.
    outgoing.socket?.destroySoon()
  }
  session.open.add(stop)
  outgoing.once('close', () => finish('aborted', new Error('the client left')))
  // A slow stream sends its headers immediately.
  outgoing.flushHeaders()
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      if (ended) return
      if (!isBytes(part.value))
        throw new TypeError('a body chunk is not a Uint8Array: pipe text through a TextEncoderStream')
      if (isText && text.length < keptOfBody) text += decoder.decode(part.value, { stream: true })
      if (!outgoing.write(part.value)) await drained(visit)
    }
    finish('completed')
    outgoing.end()
  } catch (error) {
    if (ended) return
    core.warn(
      `the response body of a user handler for ${visit.method} ${visit.path} failed, and the ` +
        `connection was closed: ${stackOf(error)}`,
    )
    stop(new Error('the body failed'))
  }
}

/** Resolves when the client has read enough to continue, or has left. */
function drained({ outgoing }: Visit): Promise<void> {
  return new Promise((resolve) => {
    outgoing.once('drain', resolve)
    outgoing.once('close', resolve)
  })
}

/** The error for a faulty user handler, which is also logged as a warning. */
export function handlerRejection({ core, method, path }: Visit, what: string, error?: unknown): Response {
  core.warn(`a user handler for ${method} ${path} ${what}${error === undefined ? '' : `: ${stackOf(error)}`}`)
  const reason = error === undefined ? '' : `: ${messageOf(error)}`
  const message = `A user handler for ${method} ${path} ${what}${reason}`
  return Response.json(
    { error: { type: 'user_handler_error', code: 500, message, param: null, details: [], trace_id: '' } },
    { status: 500 },
  )
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
const stackOf = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error)
