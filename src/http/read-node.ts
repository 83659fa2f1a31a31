/** Reads a call straight from node's `IncomingMessage`, without building a web `Request`. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { SimulatorCore } from '../core/simulator.ts'
import { isBytes } from '../engine/bytes.ts'
import type { Payload } from '../protocol/call.ts'
import type { Endpoint } from '../protocol/endpoint.ts'
import type { Settings } from '../protocol/settings.ts'
import type { Traffic } from '../protocol/traffic.ts'
import { type BodySink, createBodySink } from './held-bytes.ts'
import { type FormReader, mediaType } from './read-form.ts'
import {
  bodyLimit,
  formLimit,
  formReader,
  type Reading,
  readBytes,
  readText,
  tooLarge,
} from './read-payload.ts'
import { rejected } from './request-context.ts'
import type { WhenOver } from './socket-responses.ts'

/** The client disconnected before its request was complete. */
class ClientLeft extends Error {
  override readonly name = 'ClientLeft'
}

/** Marks a body that was too large to keep. */
const overLimit = Symbol('over the limit')

/** Marks a body that exceeded the limit for concurrent bodies. */
const noRoom = Symbol('no room')

/** A body that was read before the simulator got the request. */
export type RawBody = Uint8Array | typeof overLimit | typeof noRoom

/** Headers for the core: lower-case names, one string each. Only cookies come as lists. */
export type Headers = Readonly<Record<string, string | undefined>>

/** Marks an incomplete body whose client disconnected. */
const clientLeft = Symbol('the client left')

/** The result of reading a body. */
type ReadBody = Buffer | typeof overLimit | typeof noRoom | typeof clientLeft

/**
 * Reads the whole body and passes it on once. `take`, if given, gets the chunks as they arrive; the body
 * passed on is then empty.
 */
function readBody(
  request: IncomingMessage,
  limit: number,
  admit: AdmitBody,
  done: (body: ReadBody) => void,
  take?: (chunk: Buffer) => void,
): void {
  // Already disconnected: no more events will follow.
  if (request.destroyed && !request.readableEnded) return done(clientLeft)
  const declared = Number(request.headers['content-length'])
  if (declared > limit) {
    request.resume()
    return done(overLimit)
  }
  let kept: Buffer[] = []
  let size = 0
  let isOver = false
  let hasRoom = true
  const end = (): void => {
    if (isOver) return
    isOver = true
    const chunks = kept
    // An incomplete body must not stay in memory until the connection ends.
    kept = []
    if (size > limit) return done(overLimit)
    if (!hasRoom) return done(noRoom)
    if (!request.readableEnded) return done(clientLeft)
    done(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks))
  }
  request.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (isOver) return
    if (size > smallBody) hasRoom = admit(size)
    if (size > limit || !hasRoom) end()
    else if (take === undefined) kept.push(chunk)
    else take(chunk)
  })
  request.on('end', end)
  // Every request emits `close`, after `end` or instead of it. (Without a listener for `error`, node emits
  // none.)
  request.on('close', end)
}

/** The whole body as a promise. Rejects with `ClientLeft`. */
export function readAll(
  request: IncomingMessage,
  limit: number,
  admit: AdmitBody,
): Promise<Exclude<ReadBody, typeof clientLeft>> {
  return new Promise((resolve, reject) => {
    readBody(request, limit, admit, (body) =>
      body === clientLeft ? reject(new ClientLeft()) : resolve(body),
    )
  })
}

/**
 * Passes on the payload of a request, synchronously or once it has been read; a form needs a promise.
 * `parsed` is the result of an earlier body parser that has consumed the body.
 */
export function nodePayload(
  request: IncomingMessage,
  endpoint: Endpoint,
  core: Reading,
  parsed: unknown,
  admit: AdmitBody,
  done: (payload: Payload | Promise<Payload>) => void,
): void {
  const headers = request.headers as Headers
  const contentType = headers['content-type']
  const limit = bodyLimit(contentType, core.settings, endpoint)
  const unread = (end: Exclude<ReadBody, Buffer>): Payload => {
    if (end === clientLeft) return leftEarly
    return end === noRoom ? noRoomForBody(core.traffic) : tooLarge(limit, contentType, endpoint)
  }
  if (parsed === overLimit || parsed === noRoom) return done(unread(parsed))
  if (parsed !== undefined && isBytes(parsed))
    return done(
      parsed.length > limit ? tooLarge(limit, contentType, endpoint) : readBytes(parsed, headers, endpoint),
    )
  if (request.readableEnded) return done(parsedPayload(parsed, headers, endpoint))
  if (endpoint.accepts.includes('bytes')) {
    let intake: BodySink | undefined = createBodySink()
    return readBody(
      request,
      limit,
      admit,
      (body) => {
        const taken = intake as BodySink
        // An incomplete body must not stay in memory until the connection ends.
        intake = undefined
        done(typeof body === 'symbol' ? unread(body) : taken.finish())
      },
      (chunk) => intake?.add(chunk),
    )
  }
  const form = endpoint.accepts.includes('form') ? formReader(headers, endpoint) : undefined
  if (form !== undefined) {
    const read = ({ add, finish }: FormReader): void =>
      readBody(request, limit, admit, (body) => done(typeof body === 'symbol' ? unread(body) : finish()), add)
    // The body does not flow before there is a listener.
    return form instanceof Promise ? void form.then(read) : read(form)
  }
  // Such a body is answered without a promise.
  readBody(request, limit, admit, (body) =>
    done(typeof body === 'symbol' ? unread(body) : readText(body, headers, endpoint)),
  )
}

// Still handled as a call, for the journal; its response is never sent.
const leftEarly: Payload = rejected('The client disconnected before its request was complete.')

/** The payload that an earlier body parser has left. */
function parsedPayload(parsed: unknown, headers: Headers, endpoint: Endpoint): Payload | Promise<Payload> {
  if (isBytes(parsed)) return readBytes(parsed, headers, endpoint)
  const contentType = headers['content-type'] ?? ''
  // Parsers turn an empty body into an empty object.
  if (endpoint.accepts.includes('bytes') && headers['content-length'] === '0')
    return readBytes(new Uint8Array(0), headers, endpoint)
  if (typeof parsed === 'string') return restored(parsed, 'text/', headers, endpoint)
  if (parsed === undefined || parsed === null) {
    const sent = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
    if (!sent) return readBytes(new Uint8Array(0), headers, endpoint)
    return rejected(
      'A middleware before the simulator has already consumed this body: mount the simulator first.',
    )
  }
  if (contentType.startsWith('multipart/')) {
    return rejected(
      'A body parser before the simulator has already parsed this form: mount the simulator first.',
    )
  }
  let text: string
  try {
    text = JSON.stringify(parsed)
  } catch {
    // Only its depth can fail: a parser created this value from JSON or a form.
    return rejected('The body is nested too deeply: reduce the nesting.')
  }
  return restored(text, 'application/json', headers, endpoint)
}

function restored(
  text: string,
  type: string,
  headers: Headers,
  endpoint: Endpoint,
): Payload | Promise<Payload> {
  const bytes = new TextEncoder().encode(text)
  // The bytes of a file matter, not its parsed value; with the same length, they are what we would write.
  if (
    endpoint.accepts.includes('bytes') &&
    !(
      mediaType(headers['content-type']).startsWith(type) &&
      headers['content-length'] === String(bytes.length)
    )
  ) {
    return rejected(
      'A body parser before the simulator has parsed this file, and its bytes are lost: mount the ' +
        'simulator first.',
    )
  }
  return readBytes(bytes, headers, endpoint)
}

// --- bodies that are still arriving: how much of them is held, and what becomes of those not read ---

/** Bodies up to this size, in bytes, are read however much else arrives. */
const smallBody = 1024 * 1024

/** Gets the current size of a large body; returns false if it exceeds the available room. */
export type AdmitBody = (size: number) => boolean

export function createAdmitBody(
  { traffic }: Pick<SimulatorCore, 'traffic'>,
  whenOver: WhenOver,
  request: IncomingMessage,
  outgoing: ServerResponse,
): AdmitBody {
  let counted = 0
  return (size) => {
    if (counted === 0)
      whenOver(request, outgoing, () => {
        traffic.arriving -= counted
      })
    traffic.arriving += size - counted
    counted = size
    return traffic.arriving <= traffic.limits.arrivingBytes
  }
}

/** The payload for a body that exceeds the available room. */
function noRoomForBody({ limits: { arrivingBytes } }: Traffic): Payload {
  return {
    kind: 'rejected',
    type: 'overloaded_error',
    message:
      `Too many large requests at the same time: requests over ${smallBody} bytes add up to more than ` +
      `${arrivingBytes} bytes. Send fewer large requests, or try again.`,
    retryAfterMs: 1000,
  }
}

/** Whether a body is still to come. At first, node regards a request without a body as incomplete. */
export function isArriving({ complete, headers }: IncomingMessage): boolean {
  return (
    !complete && (headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0')
  )
}

/** A client that sends nothing for this long, in milliseconds, is waiting for the response. */
const quietMs = 100
/** How long a connection that closes after its response may be silent, in milliseconds. */
const lingerMs = 1000

/**
 * Discards the rest of an unread body, and responds once the body is over. Many clients read no response
 * before they have sent everything, and closing a connection with unread bytes resets it, which loses the
 * response. The response does not wait for a client that is silent, or that exceeds the largest allowed body:
 * then `closes` is true, and the connection first ends and closes only when nothing more arrives.
 */
export function discardBody(
  request: IncomingMessage,
  settings: Settings,
  response: (closes: boolean) => void,
): void {
  const { socket } = request
  const most = Math.max(settings.limits.jsonBytes, formLimit(settings))
  let room = most
  let hasResponded = false
  const onWhole = (): void => {
    clearTimeout(timer)
    if (!hasResponded) response(false)
    hasResponded = true
  }
  const onTrouble = (): void => {
    // The client has its response and still sends: wait from now on.
    if (hasResponded) return void request.pause()
    hasResponded = true
    clearTimeout(timer)
    room = most
    timer = setTimeout(() => socket.destroy(), lingerMs).unref()
    // Node would close the connection immediately after writing the response.
    socket.destroySoon = () => void socket.end()
    response(true)
  }
  let timer = setTimeout(onTrouble, quietMs)
  request.on('data', ({ length }: Buffer) => {
    room -= length
    if (room < 0) onTrouble()
    else timer.refresh()
  })
  // Every request emits `close`, after `end` or instead of it.
  request.once('close', onWhole)
  if (request.destroyed) onWhole()
}
