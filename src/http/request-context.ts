/** A request and its response at the HTTP edge, and rejections of invalid heads. */
import type { IncomingMessage } from 'node:http'
import type { AnsweredCall } from '../core/call-state.ts'
import type { Payload } from '../protocol/call.ts'
import type { Chunk, Ending } from '../protocol/chunks.ts'
import type { LiveBody } from '../protocol/response.ts'
import type { Match } from '../protocol/router.ts'
import { show } from '../protocol/wording.ts'

/** One request before its body. */
export interface RequestContext {
  readonly method: string
  /** The path of the operation, without mount path and session prefix. */
  readonly path: string
  /** As sent, without `?`. */
  readonly query: string
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The session in the prefix of the path. */
  readonly session: string | undefined
  /** The prefix (`/s/<id>`), which links in the response keep. */
  readonly prefix: string
  readonly match: Match
  /** Over HTTP: requests with the same number cannot overlap. */
  readonly chain?: number
  /** The rejection of an invalid head; the body is then not read. */
  readonly rejected: Payload | undefined
  /** Origin and mount path, the base of links unless a public URL is set. */
  address(): string
  /** Aborts when the client disconnects, if known: media for it are then not rendered. */
  clientGone(): AbortSignal | undefined
}

/** The response on the wire. */
export interface WireResponse {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: string | Uint8Array | undefined
  /** Instead of a body that is sent at once. */
  readonly playback?: Playback | undefined
  readonly answered: AnsweredCall
  /** The delay before the first byte, if any. */
  readonly hold?: Hold | undefined
}

/** A body with timed chunks. */
export interface Playback {
  readonly chunks: readonly Chunk[]
  /** What happens to the connection after the last chunk; `stall` leaves it open. */
  readonly ending: Ending
  /** False if the body is incomplete after the last chunk. */
  readonly whole: boolean
  /** Whether the journal keeps the text. */
  readonly text: boolean
  /** Read again and again in real time, instead of chunks. */
  readonly live?: LiveBody
  /** A breakpoint that holds the events. It may change `chunks` from the current position on. */
  readonly gate?: EventGate
}

/** Holds the events of a stream at a breakpoint. */
export interface EventGate {
  /**
   * How far the chunks may be sent, before the next call; `at` if the next event is held. The player then
   * continues, or its connection is cut.
   */
  admit(at: number, player: HeldPlayer): number
}

export interface HeldPlayer {
  /** Called when the client disconnects. */
  onGone: (() => void) | undefined
  play(): void
  stop(reason: Error): void
}

/**
 * The delay between a call and the first byte of its response, in virtual milliseconds, and what happens
 * then.
 */
export interface Hold {
  readonly delay: number
  readonly then: 'response' | 'hang' | 'reset'
}

// --- requests that are rejected for their head, which node would answer itself without a word why ---

/** A host name or an IP address with a port: the only valid content of `host`, which links contain. */
export const hostForm = /^(?:[\w.-]{1,255}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i
/** In the format of node's own responses. */
const metExpectation = /(?:^|\W)100-continue(?:$|\W)/i

type Rejected = Extract<Payload, { kind: 'rejected' }>

/** The rejection of an invalid host. */
export function rejectedHost(host: string): Rejected {
  return rejected(`host: expected a host name or an IP address with an optional port, got ${show(host)}.`)
}

/** The rejection of an invalid head; undefined for valid ones. */
export function rejectedHead({ headers, httpVersion, rawHeaders }: IncomingMessage): Rejected | undefined {
  const { host, expect } = headers
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.length === 4 && rawHeaders[at]?.toLowerCase() === 'host') hosts++
  // Node silently keeps the first; a proxy may have read the other.
  if (hosts > 1) return rejected('host: expected one header, got several.')
  // HTTP/1.1 introduced both. An empty host is valid: the client has no name for the server.
  if (httpVersion !== '1.0') {
    if (host === undefined) return rejected('host: expected the host of the URL, got none.')
    if (expect !== undefined && !metExpectation.test(expect))
      return {
        ...rejected(`expect: expected 100-continue or no header, got ${show(expect)}.`),
        status: 417,
      }
  }
  return host === undefined || host === '' || hostForm.test(host) ? undefined : rejectedHost(host)
}

/** An invalid body or head, as a payload with the reason. */
export function rejected(message: string, type: Rejected['type'] = 'invalid_request_error'): Rejected {
  return { kind: 'rejected', type, message }
}
