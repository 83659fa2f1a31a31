/** A journal as a HAR file, as far as the journal keeps what was sent: bodies up to a limit, and events. */
import { type Body, type ExchangeResponse, headerIn, type JournalEntry } from '../exchange/exchange.ts'
import { harEntry, harFrame, type RecordedExchange, type RecordedResponse } from './write-har.ts'

/** The ended requests as a HAR file. Its times are virtual. */
export function journalHar(entries: readonly JournalEntry[], version: string): string {
  const { head, tail } = harFrame(version)
  const keys = new Map<string, string>()
  const lines = entries.flatMap((entry) => (entry.ended === 'open' ? [] : [lineOf(entry, keys)]))
  return `${head}${lines.join(',\n')}${tail}`
}

const encoder = new TextEncoder()

function lineOf(entry: JournalEntry, keys: Map<string, string>): string {
  const { request, response, ended, caller, at, firstByteAfter, endedAfter, session, redacted } = entry
  const body = bytesOf(response?.body)
  const exchange: RecordedExchange = {
    source: '',
    startedAt: at,
    firstByteAfter,
    endedAfter,
    request: {
      method: /^[\w!#$%&'*+.^`|~-]+$/.test(request.method) ? request.method : 'INVALID',
      url: urlOf(entry),
      headers: request.headers,
      body: bytesOf(request.body),
    },
    response: response && {
      status: response.status,
      headers: response.headers,
      body: body ?? new Uint8Array(),
      chunks: body === undefined ? undefined : chunksOf(response),
      bodyLost: body === undefined || undefined,
    },
    ended: ended === 'open' || (response === undefined && ended === 'completed') ? 'disconnected' : ended,
    key: caller === undefined ? undefined : keyName(caller, keys),
    session,
    redacted,
  }
  // A lost body has at least one byte.
  const lostBytes = Math.max(1, response?.body?.size ?? 0)
  return JSON.stringify(harEntry(exchange, body === undefined ? { lostBytes } : {}))
}

const bytesOf = (body: Body | undefined): Uint8Array | undefined =>
  body?.text === undefined || !body.isComplete ? undefined : encoder.encode(body.text)

function keyName(caller: string, keys: Map<string, string>): string {
  const name = keys.get(caller) ?? `key-${keys.size + 1}`
  keys.set(caller, name)
  return name
}

/** Paths and hosts are as clients sent them, which may be no URL. */
function urlOf({ request: { url, headers } }: JournalEntry): string {
  const host = headerIn(headers, 'host') ?? 'localhost'
  const whole = `http://${host}${url}`
  if (url.startsWith('/') && URL.canParse(whole)) return whole
  return `http://localhost/${encodeURI(url.replace(/^\//, '').toWellFormed())}`
}

/** One chunk for each event, when it was due. What is left of a cut event arrived with the last one. */
function chunksOf({ events, body }: ExchangeResponse): RecordedResponse['chunks'] {
  if (events === undefined) return undefined
  const frames = body?.text?.match(/[^]*?\n\n|[^]+$/g) ?? []
  return frames.map((frame, index) => ({
    at: (events[index] ?? events.at(-1))?.at ?? 0,
    bytes: encoder.encode(frame).length,
  }))
}
