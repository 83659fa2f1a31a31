/** Sends a request and reads the response to its end, with the virtual time of each part. */
import { createHash } from 'node:crypto'
import { jsonIn } from '../engine/fields.ts'
import { createEventParser } from '../protocol/parse-events.ts'
import { hasEndMarker } from '../protocol/read-stream.ts'
import type { Break, StreamEnd } from '../scenario/format/steps.ts'
import type { Exchange, Received, ReceivedEvent, StepRequest } from './build-request.ts'
import { type Fetch, type Pacer, patience, silence } from './pacer.ts'

export interface Sender {
  readonly fetch: Fetch
  readonly pacer: Pick<Pacer, 'now' | 'await'>
  /** Called with 1 when a body begins to be read, with -1 when it has ended. */
  reading?(change: 1 | -1): void
  /** Removes real keys, which a server may repeat, from a text. */
  hide?(text: string): string
}

export interface SendOptions {
  readonly stopAfter?: number | undefined
  readonly follow?: boolean
}

/** The longest body that is kept, in bytes; of a longer one, only size and digest. */
const maxTextLength = 64 * 1024 * 1024
/** Longer bodies and streams are aborted. */
const maxBodyLength = 1024 * 1024 * 1024
const maxEvents = 100_000

interface Ending {
  readonly broken?: Break
  readonly ended?: StreamEnd
  readonly reason?: string
}

/** Never rejects because of the server: failures are part of the result. */
export async function sendRequest(
  request: StepRequest,
  sender: Sender,
  options: SendOptions = {},
): Promise<Exchange> {
  const { pacer } = sender
  const at = pacer.now()
  const abort = new AbortController()
  const exchange = (response: Received | undefined, { broken, ended, reason }: Ending): Exchange => {
    return { request, at, endedAt: pacer.now(), response, broken, ended, reason }
  }
  let response: Response
  try {
    const redirect = options.follow === true ? 'follow' : 'manual'
    const answer = await pacer.await(
      sender.fetch(request.url, { ...request.init, redirect, signal: abort.signal }),
    )
    if (answer === silence) {
      abort.abort()
      return exchange(undefined, { broken: 'hang', reason: 'no response arrived, and none is scheduled' })
    }
    response = answer
  } catch (error) {
    return exchange(undefined, { broken: 'reset', reason: messageOf(error) })
  }
  const body = new BodyReader(response, at, sender)
  const ending = await readBody(body, response, sender, options)
  if (body.isIncomplete) abort.abort()
  const declared = Number(response.headers.get('content-length') ?? NaN)
  // In-process, nothing else checks the length.
  if (
    ending.broken === undefined &&
    !body.isStream &&
    declared > body.size &&
    request.method !== 'HEAD' &&
    !response.headers.has('content-encoding')
  )
    return exchange(body.received(), {
      broken: 'truncated',
      reason: `content-length was ${declared}, but ${body.size} bytes arrived`,
    })
  return exchange(body.received(), ending)
}

async function readBody(
  body: BodyReader,
  response: Response,
  { pacer, reading }: Sender,
  { stopAfter }: SendOptions,
): Promise<Ending> {
  const reader = response.body?.getReader()
  if (reader === undefined) return body.isStream ? { ended: 'no-end-marker' } : {}
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
        return leave({ ended: 'aborted' })
      }
      const chunk = await pacer.await(reader.read(), body.lastEventAt + patience)
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
  return body.isStream ? { ended: hasEndMarker(body.events) ? 'completed' : 'no-end-marker' } : {}
}

class BodyReader {
  readonly isStream: boolean
  readonly events: ReceivedEvent[] = []
  size = 0
  lastEventAt: number
  /** Whether the client left before the end. */
  isIncomplete = false
  readonly #response: Response
  readonly #hide: (text: string) => string
  readonly #now: () => number
  readonly #sentAt: number
  readonly #elapsed: number
  readonly #type: string
  readonly #comments: { elapsed: number; text: string }[] = []
  readonly #chunks: Uint8Array[] = []
  readonly #digest = createHash('sha256')
  readonly #decoder = new TextDecoder()
  readonly #parser = createEventParser({
    onComment: (text) => {
      if (this.#comments.length < maxEvents)
        this.#comments.push({ elapsed: this.#now() - this.#sentAt, text: this.#hide(text) })
    },
    onEvent: ({ event, data }) => {
      this.events.push({ elapsed: this.#now() - this.#sentAt, event, data: this.#hide(data) })
    },
  })

  constructor(response: Response, sentAt: number, { pacer, hide = (text) => text }: Sender) {
    this.#response = response
    this.#hide = hide
    this.#now = () => pacer.now()
    this.#sentAt = sentAt
    this.lastEventAt = pacer.now()
    this.#elapsed = this.lastEventAt - sentAt
    const contentType = hide(response.headers.get('content-type') ?? '')
    this.#type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? ''
    this.isStream = this.#type === 'text/event-stream'
  }

  add(chunk: Uint8Array): void {
    this.size += chunk.length
    if (this.size > maxBodyLength) return
    this.#digest.update(chunk)
    if (this.isStream) {
      const before = this.events.length
      this.#parser.feed(this.#decoder.decode(chunk, { stream: true }))
      if (this.events.length > before) this.lastEventAt = this.#now()
    } else if (this.size <= maxTextLength) this.#chunks.push(chunk)
  }

  silentEnding(): Ending {
    return this.isStream
      ? { ended: 'stalled', reason: 'no more data arrived, and none is scheduled' }
      : { broken: 'hang', reason: `no more data arrived after ${this.size} bytes of the body` }
  }

  brokenEnding(reason: string): Ending {
    return this.isStream ? { ended: 'disconnected', reason } : { broken: 'truncated', reason }
  }

  received(): Received {
    const headers = [...this.#response.headers]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, value]) => [name, this.#hide(value)])
    return {
      elapsed: this.#elapsed,
      status: this.#response.status,
      headers: Object.fromEntries(headers) as Record<string, string>,
      type: this.#type,
      size: this.size,
      sha256: this.#digest.copy().digest('hex'),
      ...decodeBody(this.#type, this.#chunks, this.#hide),
      events: this.isStream ? this.events : undefined,
      comments: this.#comments,
    }
  }
}

function decodeBody(
  type: string,
  chunks: readonly Uint8Array[],
  hide: (text: string) => string,
): Pick<Received, 'text' | 'json'> {
  const isJson = type === 'application/json' || type.endsWith('+json')
  if (!isJson && !/^text\/|[/+]xml$/.test(type)) return { text: undefined, json: undefined }
  const decoder = new TextDecoder()
  const text = hide(
    chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join('') + decoder.decode(),
  )
  return { text, json: isJson ? jsonIn(text) : undefined }
}

// undici's message is "fetch failed"; its cause has the reason.
const messageOf = (error: unknown): string => {
  const cause = causeOf(error)
  return error instanceof Error && cause !== error.message ? `${error.message}: ${cause}` : cause
}

/** The reason why a call failed, without generic messages. */
export function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error && error.cause.message !== '' ? error.cause.message : error.message
}
