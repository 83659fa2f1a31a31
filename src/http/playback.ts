/**
 * A reply that takes its time, as data: the pieces of its body, how it ends, and what comes before its first
 * byte.
 */

/** What goes out in one write, when its virtual time has come. */
export interface Piece {
  /** Virtual milliseconds after the piece before it (the first: after the reply's own time). */
  readonly after: number
  readonly said: string | Uint8Array
  /** How many events of a stream are whole with it. */
  readonly events: number
  /** True when it begins a write of its own, which a client reads on its own. */
  readonly apart: boolean
}

/** A body whose pieces have yet to come. */
export interface Playback {
  readonly pieces: readonly Piece[]
  /** What becomes of the connection behind the last piece; `stall` leaves it open. */
  readonly ending: 'end' | 'close' | 'reset' | 'stall'
  /** False when something is missing behind the last piece. */
  readonly whole: boolean
  /** Whether the journal keeps what was said. */
  readonly text: boolean
}

/** What stands between a call and the first byte of its reply: virtual milliseconds, and what comes then. */
export interface Hold {
  readonly delay: number
  readonly then: 'reply' | 'hang' | 'reset'
}
