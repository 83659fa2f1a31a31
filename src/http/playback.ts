/** A reply that takes its time, as data: its pieces, how it ends, and what comes before its first byte. */
import type { Ending, Piece } from '../protocol/pieces.ts'

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
