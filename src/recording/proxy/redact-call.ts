/** Makes a recorded exchange of what passed the proxy: decoded, and without its secrets. */
import type { ExchangeEnd, RecordedExchange, RecordedReply } from '../../har/exchange.ts'
import { decodePieces, type Piece } from './decode-body.ts'
import { redactText, type TextForm } from './redact-text.ts'
import { redactedWord, type Secrets } from './secrets.ts'

type Headers = readonly (readonly [string, string])[]

/** The bytes of a body as they passed. */
export interface CapturedBody {
  readonly pieces: readonly Piece[]
  readonly size: number
  /** There were more than are kept: `pieces` is empty. */
  readonly lost: boolean
}

/** One call as it passed; header names in lower case. */
export interface CapturedCall {
  readonly startedAt: number
  readonly firstByteAfter: number
  readonly endedAfter: number
  readonly method: string
  readonly url: string
  readonly headers: Headers
  readonly body: CapturedBody
  readonly reply:
    | {
        readonly status: number
        readonly statusText: string
        readonly headers: Headers
        readonly body: CapturedBody
      }
    | undefined
  readonly ended: ExchangeEnd
  /** Why there is no reply, or no whole one. */
  readonly error: string | undefined
  readonly key: string | undefined
  readonly session: string | undefined
}

export interface RedactedCall {
  readonly exchange: RecordedExchange
  readonly statusText: string
  readonly error: string | undefined
  /** The length of a reply's body that was not kept. */
  readonly lostBytes: number | undefined
}

/** `maxBytes` bounds what a compressed body may become. */
export async function redactCall(
  call: CapturedCall,
  secrets: Secrets,
  maxBytes: number,
): Promise<RedactedCall> {
  secrets.learnFrom(call.headers, call.url)
  if (call.reply !== undefined) secrets.learnFrom(call.reply.headers, call.url)
  // Bodies first: what they show to be secret is so in headers and addresses too.
  const asked = await redactBody(call.body, call.headers, secrets, maxBytes)
  const told =
    call.reply === undefined
      ? undefined
      : await redactBody(call.reply.body, call.reply.headers, secrets, maxBytes)
  const headers = redactHeaders(call.headers, secrets)
  const url = redactLine(call.url, secrets)
  const replyHeaders = redactHeaders(call.reply?.headers ?? [], secrets)
  const places = [
    ...headers.places,
    ...queryPlaces(call.url, url),
    ...(asked?.places ?? []),
    ...[...replyHeaders.places, ...(told?.places ?? [])].map((place) => `reply:${place}`),
  ]
  const reply: RecordedReply | undefined = call.reply && {
    status: call.reply.status,
    headers: replyHeaders.headers,
    body: told?.body ?? new Uint8Array(),
    chunks: told?.chunks,
    ...(told === undefined ? { bodyLost: true } : {}),
  }
  const plain = (text: string): string => redactLine(text, secrets)
  return {
    exchange: {
      source: 'recording',
      startedAt: call.startedAt,
      firstByteAfter: call.firstByteAfter,
      endedAfter: call.endedAfter,
      request: {
        method: call.method,
        url,
        headers: headers.headers,
        body: call.body.size === 0 ? undefined : asked?.body,
      },
      reply,
      ended: call.ended,
      key: call.key,
      session: call.session === undefined ? undefined : plain(call.session),
      redacted: [...new Set(places)],
    },
    statusText: plain(call.reply?.statusText ?? ''),
    error: call.error === undefined ? undefined : plain(call.error),
    lostBytes: told === undefined ? call.reply?.body.size : undefined,
  }
}

/** A line of text without secrets, for logs and messages. */
export function redactLine(text: string, secrets: Secrets): string {
  return fromLatin1(redactText(toLatin1(text), 'text', secrets).text)
}

const toLatin1 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')
const fromLatin1 = (text: string): string => Buffer.from(text, 'latin1').toString('utf8')

function queryPlaces(before: string, after: string): string[] {
  const old = [...new URL(before).searchParams]
  const now = [...new URL(after).searchParams]
  return old.flatMap(([name, value], at) => (now[at]?.[1] === value ? [] : [`query:${name}`]))
}

// A known scheme tells how the key was sent, and not what it is.
const scheme = /^(?:bearer|basic|digest|token|apikey)\s+/i

function redactHeaders(
  headers: Headers,
  secrets: Secrets,
): { readonly headers: Headers; readonly places: readonly string[] } {
  const places: string[] = []
  const redacted = headers.map(([name, value]): readonly [string, string] => {
    const kept = secrets.isHeader(name)
      ? `${scheme.exec(value)?.[0] ?? ''}${redactedWord}`
      : redactText(value, 'text', secrets).text
    if (kept !== value) places.push(`header:${name}`)
    return [name, kept]
  })
  return { headers: redacted, places }
}

async function redactBody(
  { pieces, lost }: CapturedBody,
  headers: Headers,
  secrets: Secrets,
  maxBytes: number,
): Promise<(Pick<RecordedReply, 'body' | 'chunks'> & { readonly places: readonly string[] }) | undefined> {
  const coding = headers.find(([name]) => name === 'content-encoding')?.[1]
  const decoded = lost ? undefined : await decodePieces(pieces, coding, maxBytes)
  if (decoded === undefined) return undefined
  const whole = Buffer.concat(decoded.map(({ bytes }) => bytes))
  const type = headers.find(([name]) => name === 'content-type')?.[1] ?? ''
  const { text, places, moved } = redactText(whole.toString('latin1'), formOf(type, whole), secrets)
  let position = 0
  const chunks = decoded.map(({ at, bytes }) => {
    const from = moved(position)
    position += bytes.length
    return { at, bytes: moved(position) - from }
  })
  return { body: places.length === 0 ? whole : Buffer.from(text, 'latin1'), chunks, places }
}

function formOf(contentType: string, body: Uint8Array): TextForm {
  // Of what says nothing, and of refusals where a stream was asked for.
  const braces = body[0] === 123 || body[0] === 91
  const type = contentType.toLowerCase()
  if (type.includes('json')) return 'json'
  if (type.startsWith('text/event-stream')) return braces ? 'json' : 'events'
  if (type.startsWith('multipart/') || type.startsWith('application/x-www-form-urlencoded')) return 'form'
  if (/^(?:image|video|audio|font)\/(?!svg)/.test(type)) return 'bytes'
  if (/^application\/(?:octet-stream|zip|gzip|pdf)/.test(type)) return 'bytes'
  return braces ? 'json' : 'text'
}
