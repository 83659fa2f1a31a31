/** The body of a response as timed chunks, and the faults on them; `http/` sends them. */

/** The bytes of one write and its virtual time. */
export interface Chunk {
  /** Virtual milliseconds after the previous chunk (the first: after the time of the response). */
  readonly after: number
  readonly content: string | Uint8Array
  /** The number of events that are complete after it. */
  readonly events: number
  /** True if it starts a new write, which clients read separately. */
  readonly apart: boolean
}

/** A chunk whose bytes are known. */
export interface ByteChunk extends Chunk {
  readonly content: Uint8Array
}

/** The end of a connection: normal, before the body is complete, with a reset, or never (`stall`). */
export type Ending = 'end' | 'close' | 'reset' | 'stall'

/** The byte at which a body stops, and the end of the connection there. */
export interface Cut {
  readonly at: number
  readonly ending: Ending
}

/** The order in which body changes apply, whatever the order of the faults. */
export const bodyStages = ['comments', 'split', 'join', 'dribble'] as const

/** The effect of one fault while a response is sent. */
export interface WireFault {
  /** The event before the first byte, instead of a response. */
  readonly instead?: 'hang' | 'reset'
  /** Headers that replace those of the response. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: {
    readonly stage: (typeof bodyStages)[number]
    change(chunks: readonly ByteChunk[]): readonly ByteChunk[]
  }
  /** The error in the declared length, in bytes; the connection ends after the body. */
  readonly lengthOff?: number
  /** The end of the body; undefined if the body is shorter. */
  cut?(chunks: readonly ByteChunk[]): Cut | undefined
}

/**
 * A position in a body: after a number of bytes, after a number of events, or after a share (0 to 1) of all
 * bytes. The first one given counts.
 */
export interface Place {
  readonly afterBytes?: number | undefined
  readonly afterEvents?: number | undefined
  readonly afterShare?: number | undefined
}

/** The maximum number of chunks that one fault makes; a video sent byte by byte would exhaust memory. */
export const maxChunks = 10_000

export function sizeOf(chunks: readonly ByteChunk[]): number {
  return chunks.reduce((sum, { content }) => sum + content.length, 0)
}

/** The byte offset of a place; undefined if the body is shorter. */
export function offsetOf(
  chunks: readonly ByteChunk[],
  { afterBytes, afterEvents = 0, afterShare }: Place,
): number | undefined {
  if (afterBytes !== undefined) return afterBytes <= sizeOf(chunks) ? afterBytes : undefined
  if (afterShare !== undefined) return Math.floor(sizeOf(chunks) * Math.min(1, Math.max(0, afterShare)))
  let events = 0
  let at = 0
  if (afterEvents <= 0) return 0
  for (const chunk of chunks) {
    at += chunk.content.length
    events += chunk.events
    if (events >= afterEvents) return at
  }
  return undefined
}

/** The index of the event behind so many others, or -1. */
export function eventIndex(chunks: readonly ByteChunk[], count: number): number {
  let events = 0
  for (const [index, chunk] of chunks.entries()) {
    if (chunk.events > 0 && events >= count) return index
    events += chunk.events
  }
  return -1
}

/** A fault that cuts the body at a place. */
export function cutAt(place: Place, ending: Ending): WireFault {
  return {
    cut(chunks) {
      const at = offsetOf(chunks, place)
      return at === undefined ? undefined : { at, ending }
    },
  }
}

/** A fault as a plan holds it; the file of its kind under `scenario/faults/` says what its options are. */
export interface PlannedFault {
  readonly kind: string
  /** As its schema has parsed them: defaults filled in, durations in milliseconds. */
  readonly options: object
  /** How many events come before it, when a stream script names its place; its options say it otherwise. */
  readonly eventsBefore?: number
}
