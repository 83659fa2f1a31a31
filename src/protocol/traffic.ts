/** How busy a server is: what responds weigh that clients have not read, and what it says of its process. */
import { ApiError } from './errors.ts'
import type { Body, PlainResponse } from './response.ts'
import type { Settings } from './settings.ts'

/** Bytes on their way through a server: counted by integrations that hold sockets, else always zero. */
export interface Traffic {
  /** Of large responses and of open streams that clients have not read yet. */
  unread: number
  /** Of media that are being rendered for the text of responses, as an estimate. */
  rendering: number
  /** Of large request bodies of calls that are not answered yet. */
  arriving: number
}

/** Responses up to this size, in bytes, are sent however much waits for other clients. */
export const smallResponse = 64 * 1024

/** The part of the parameters of a call that makes its response large. */
export interface SizeCause {
  readonly param: string
  /** As `128 choices`. */
  readonly made: string
  /** What to ask for instead, as `fewer choices (n)`. */
  readonly instead: string
}

interface Bounds {
  readonly settings: Pick<Settings, 'traffic'>
  readonly traffic: Readonly<Traffic>
}

/**
 * Throws for a response of about so many bytes, before it is made: 400 where it is larger than any may be,
 * 503 where too much waits to be read already.
 */
export function checkResponseSize(bytes: number, { param, made, instead }: SizeCause, bounds: Bounds): void {
  const { responseBytes } = bounds.settings.traffic
  if (bytes > responseBytes)
    throw new ApiError(
      'invalid_request_error',
      `\`${param}\`: expected a response of at most ${responseBytes} bytes ` +
        `(setting traffic.responseBytes), got ` +
        `${made}, which are about ${bytes}: ask for ${instead}.`,
      { param },
    )
  if (bytes > smallResponse && bounds.traffic.unread >= bounds.settings.traffic.unreadBytes)
    throw tooMuchUnread(`this response (${made}, about ${bytes} bytes)`, bounds)
}

/** The rejection of a large response while clients leave too much unread. */
function tooMuchUnread(what: string, { settings, traffic }: Bounds): ApiError {
  return new ApiError(
    'overloaded_error',
    `${traffic.unread} bytes of responses wait for clients that have not read them, at most ` +
      `${settings.traffic.unreadBytes} may (setting traffic.unreadBytes): ${what} has to wait. Read or ` +
      'close the responses that are open and try again; small responses are answered meanwhile.',
    { retryAfterMs: 1000 },
  )
}

/** Throws 503 while clients leave too much unread, unless the response is small. */
export function rejectLarge({ body }: PlainResponse, bounds: Bounds): void {
  if (isLarge(body)) throw tooMuchUnread('a response of this size', bounds)
}

// What media weigh shows when they are rendered.
function isLarge(body: Body): boolean {
  switch (body.kind) {
    case 'json':
      return body.media !== undefined || JSON.stringify(body.value).length > smallResponse
    case 'text':
      return body.text.length > smallResponse
    case 'events':
      return (
        body.events.some(({ media }) => media !== undefined) ||
        body.events.reduce((sum, { data, raw = data }) => sum + raw.length, 0) > smallResponse
      )
    case 'media':
    case 'bytes':
      return true
    case 'none':
      return false
  }
}

/** What a server says of its own process, which the core cannot know. Types alone. */

export interface ProcessFacts {
  readonly loop: LoopFacts
  readonly memory: {
    readonly rss: number
    readonly heapUsed: number
    readonly heapTotal: number
    readonly external: number
  }
}

/** How late the event loop was, in milliseconds: calls of every client wait so long. */
export interface LoopFacts {
  readonly p50: number
  readonly p99: number
  /** Since the start. */
  readonly max: number
  /** In the last minute. */
  readonly maxLastMinute: number
  /** When it was last late enough to be noticed, in milliseconds since the epoch. */
  readonly lateAt: number | undefined
}
