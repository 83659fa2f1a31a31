/** The sender: sends a request and reads the response to its end, with the time of each part. */
import { joinBytes } from '../engine/bytes.ts'
import { jsonIn } from '../engine/fields.ts'
import { asBody, type Exchange, type ExchangeBody, headerIn } from '../exchange/exchange.ts'
import { createEventParser } from '../protocol/parse-events.ts'
import { hasEndMarker } from '../protocol/read-stream.ts'
import type { Break, StreamEnd } from '../scenario/format/steps.ts'
import type { StepRequest } from './build-request.ts'
import { type Pacer, silence } from './pacer.ts'

export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** A request and its response, and how the response broke or ended. */
export interface SentExchange extends Exchange {
  /** The request as its step describes it. */
  readonly sent: StepRequest
  readonly broken?: Break | undefined
  /** How the stream ended, if it is one; `no-end-marker` without an end marker. */
  readonly streamEnd?: StreamEnd | undefined
  /** Why it broke. */
  readonly reason?: string | undefined
  /** The comments of a stream. */
  readonly comments: readonly { readonly at: number; readonly text: string }[]
}

export interface SendOptions {
  /** Leaves a stream after so many events. */
  readonly stopAfter?: number | undefined
  readonly follow?: boolean
  /** How long to wait for the response or its next part, in milliseconds. Default: that of the pacer. */
  readonly patience?: number
}

export interface Sender {
  readonly fetch: Fetch
  readonly pacer: Pick<Pacer, 'now' | 'await' | 'patience'>
  /** Called with 1 when a body begins to be read, with -1 when it has ended. */
  reading?(change: 1 | -1): void
  /** Removes real keys, which a server may repeat, from a text. */
  hide?(text: string): string
}

/** Longer bodies (in bytes) and streams are aborted. */
const maxBodyLength = 256 * 1024 * 1024
const maxEvents = 100_000

/** Never rejects because of the server: failures are part of the exchange. */
export function createSender(
  sender: Sender,
): (request: StepRequest, options?: SendOptions) => Promise<SentExchange> {
  let count = 0
  return (request, options = {}) => sendRequest(request, count++, sender, options)
}

interface Ending {
  readonly broken?: Break
  readonly streamEnd?: StreamEnd
  readonly reason?: string
}

async function sendRequest(
  request: StepRequest,
  seq: number,
  sender: Sender,
  options: SendOptions,
): Promise<SentExchange> {
  const { pacer } = sender
  const at = pacer.now()
  const abort = new AbortController()
  const exchange = (body: BodyReader | undefined, ending: Ending): SentExchange => {
    const endedAfter = pacer.now() - at
    return {
      seq,
      at,
      operation: request.operation,
      key: request.key,
      request: requestOf(request),
      response: body?.response(),
      ended: endOf(ending),
      firstByteAfter: body?.firstByteAfter ?? endedAfter,
      endedAfter,
      redacted: request.credential === undefined ? [] : [`header:${request.credential}`],
      sent: request,
      comments: body?.comments ?? [],
      ...ending,
    }
  }
  let response: Response
  try {
    const redirect = options.follow === true ? 'follow' : 'manual'
    const received = await pacer.await(
      sender.fetch(request.url, { ...initOf(request), redirect, signal: abort.signal }),
      at + (options.patience ?? pacer.patience),
    )
    if (received === silence) {
      abort.abort()
      return exchange(undefined, { broken: 'hang', reason: 'no response arrived, and none is scheduled' })
    }
    response = received
  } catch (error) {
    return exchange(undefined, { broken: 'reset', reason: messageOf(error) })
  }
  const body = new BodyReader(response, at, sender)
  const ending = await readBody(body, response, sender, options)
  if (body.isIncomplete) abort.abort()
  return exchange(body, shortBody(request, response, body, ending) ?? ending)
}

function initOf({ init: { method, headers, body } }: StepRequest): RequestInit {
  return body === undefined ? { method, headers } : { method, headers, body }
}

function requestOf({ method, url, headers, init }: StepRequest): Exchange['request'] {
  const body = init.body === undefined ? undefined : asBody(bytesIn(init.body))
  return { method, url, headers: Object.entries(headers), body }
}

const bytesIn = (body: string | Uint8Array): Uint8Array =>
  typeof body === 'string' ? new TextEncoder().encode(body) : body

function endOf({ broken, streamEnd }: Ending): Exchange['ended'] {
  if (streamEnd === 'aborted') return 'aborted'
  return broken !== undefined || streamEnd === 'disconnected' || streamEnd === 'stalled'
    ? 'disconnected'
    : 'completed'
}

/** A body shorter than its `content-length`. In-process, nothing else checks the length. */
function shortBody(
  { method }: StepRequest,
  { headers }: Response,
  { isStream, size }: BodyReader,
  { broken }: Ending,
): Ending | undefined {
  const declared = Number(headers.get('content-length') ?? NaN)
  const isUnchecked = isStream || method === 'HEAD' || headers.has('content-encoding')
  if (broken !== undefined || isUnchecked || !(declared > size)) return undefined
  return { broken: 'truncated', reason: `content-length was ${declared}, but ${size} bytes arrived` }
}

async function readBody(
  body: BodyReader,
  response: Response,
  { pacer, reading }: Sender,
  { stopAfter, patience = pacer.patience }: SendOptions,
): Promise<Ending> {
  const reader = response.body?.getReader()
  if (reader === undefined) return body.isStream ? { streamEnd: 'no-end-marker' } : {}
  const leave = (ending: Ending): Ending => {
    body.isIncomplete = true
    reader.cancel().catch(() => {})
    return ending
  }
  reading?.(1)
  try {
    for (;;) {
      if (stopAfter !== undefined && body.isStream && body.events.length >= stopAfter) {
        body.events.length = stopAfter
        return leave({ streamEnd: 'aborted' })
      }
      const chunk = await pacer.await(reader.read(), body.lastPartAt + patience)
      if (chunk === silence) return leave(body.silentEnding())
      if (chunk.done) break
      body.add(chunk.value)
      if (body.size > maxBodyLength || body.events.length > maxEvents) {
        const limit = body.isStream ? `${maxEvents} events` : `${maxBodyLength} bytes`
        return leave(body.brokenEnding(`the body did not end within ${limit}`))
      }
    }
  } catch (error) {
    return body.brokenEnding(messageOf(error))
  } finally {
    reading?.(-1)
  }
  if (!body.isStream) return {}
  return { streamEnd: hasEndMarker(body.events) ? 'completed' : 'no-end-marker' }
}

class BodyReader {
  readonly isStream: boolean
  readonly events: { at: number; event: string | undefined; data: string }[] = []
  readonly comments: { at: number; text: string }[] = []
  readonly firstByteAfter: number
  size = 0
  /** When the last event arrived, or the last chunk of another body. */
  lastPartAt: number
  /** Whether the client left before the end. */
  isIncomplete = false
  readonly #response: Response
  readonly #hide: (text: string) => string
  readonly #now: () => number
  readonly #sentAt: number
  readonly #kept: Uint8Array[] = []
  readonly #chunks: { at: number; bytes: number }[] = []
  readonly #decoder = new TextDecoder()
  readonly #parser = createEventParser({
    onComment: (text) => {
      if (this.comments.length < maxEvents)
        this.comments.push({ at: this.#now() - this.#sentAt, text: this.#hide(text) })
    },
    onEvent: ({ event, data }) => {
      this.lastPartAt = this.#now()
      this.events.push({ at: this.lastPartAt - this.#sentAt, event, data: this.#hide(data) })
    },
  })

  constructor(response: Response, sentAt: number, { pacer, hide = (text) => text }: Sender) {
    this.#response = response
    this.#hide = hide
    this.#now = () => pacer.now()
    this.#sentAt = sentAt
    this.lastPartAt = pacer.now()
    this.firstByteAfter = this.lastPartAt - sentAt
    this.isStream = mediaType(response.headers.get('content-type')) === 'text/event-stream'
  }

  add(chunk: Uint8Array): void {
    this.size += chunk.length
    this.#kept.push(chunk)
    this.#chunks.push({ at: this.#now() - this.#sentAt, bytes: chunk.length })
    if (this.isStream) this.#parser.feed(this.#decoder.decode(chunk, { stream: true }))
    else this.lastPartAt = this.#now()
  }

  silentEnding(): Ending {
    return this.isStream
      ? { streamEnd: 'stalled', reason: 'no more data arrived, and none is scheduled' }
      : { broken: 'hang', reason: `no more data arrived after ${this.size} bytes of the body` }
  }

  brokenEnding(reason: string): Ending {
    return this.isStream ? { streamEnd: 'disconnected', reason } : { broken: 'truncated', reason }
  }

  response(): NonNullable<Exchange['response']> {
    const headers = [...this.#response.headers].map(([name, value]) => [name, this.#hide(value)] as const)
    return {
      status: this.#response.status,
      headers,
      body: this.#body(),
      events: this.isStream ? this.events : undefined,
      eventCount: this.isStream ? this.events.length : undefined,
      chunks: this.#chunks,
    }
  }

  #body(): ExchangeBody {
    const { size } = this
    const bytes = joinBytes(this.#kept)
    const type = mediaType(this.#response.headers.get('content-type'))
    if (!isText(type)) return { bytes, size, isComplete: true }
    return { text: this.#hide(new TextDecoder().decode(bytes)), size, isComplete: true }
  }
}

/** Without its parameters. */
const mediaType = (type: string | null | undefined): string =>
  (type ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''

const isJson = (type: string): boolean => type === 'application/json' || type.endsWith('+json')

const isText = (type: string): boolean => isJson(type) || /^text\/|[/+]xml$/.test(type)

/** The JSON of a response that says that it is JSON. */
export function jsonOf(response: Exchange['response']): unknown {
  if (response === undefined || !isJson(mediaType(headerIn(response.headers, 'content-type'))))
    return undefined
  return jsonIn(response.body?.text)
}

// undici's message is "fetch failed"; its cause has the reason.
const messageOf = (error: unknown): string => {
  const cause = causeOf(error)
  return error instanceof Error && cause !== error.message ? `${error.message}: ${cause}` : cause
}

/** The reason why a call failed, without generic messages. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error && error.cause.message !== '' ? error.cause.message : error.message
}
