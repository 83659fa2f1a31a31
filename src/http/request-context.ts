/** A request and its reply as the HTTP edge sees them, and requests that are refused for their head. */
import type { IncomingMessage } from 'node:http'
import type { AnsweredCall } from '../core/call-state.ts'
import type { Payload } from '../protocol/call.ts'
import type { Ending, Piece } from '../protocol/pieces.ts'
import type { Match } from '../protocol/router.ts'
import { show } from '../protocol/wording.ts'

/** One request as it came in, before its body. */
export interface RequestContext {
  readonly method: string
  /** The path of the operation, without mount path and session prefix. */
  readonly path: string
  /** As it was sent, without `?`. */
  readonly query: string
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The session that a prefix of the path names. */
  readonly session: string | undefined
  /** That prefix itself (`/s/<id>`): links of the reply stay in its session. */
  readonly prefix: string
  readonly match: Match
  /** Why it is refused for its head, where it is: its body is not read. */
  readonly refused: Payload | undefined
  /** Origin and mount path: what a link begins with, unless a public URL is set. */
  address(): string
  /** Aborts when the client leaves, where that is known: media that nobody waits for are not rendered. */
  clientGone(): AbortSignal | undefined
}

/** What goes on the wire. */
export interface WireReply {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: string | Uint8Array | Playback | undefined
  readonly answered: AnsweredCall
  /** What comes before the first byte, when anything does. */
  readonly hold?: Hold | undefined
}

/** A body whose pieces have yet to come. */
export interface Playback {
  readonly pieces: readonly Piece[]
  /** What becomes of the connection behind the last piece; `stall` leaves it open. */
  readonly ending: Ending
  /** False when something is missing behind the last piece. */
  readonly whole: boolean
  /** Whether the journal keeps the text. */
  readonly text: boolean
}

/** What comes between a call and the first byte of its reply: virtual milliseconds, and what happens then. */
export interface Hold {
  readonly delay: number
  readonly then: 'reply' | 'hang' | 'reset'
}

// --- requests that are refused for their head, which node would answer itself without a word why ---

/** A name or an address, and a port: all that `host` may hold, and so all that it brings into a link. */
export const hostForm = /^(?:[\w.-]{1,255}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i
/** As node tells what it answers by itself. */
const metExpectation = /(?:^|\W)100-continue(?:$|\W)/i

type Refused = Extract<Payload, { kind: 'refused' }>

/** The refusal of a host that has not that form. */
export function refusedHost(host: string): Refused {
  return refused(`host: expected a name or an address, and a port if any, got ${show(host)}.`)
}

/** The refusal of a request for its head; undefined for the usual ones. */
export function refusedHead({ headers, httpVersion, rawHeaders }: IncomingMessage): Refused | undefined {
  const { host, expect } = headers
  if (hasTwoHosts(rawHeaders)) return refused('host: expected one such header, got two or more.')
  // Both came with HTTP/1.1. Of nothing, an empty host says that the client has no name for the server.
  if (httpVersion !== '1.0') {
    if (host === undefined) return refused('host: expected the host of the address that is called, got none.')
    if (expect !== undefined && !metExpectation.test(expect))
      return {
        ...refused(`expect: expected 100-continue, or no such header, got ${show(expect)}.`),
        status: 417,
      }
  }
  return host === undefined || host === '' || hostForm.test(host) ? undefined : refusedHost(host)
}

/** Whether `host` was sent twice. Node keeps the first without a word; a proxy may have read the other. */
export function hasTwoHosts(rawHeaders: readonly string[]): boolean {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string
    if (name.length === 4 && name.toLowerCase() === 'host') count++
  }
  return count > 1
}

/** A body or a head that cannot be read, as a payload that says why. */
export function refused(message: string, type: Refused['type'] = 'invalid_request_error'): Refused {
  return { kind: 'refused', type, message }
}
