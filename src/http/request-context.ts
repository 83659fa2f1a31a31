/** A request and its reply as the HTTP edge sees them. */
import type { AnsweredCall } from '../core/call-state.ts'
import type { Payload } from '../protocol/call.ts'
import type { Match } from '../protocol/router.ts'
import type { Hold, Playback } from './playback.ts'

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
