/** Reads a call straight from node's `IncomingMessage`, without building a web `Request`. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { SimulatorCore } from '../core/simulator.ts'
import { isBytes } from '../engine/bytes.ts'
import type { Payload } from '../protocol/call.ts'
import type { Endpoint } from '../protocol/endpoint.ts'
import type { Settings } from '../protocol/settings.ts'
import { type BodySink, createBodySink } from './held-bytes.ts'
import { type FormReader, mediaType } from './read-form.ts'
import {
  bodyLimit,
  formReader,
  type Reading,
  readBytes,
  readTextBytes,
  takesBytes,
  tooLarge,
} from './read-payload.ts'
import { rejected } from './request-context.ts'
import type { WhenOver } from './socket-responses.ts'

/** The client disconnected before its request was complete. */
class ClientLeft extends Error {
  override readonly name = 'ClientLeft'
}

/** Stands for a body that was too large to keep. */
const overLimit = Symbol('over the limit')

/** Stands for a body that came while too much else arrived. */
const noRoom = Symbol('no room')

/** A body that was read from the request before the simulator was asked. */
export type RawBody = Uint8Array | typeof overLimit | typeof noRoom

/** Headers as the core wants them: lower-case names, one text each. Only cookies come as lists. */
export type Headers = Readonly<Record<string, string | undefined>>

/** Stands for a body whose client left before it was whole. */
const clientLeft = Symbol('the client left')

/** How the reading of a body ended: with the body, or without it. */
type ReadBody = Buffer | typeof overLimit | typeof noRoom | typeof clientLeft

/**
 * Reads the whole body and hands it over once. Where `take` is given, it takes the chunks as they come, and
 * the body that is handed over at the end is empty.
 */
function readBody(
  request: IncomingMessage,
  limit: number,
  admit: AdmitBody,
  done: (body: ReadBody) => void,
  take?: (chunk: Buffer) => void,
): void {
  // Left already: no event would come any more.
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
    // What is not whole must not stay in memory until the connection ends.
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
  // Every request closes, after its end or instead of it. (Without a listener for `error`, node raises none.)
  request.on('close', end)
}

/** The whole body, for those who wait for it. Rejects with `ClientLeft`. */
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
 * Hands over the payload of a request, at once or when it has been read; a form takes a promise. `parsed` is
 * what a body parser in front of us made of a body that can be read no more.
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
  const unread = (end: Exclude<ReadBody, Buffer>): Payload =>
    end === clientLeft
      ? leftEarly
      : end === noRoom
        ? noRoomForBody(core.settings)
        : tooLarge(limit, contentType, endpoint)
  if (parsed === overLimit || parsed === noRoom) return done(unread(parsed))
  if (parsed !== undefined && isBytes(parsed))
    return done(
      parsed.length > limit
        ? tooLarge(limit, contentType, endpoint)
        : readBytes(parsed, headers, endpoint, core),
    )
  if (request.readableEnded) return done(parsedPayload(parsed, headers, endpoint, core))
  if (takesBytes(endpoint)) {
    const declared = Number(headers['content-length'])
    let intake: BodySink | undefined = createBodySink(declared <= limit ? declared : 0)
    return readBody(
      request,
      limit,
      admit,
      (body) => {
        const taken = intake as BodySink
        // What is not whole must not stay in memory until the connection ends.
        intake = undefined
        done(typeof body === 'symbol' ? unread(body) : taken.finish())
      },
      (chunk) => intake?.add(chunk),
    )
  }
  const form = endpoint.accepts.includes('form') ? formReader(headers, endpoint, core) : undefined
  if (form !== undefined) {
    const read = ({ add, finish }: FormReader): void =>
      readBody(request, limit, admit, (body) => done(typeof body === 'symbol' ? unread(body) : finish()), add)
    // Nothing of the body comes before somebody listens.
    return form instanceof Promise ? void form.then(read) : read(form)
  }
  // No promise comes between the end of such a body and its answer.
  readBody(request, limit, admit, (body) =>
    done(typeof body === 'symbol' ? unread(body) : readTextBytes(body, headers, endpoint)),
  )
}

// Taken as a call all the same, so that the journal shows it; its response reaches nobody.
const leftEarly: Payload = rejected('The client disconnected before its request was complete.')

/** The payload that a parser in front of us has left. */
function parsedPayload(
  parsed: unknown,
  headers: Headers,
  endpoint: Endpoint,
  core: Reading,
): Payload | Promise<Payload> {
  if (isBytes(parsed)) return readBytes(parsed, headers, endpoint, core)
  const contentType = headers['content-type'] ?? ''
  // Of nothing, parsers make an empty object.
  if (takesBytes(endpoint) && headers['content-length'] === '0')
    return readBytes(new Uint8Array(0), headers, endpoint, core)
  if (typeof parsed === 'string') return restored(parsed, 'text/', headers, endpoint, core)
  if (parsed === undefined || parsed === null) {
    const sent = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
    if (!sent) return readBytes(new Uint8Array(0), headers, endpoint, core)
    return rejected(
      'A middleware before the simulator has already consumed this body: mount the simulator before it.',
    )
  }
  if (contentType.startsWith('multipart/')) {
    return rejected(
      'A body parser before the simulator has already parsed this form: mount the simulator before it.',
    )
  }
  let text: string
  try {
    text = JSON.stringify(parsed)
  } catch {
    // Only depth can be in the way: a parser made this value of JSON, or of a form.
    return rejected('The body is nested too deeply: send less nested JSON.')
  }
  return restored(text, 'application/json', headers, endpoint, core)
}

function restored(
  text: string,
  type: string,
  headers: Headers,
  endpoint: Endpoint,
  core: Reading,
): Payload | Promise<Payload> {
  const bytes = new TextEncoder().encode(text)
  // A file is more than the value that a parser found in it; of the same length, it was written as we would
  // write it.
  if (
    takesBytes(endpoint) &&
    !(
      mediaType(headers['content-type']).startsWith(type) &&
      headers['content-length'] === String(bytes.length)
    )
  ) {
    return rejected(
      'A body parser before the simulator has parsed this file, and its bytes are lost: mount the ' +
        'simulator before it.',
    )
  }
  return readBytes(bytes, headers, endpoint, core)
}

// --- bodies that are still arriving: how much of them is held, and what becomes of those not read ---

/** Bodies up to this size, in bytes, are read however much else arrives. */
const smallBody = 1024 * 1024

/** Is told how much of a large body there is so far; false when it is more than there is room for. */
export type AdmitBody = (size: number) => boolean

export function createAdmitBody(
  { traffic, settings }: Pick<SimulatorCore, 'traffic' | 'settings'>,
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
    return traffic.arriving <= settings.traffic.arrivingBytes
  }
}

/** The payload for a body that there is no room for. */
function noRoomForBody({ traffic: { arrivingBytes } }: Settings): Payload {
  return {
    kind: 'rejected',
    type: 'overloaded_error',
    message:
      `Bodies larger than ${smallBody} bytes together exceed ${arrivingBytes} bytes while ` +
      'they are received (setting traffic.arrivingBytes): send fewer at the same time, or ' +
      'try again.',
    retryAfterMs: 1000,
  }
}

/** Whether a body has still to come. Node counts a request without one as incomplete when it begins. */
export function isArriving({ complete, headers }: IncomingMessage): boolean {
  return (
    !complete && (headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0')
  )
}

/** A client that sends nothing for this long, in milliseconds, is waiting for the response. */
const quietMs = 100
/** How long a connection that ends behind its response may go without a byte, in milliseconds. */
const lingerMs = 1000

/**
 * Discards the rest of a body that nobody reads, and responses once the body is over. Many clients read no
 * response before they have sent everything, and closing a connection on unread bytes resets it, which loses
 * the response. The response does not wait for a client that has gone quiet, or that sends more than the
 * largest body allowed: then `closes` is true, and the connection first ends and closes only when nothing
 * more comes.
 */
export function discardBody(
  request: IncomingMessage,
  { limits }: Settings,
  response: (closes: boolean) => void,
): void {
  const { socket } = request
  const most = Math.max(limits.jsonBytes, limits.formBytes, limits.fileBytes)
  let room = most
  let hasResponded = false
  const onWhole = (): void => {
    clearTimeout(timer)
    if (!hasResponded) response(false)
    hasResponded = true
  }
  const onTrouble = (): void => {
    // The client has had its response and still sends: it waits from now on.
    if (hasResponded) return void request.pause()
    hasResponded = true
    clearTimeout(timer)
    room = most
    timer = setTimeout(() => socket.destroy(), lingerMs).unref()
    // Node would close the connection at once when the response has been written.
    socket.destroySoon = () => void socket.end()
    response(true)
  }
  let timer = setTimeout(onTrouble, quietMs)
  request.on('data', ({ length }: Buffer) => {
    room -= length
    if (room < 0) onTrouble()
    else timer.refresh()
  })
  // Every request closes, after its end or instead of it.
  request.once('close', onWhole)
  if (request.destroyed) onWhole()
}
