/** A request and its reply as the HTTP edge sees them, with what of the reply has yet to come. */
import type { AnsweredCall } from '../core/call-state.ts'
import type { Payload } from '../protocol/call.ts'
import type { Ending, Piece } from '../protocol/pieces.ts'
import type { Match } from '../protocol/router.ts'

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
