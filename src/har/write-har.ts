/** A recorded call, and its entry in a HAR 1.2 file. */
import { base64 } from '../engine/bytes.ts'
import { defined } from '../engine/fields.ts'

/** How an exchange ended. The client aborts, the gateway disconnects. */
export type ExchangeEnd = 'completed' | 'aborted' | 'disconnected'

export type Headers = readonly (readonly [name: string, value: string])[]

export const headerIn = (headers: Headers, name: string): string | undefined =>
  headers.find(([one]) => one === name)?.[1]

export interface RecordedRequest {
  readonly method: string
  /** Absolute, with its query; secrets are replaced by `redacted`. */
  readonly url: string
  /** Lower-case names, in the order they were sent; a name may repeat. */
  readonly headers: Headers
  readonly body: Uint8Array | undefined
}

export interface RecordedResponse {
  readonly status: number
  /** Lower-case names, in the order received; a name may repeat. */
  readonly headers: Headers
  readonly body: Uint8Array
  /** The arrival times of the body's chunks, in milliseconds after the request was sent, with their sizes. */
  readonly chunks: readonly { readonly at: number; readonly bytes: number }[] | undefined
  /** True if the recorder did not keep the body: `body` is then empty. */
  readonly bodyLost?: true | undefined
}

export interface RecordedExchange {
  /** The file and the place in it (`calls.har, entry 3`), for messages. */
  readonly source: string
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  /** Milliseconds until the first byte of the response, and until its end. */
  readonly firstByteAfter: number
  readonly endedAfter: number
  readonly request: RecordedRequest
  /** Undefined if the gateway disconnected before its status line, or could not be reached. */
  readonly response: RecordedResponse | undefined
  readonly ended: ExchangeEnd
  /** A neutral name for the API key: `key-1`. Undefined if none was sent or kept. */
  readonly key: string | undefined
  /** The session of a simulator that the call named. */
  readonly session: string | undefined
  /**
   * The redacted parts: `header:name`, `query:name`, and JSON pointers into the request body; for the
   * response the same after `response:` (`response:/upload_url`, `response:header:set-cookie`). An empty
   * pointer is a body that is not JSON.
   */
  readonly redacted: readonly string[]
}

/** The parts of an entry in addition to the exchange. */
export interface EntryFacts {
  /** The reason phrase of the gateway's status. */
  readonly statusText?: string
  readonly error?: string
  /** The length of a response body that was not kept. */
  readonly lostBytes?: number
  /** Keeps a body in a file beside the HAR file and returns its name; undefined keeps it in the entry. */
  readonly file?: (body: Uint8Array, mimeType: string) => string | undefined
}

/** The start and the end of a file; between them are entries, one per line, separated by `,\n`. */
export function harFrame(version: string): { readonly head: string; readonly tail: string } {
  const creator = JSON.stringify({ name: 'gateway-sim', version })
  return { head: `{"log":{"version":"1.2","creator":${creator},"entries":[\n`, tail: '\n]}}\n' }
}

/** One call as an entry. Cookies are left to the headers. */
export function harEntry(exchange: RecordedExchange, facts: EntryFacts = {}): object {
  const { startedAt, firstByteAfter, endedAfter, request, response, ended, key, session, redacted } = exchange
  return {
    startedDateTime: new Date(startedAt).toISOString(),
    time: endedAfter,
    request: requestOf(request, facts),
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

function requestOf({ method, url, headers, body }: RecordedRequest, facts: EntryFacts): object {
  const type = typeOf(headers)
  return {
    method,
    url,
    httpVersion: 'HTTP/1.1',
    cookies: [],
    headers: pairs(headers),
    queryString: pairs(new URL(url).searchParams),
    headersSize: -1,
    bodySize: body?.length ?? 0,
    ...(body === undefined ? {} : { postData: { mimeType: type, ...contentOf(body, type, facts) } }),
  }
}

function responseOf(response: RecordedResponse | undefined, facts: EntryFacts): object {
  const { statusText = '', error, lostBytes } = facts
  const headers = response?.headers ?? []
  const type = typeOf(headers)
  const body = response?.body ?? new Uint8Array()
  return {
    status: response?.status ?? 0,
    statusText,
    httpVersion: 'HTTP/1.1',
    cookies: [],
    headers: pairs(headers),
    content: {
      size: lostBytes ?? body.length,
      mimeType: type,
      ...(response === undefined || response.bodyLost ? {} : contentOf(body, type, facts)),
      ...defined({ _chunks: response?.chunks?.map(({ at, bytes }) => [at, bytes]) }),
    },
    redirectURL: headerIn(headers, 'location') ?? '',
    headersSize: -1,
    bodySize: lostBytes ?? body.length,
    ...defined({ _error: error }),
  }
}

const typeOf = (headers: Headers): string => headerIn(headers, 'content-type') ?? ''

function contentOf(body: Uint8Array, type: string, { file }: EntryFacts): object {
  const name = file?.(body, type)
  if (name !== undefined) return { _file: name }
  try {
    // A byte order mark belongs to the body.
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body) }
  } catch {
    return { text: base64(body), encoding: 'base64' }
  }
}
