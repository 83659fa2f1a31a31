/** An exchange as an entry of a HAR 1.2 file. */
import { base64, utf8Length } from '../engine/bytes.ts'
import { defined } from '../engine/fields.ts'
import {
  type Exchange,
  type ExchangeBody,
  type ExchangeRequest,
  type ExchangeResponse,
  type Headers,
  headerIn,
} from './exchange.ts'

/** The parts of an entry in addition to the exchange. */
export interface EntryFacts {
  /** The reason phrase of the gateway's status. */
  readonly statusText?: string
  readonly error?: string
}

/** The start and the end of a file; between them are entries, one per line, separated by `,\n`. */
export function harFrame(version: string): { readonly head: string; readonly tail: string } {
  const creator = JSON.stringify({ name: 'gateway-sim', version })
  return { head: `{"log":{"version":"1.2","creator":${creator},"entries":[\n`, tail: '\n]}}\n' }
}

/** Exchanges as a HAR file. */
export function harText(exchanges: readonly Exchange[], version: string): string {
  const { head, tail } = harFrame(version)
  return head + exchanges.map((exchange) => JSON.stringify(harEntry(exchange))).join(',\n') + tail
}

/** One call as an entry. Cookies are left to the headers. */
export function harEntry(exchange: Exchange, facts: EntryFacts = {}): object {
  const { at, firstByteAfter, endedAfter, request, response, ended, key, session, redacted } = exchange
  return {
    startedDateTime: new Date(at).toISOString(),
    time: endedAfter,
    request: requestOf(request),
    response: responseOf(response, facts),
    cache: {},
    timings: { send: 0, wait: firstByteAfter, receive: Math.max(0, endedAfter - firstByteAfter) },
    ...defined({ _key: key, _session: session }),
    _ended: ended,
    _redacted: redacted,
  }
}

const pairs = (list: Iterable<readonly [string, string]>): object[] =>
  Array.from(list, ([name, value]) => ({ name, value }))

function requestOf({ method, url, headers, body }: ExchangeRequest): object {
  return {
    method,
    url,
    httpVersion: 'HTTP/1.1',
    cookies: [],
    headers: pairs(headers),
    queryString: pairs(new URL(url).searchParams),
    headersSize: -1,
    bodySize: body?.size ?? 0,
    ...(body?.isComplete === true ? { postData: { mimeType: typeOf(headers), ...contentOf(body) } } : {}),
  }
}

function responseOf(response: ExchangeResponse | undefined, facts: EntryFacts): object {
  const { statusText = '', error } = facts
  const headers = response?.headers ?? []
  const body = response?.body ?? { text: '', size: 0, isComplete: true }
  return {
    status: response?.status ?? 0,
    statusText,
    httpVersion: 'HTTP/1.1',
    cookies: [],
    headers: pairs(headers),
    content: {
      // A lost body has at least one byte.
      size: body.isComplete ? body.size : Math.max(1, body.size),
      mimeType: typeOf(headers),
      ...(response === undefined || !body.isComplete ? {} : contentOf(body)),
      ...defined({ _chunks: chunksOf(response)?.map(({ at, bytes }) => [at, bytes]) }),
    },
    redirectURL: headerIn(headers, 'location') ?? '',
    headersSize: -1,
    bodySize: body.size,
    ...defined({ _error: error }),
  }
}

const typeOf = (headers: Headers): string => headerIn(headers, 'content-type') ?? ''

const contentOf = ({ text = '', bytes }: ExchangeBody): object =>
  bytes === undefined ? { text } : { text: base64(bytes), encoding: 'base64' }

/** Of a simulated stream, one for each event; what is left of a cut event arrived with the last one. */
function chunksOf(response: ExchangeResponse | undefined): ExchangeResponse['chunks'] {
  const { chunks, events, body } = response ?? {}
  if (chunks !== undefined || events === undefined || body?.isComplete !== true) return chunks
  const frames = body.text?.match(/[^]*?\n\n|[^]+$/g) ?? []
  return frames.map((frame, index) => ({
    at: (events[index] ?? events.at(-1))?.at ?? 0,
    bytes: utf8Length(frame),
  }))
}
