/**
 * The body of a reply in pieces, as it goes out over time, and what a fault may do to them. Faults change
 * the pieces, `http/` sends them.
 */

/** What goes out in one write, when its virtual time has come. */
export interface Piece {
  /** Virtual milliseconds after the piece before it (the first: after the reply's own time). */
  readonly after: number
  readonly content: string | Uint8Array
  /** How many events of a stream are complete with it. */
  readonly events: number
  /** True when it begins a write of its own, which a client reads on its own. */
  readonly apart: boolean
}

/** A piece whose bytes are known. */
export interface BytePiece extends Piece {
  readonly content: Uint8Array
}

/**
 * How a connection ends: as if the body were whole (`end`), without the rest of it (`close`), by a reset, or
 * not at all (`stall`).
 */
export type Ending = 'end' | 'close' | 'reset' | 'stall'

/** Where a body stops, in bytes, and what becomes of the connection there. */
export interface Cut {
  readonly at: number
  readonly ending: Ending
}

/** When a change of the body happens; earlier stages come first, whatever the order of the faults. */
export const bodyStages = ['bytes', 'comments', 'split', 'join', 'dribble'] as const

/** What one fault does to a reply on its way out. */
export interface WireFault {
  /** What happens before the first byte, so that no reply ever comes. */
  readonly instead?: 'hang' | 'reset'
  /** Headers that replace those of the reply. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: {
    readonly stage: (typeof bodyStages)[number]
    change(pieces: readonly BytePiece[]): readonly BytePiece[]
  }
  /** By how many bytes the declared length is off; the connection then ends behind the body. */
  readonly lengthOff?: number
  /** Where the body stops; undefined when it ends before that place. */
  cut?(pieces: readonly BytePiece[]): Cut | undefined
}

/**
 * A place in a body: behind so many bytes, behind so many events, or behind a share (0..1) of all bytes. The
 * first of them that is given counts.
 */
export interface Place {
  readonly afterBytes?: number | undefined
  readonly afterEvents?: number | undefined
  readonly afterShare?: number | undefined
}

/** The most pieces that one fault makes: a video that comes byte by byte would fill the memory. */
export const maxPieces = 10_000

export function sizeOf(pieces: readonly BytePiece[]): number {
  return pieces.reduce((sum, { content }) => sum + content.length, 0)
}

/** Where a place is, in bytes; undefined when the body ends before it. */
export function offsetOf(
  pieces: readonly BytePiece[],
  { afterBytes, afterEvents = 0, afterShare }: Place,
): number | undefined {
  if (afterBytes !== undefined) return afterBytes <= sizeOf(pieces) ? afterBytes : undefined
  if (afterShare !== undefined) return Math.floor(sizeOf(pieces) * Math.min(1, Math.max(0, afterShare)))
  let events = 0
  let at = 0
  if (afterEvents <= 0) return 0
  for (const piece of pieces) {
    at += piece.content.length
    events += piece.events
    if (events >= afterEvents) return at
  }
  return undefined
}

/** The index of the event behind so many others, or -1. */
export function eventIndex(pieces: readonly BytePiece[], count: number): number {
  let events = 0
  for (const [index, piece] of pieces.entries()) {
    if (piece.events > 0 && events >= count) return index
    events += piece.events
  }
  return -1
}

/** A fault that cuts the body at a place. */
export function cutAt(place: Place, ending: Ending): WireFault {
  return {
    cut(pieces) {
      const at = offsetOf(pieces, place)
      return at === undefined ? undefined : { at, ending }
    },
  }
}
