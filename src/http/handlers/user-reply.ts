/**
 * Makes a user's `Response` safe to hand to the middleware, which writes it: its body never errors, a client
 * that leaves stops it, and what node could not write is refused before the first byte.
 */
import { type ServerResponse, validateHeaderValue } from 'node:http'
import { isBytes } from '../../engine/bytes.ts'
import type { Visit } from './user-visit.ts'

// As much of a body as a journal keeps.
const kept = 64 * 1024

/**
 * A reply in the simulator's envelope that says what is wrong with a handler of the user's; warned of as
 * well.
 */
export function handlerRefusal(
  { core, method, path }: Pick<Visit, 'core' | 'method' | 'path'>,
  what: string,
  error?: unknown,
): Response {
  const reason = error === undefined ? '' : `: ${error instanceof Error ? error.message : String(error)}`
  const details = error instanceof Error ? `: ${error.stack ?? error.message}` : reason
  core.warn(`a handler of yours for ${method} ${path} ${what}${details}`)
  const message = `A handler of yours for ${method} ${path} ${what}${reason}`
  return Response.json(
    { error: { type: 'user_handler_error', code: 500, message, param: null, details: [], trace_id: '' } },
    { status: 500 },
  )
}

/**
 * What is wrong with a reply that the middleware would break on, in words; undefined when it can be written.
 */
export function unwritable(reply: unknown): string | undefined {
  if (
    reply === null ||
    typeof reply !== 'object' ||
    typeof (reply as Response).status !== 'number' ||
    !((reply as Response).headers instanceof Headers)
  ) {
    const type = typeof reply === 'object' ? 'an object' : `a ${typeof reply}`
    return (
      `returned ${type} that is no Response: return HttpResponse.json(…), or nothing to let the ` +
      'call through'
    )
  }
  const { bodyUsed, body, headers } = reply as Response
  if (bodyUsed || body?.locked === true)
    return 'returned a Response whose body was already read: return a copy (response.clone()) or a new one'
  for (const [name, value] of headers) {
    try {
      validateHeaderValue(name, value)
    } catch {
      return `returned a header that cannot be sent: ${name}`
    }
  }
  return undefined
}

/**
 * The same reply, guarded. The entry of the journal is closed when the last byte was handed over or the
 * client left.
 */
export function guardReply(reply: Response, visit: Visit): Response {
  const { core, response, session } = visit
  const { journal } = session.world
  const entry = visit.record(reply.status)
  const headers = new Headers(reply.headers)
  if (core.settings.cors && !headers.has('access-control-allow-origin')) {
    headers.set('access-control-allow-origin', '*')
    headers.set('access-control-expose-headers', '*')
  }
  if (!headers.has('date')) headers.set('date', new Date(visit.at).toUTCString())
  response.sendDate = false
  const init = { status: reply.status, statusText: reply.statusText, headers }
  if (reply.body === null) {
    journal.close(entry, 'completed', undefined)
    return new Response(null, init)
  }

  const reader = reply.body.getReader()
  const decoder = /json|text|event-stream/.test(headers.get('content-type') ?? '')
    ? new TextDecoder()
    : undefined
  let said = ''
  let ended = false
  const finish = (how: 'completed' | 'aborted' | 'cut'): void => {
    if (ended) return
    ended = true
    session.open.delete(stop)
    journal.close(entry, how, decoder === undefined ? undefined : said)
  }
  const stop = (reason: Error): void => {
    finish('cut')
    void reader.cancel(reason).catch(ignore)
    breakOff(response)
  }
  session.open.add(stop)

  const body = new ReadableStream<Uint8Array>(
    {
      start() {
        response.once('close', () => {
          if (ended) return
          finish('aborted')
          void reader.cancel(new Error('the client left')).catch(ignore)
        })
      },
      async pull(controller) {
        // Nobody asks for a byte before the middleware has set status and headers; a slow stream shows them
        // at once.
        if (!response.headersSent && !response.destroyed) response.flushHeaders()
        try {
          const { done, value } = await reader.read()
          if (ended) return
          if (done) {
            finish('completed')
            controller.close()
            return
          }
          if (!isBytes(value)) {
            const type = typeof value === 'string' ? 'a string' : 'no bytes'
            throw new TypeError(
              `a chunk is ${type}: a body takes Uint8Array (pipe text through a TextEncoderStream)`,
            )
          }
          if (decoder !== undefined && said.length < kept) said += decoder.decode(value, { stream: true })
          controller.enqueue(value)
        } catch (error) {
          if (ended) return
          const reason = error instanceof Error ? (error.stack ?? error.message) : String(error)
          core.warn(
            `the body of a handler of yours for ${visit.method} ${visit.path} failed, and the connection ` +
              `was broken: ${reason}`,
          )
          finish('cut')
          // The body is left without an end on purpose: an end would be written as the proper end of the
          // reply.
          breakOff(response)
        }
      },
    },
    { highWaterMark: 0 },
  )
  return new Response(body, init)
}

// What was written must arrive before the connection breaks.
function breakOff(response: ServerResponse): void {
  response.socket?.destroySoon()
}

function ignore(): void {}
