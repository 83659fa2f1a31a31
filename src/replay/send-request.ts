/** Sends one request as a client does and reads the reply to its end, with the virtual time of each part. */
import { createHash } from 'node:crypto'
import { createParser } from 'eventsource-parser'
import type { Break, StreamEnd } from '../scenario/format/steps.ts'
import type { Exchange, Received, ReceivedEvent, StepRequest } from './exchange.ts'
import { type Pacer, patience, silence } from './pacer.ts'

/** A `fetch`: the simulator's own, or the real one. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

export interface Sender {
  readonly fetch: Fetch
  readonly pacer: Pick<Pacer, 'now' | 'await'>
  /** Hears of bodies that are being read: 1 when one begins, -1 when it has ended. */
  reading?(change: 1 | -1): void
  /** Takes out of a text what nobody may see: real keys, which a server may repeat. */
  hide?(text: string): string
}

/** The longest body that is kept, in bytes; what is beyond counts in its size and digest only. */
const maxTextLength = 64 * 1024 * 1024
/** Nobody's body is longer, and nobody's stream: what goes on is left. */
const maxBodyLength = 1024 * 1024 * 1024
const maxEvents = 100_000

/**
 * Never rejects for what a server does: that is part of the result. `isLast` says whether an event is its
 * stream's end marker.
 */
export async function sendRequest(
  request: StepRequest,
  { fetch, pacer, reading, hide = (text) => text }: Sender,
  options: {
    readonly stopAfter?: number | undefined
    readonly isLast: (events: readonly ReceivedEvent[]) => boolean
  },
): Promise<Exchange> {
  const at = pacer.now()
  const leaving = new AbortController()
  const end = (
    reply: Received | undefined,
    how: {
      readonly broken?: Break | undefined
      readonly ended?: StreamEnd | undefined
      readonly reason?: string | undefined
    } = {},
  ): Exchange => ({
    request,
    at,
    endedAt: pacer.now(),
    reply,
    broken: how.broken,
    ended: how.ended,
    reason: how.reason,
  })
  let response: Response
  try {
    const answered = await pacer.await(
      fetch(request.url, { ...request.init, redirect: 'manual', signal: leaving.signal }),
    )
    if (answered === silence) {
      leaving.abort()
      return end(undefined, { broken: 'hang', reason: 'no reply came, and none was due any more' })
    }
    response = answered
  } catch (error) {
    return end(undefined, { broken: 'reset', reason: wordsOf(error) })
  }

  const after = pacer.now() - at
  const headers = Object.fromEntries(
    [...response.headers].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, value]) => [name, hide(value)]),
  )
  const type = (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
  const events: ReceivedEvent[] = []
  const streams = type === 'text/event-stream'
  const comments: { after: number; text: string }[] = []
  const parser = createParser({
    onComment: (text) =>
      void (comments.length < maxEvents && comments.push({ after: pacer.now() - at, text: hide(text) })),
    onEvent: ({ event, data }) => void events.push({ after: pacer.now() - at, event, data: hide(data) }),
  })
  const decoder = new TextDecoder()
  const digest = createHash('sha256')
  const chunks: Uint8Array[] = []
  let size = 0
  const received = (): Received => ({
    after,
    status: response.status,
    headers,
    type,
    size,
    sha256: digest.copy().digest('hex'),
    ...read(type, chunks, hide),
    events: streams ? events : undefined,
    comments,
  })

  const reader = response.body?.getReader()
  if (reader === undefined) return end(received(), streams ? { ended: 'end' } : {})
  let lastEvent = pacer.now()
  reading?.(1)
  try {
    for (;;) {
      if (options.stopAfter !== undefined && streams && events.length >= options.stopAfter) {
        events.length = options.stopAfter
        leaving.abort()
        reader.cancel().catch(() => {})
        return end(received(), { ended: 'left' })
      }
      const piece = await pacer.await(reader.read(), lastEvent + patience)
      if (piece === silence) {
        leaving.abort()
        reader.cancel().catch(() => {})
        return end(
          received(),
          streams
            ? { ended: 'silent', reason: 'nothing more came, and nothing was due any more' }
            : { broken: 'hang', reason: `nothing more came after ${size} bytes of the body` },
        )
      }
      if (piece.done) break
      size += piece.value.length
      if (size > maxBodyLength || events.length > maxEvents) {
        leaving.abort()
        reader.cancel().catch(() => {})
        const reason = `it did not end within ${streams ? `${maxEvents} events` : `${maxBodyLength} bytes`}`
        return end(received(), streams ? { ended: 'broken', reason } : { broken: 'truncated', reason })
      }
      digest.update(piece.value)
      if (streams) {
        const before = events.length
        parser.feed(decoder.decode(piece.value, { stream: true }))
        if (events.length > before) lastEvent = pacer.now()
      } else if (size <= maxTextLength) chunks.push(piece.value)
    }
  } catch (error) {
    return end(
      received(),
      streams ? { ended: 'broken', reason: wordsOf(error) } : { broken: 'truncated', reason: wordsOf(error) },
    )
  } finally {
    reading?.(-1)
  }
  if (streams) return end(received(), { ended: options.isLast(events) ? 'done' : 'end' })
  const declared = Number(headers['content-length'] ?? NaN)
  // In the same process nobody counts the bytes for us.
  if (declared > size && request.method !== 'HEAD' && headers['content-encoding'] === undefined)
    return end(received(), {
      broken: 'truncated',
      reason: `content-length said ${declared} bytes, ${size} came`,
    })
  return end(received())
}

function read(
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
  if (!isJson) return { text, json: undefined }
  try {
    return { text, json: JSON.parse(text) as unknown }
  } catch {
    return { text, json: undefined }
  }
}

// undici says "fetch failed" and keeps the reason behind it.
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  return cause instanceof Error && cause.message !== '' ? `${error.message}: ${cause.message}` : error.message
}
