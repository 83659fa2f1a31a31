/** A request and its response as the HTTP edge sees them, and requests that are rejected for their head. */
import type { IncomingMessage } from 'node:http'
import type { AnsweredCall } from '../core/call-state.ts'
import type { Payload } from '../protocol/call.ts'
import type { Chunk, Ending } from '../protocol/chunks.ts'
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
  /** That prefix itself (`/s/<id>`): links of the response stay in its session. */
  readonly prefix: string
  readonly match: Match
  /** Why it is rejected for its head, where it is: its body is not read. */
  readonly rejected: Payload | undefined
  /** Origin and mount path: what a link begins with, unless a public URL is set. */
  address(): string
  /** Aborts when the client leaves, where that is known: media that nobody waits for are not rendered. */
  clientGone(): AbortSignal | undefined
}

/** What goes on the wire. */
export interface WireResponse {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: string | Uint8Array | Playback | undefined
  readonly answered: AnsweredCall
  /** What comes before the first byte, when anything does. */
  readonly hold?: Hold | undefined
}

/** A body whose chunks have yet to come. */
export interface Playback {
  readonly chunks: readonly Chunk[]
  /** What becomes of the connection behind the last chunk; `stall` leaves it open. */
  readonly ending: Ending
  /** False when something is missing behind the last chunk. */
  readonly whole: boolean
  /** Whether the journal keeps the text. */
  readonly text: boolean
}

/**
 * What comes between a call and the first byte of its response: virtual milliseconds, and what happens then.
 */
export interface Hold {
  readonly delay: number
  readonly then: 'response' | 'hang' | 'reset'
}

// --- requests that are rejected for their head, which node would answer itself without a word why ---

/** A name or an address, and a port: all that `host` may hold, and so all that it brings into a link. */
export const hostForm = /^(?:[\w.-]{1,255}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i
/** As node tells what it answers by itself. */
const metExpectation = /(?:^|\W)100-continue(?:$|\W)/i

type Rejected = Extract<Payload, { kind: 'rejected' }>

/** The rejection of a host that has not that form. */
export function rejectedHost(host: string): Rejected {
  return rejected(`host: expected a host name or an IP address with an optional port, got ${show(host)}.`)
}

/** The rejection of a request for its head; undefined for the usual ones. */
export function rejectedHead({ headers, httpVersion, rawHeaders }: IncomingMessage): Rejected | undefined {
  const { host, expect } = headers
  if (hasTwoHosts(rawHeaders)) return rejected('host: expected one header, got several.')
  // Both came with HTTP/1.1. Of nothing, an empty host says that the client has no name for the server.
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
export function rejected(message: string, type: Rejected['type'] = 'invalid_request_error'): Rejected {
  return { kind: 'rejected', type, message }
}
