/** Applies the faults of a reply to its pieces, its headers and its connection. */
import {
  type BytePiece,
  bodyStages,
  type Cut,
  type Piece,
  sizeOf,
  type WireFault,
} from '../protocol/pieces.ts'
import type { Playback } from './playback.ts'

/** What happens instead of a reply; undefined when one comes. */
export function connectionFault(faults: readonly WireFault[]): 'hang' | 'reset' | undefined {
  return faults.find(({ instead }) => instead !== undefined)?.instead
}

/** Whether the faults leave the body as it is. */
export function sparesBody(faults: readonly WireFault[]): boolean {
  return faults.every(({ body, cut, lengthOff }) => (body ?? cut ?? lengthOff) === undefined)
}

/** Replaces headers. */
export function setHeaders(headers: Record<string, string>, faults: readonly WireFault[]): void {
  for (const fault of faults) Object.assign(headers, fault.headers)
}

/**
 * The body with its faults. Of several cuts the first place counts. `declared` is the length for the header
 * `content-length`, of bodies that have one (`plain`) and of streams that are given one.
 */
export function applyWireFaults(
  playback: Playback,
  faults: readonly WireFault[],
  plain: boolean,
): Playback & { readonly declared: number | undefined } {
  let pieces: readonly BytePiece[] = inBytes(playback.pieces)
  for (const stage of bodyStages)
    for (const { body } of faults) if (body?.stage === stage) pieces = body.change(pieces)

  const cut = firstCut(pieces, faults)
  // A body that is cut short in all order has the length that it has.
  const length = cut?.ending === 'end' ? cut.at : sizeOf(pieces)
  const offs = faults.flatMap(({ lengthOff }) => lengthOff ?? [])
  const isOff = offs.length > 0
  const ending = cut?.ending ?? (isOff ? 'close' : playback.ending)
  return {
    pieces: cut === undefined ? pieces : piecesUntil(pieces, cut.at),
    ending: ending === 'end' && isOff ? 'close' : ending,
    whole: cut === undefined && !isOff,
    text: playback.text,
    declared: isOff
      ? Math.max(
          0,
          offs.reduce((sum, off) => sum + off, length),
        )
      : plain
        ? length
        : undefined,
  }
}

function inBytes(pieces: readonly Piece[]): readonly BytePiece[] {
  const encoder = new TextEncoder()
  return pieces.map((piece) => ({
    ...piece,
    content: typeof piece.content === 'string' ? encoder.encode(piece.content) : piece.content,
  }))
}

function firstCut(pieces: readonly BytePiece[], faults: readonly WireFault[]): Cut | undefined {
  let first: Cut | undefined
  for (const fault of faults) {
    const cut = fault.cut?.(pieces)
    if (cut !== undefined && (first === undefined || cut.at < first.at)) first = cut
  }
  return first
}

/** The pieces up to an offset. One without bytes is a wait before what happens there. */
function piecesUntil(pieces: readonly BytePiece[], end: number): readonly BytePiece[] {
  const kept: BytePiece[] = []
  let at = 0
  for (const piece of pieces) {
    const { content } = piece
    if (at >= end && content.length > 0) break
    kept.push(
      at + content.length <= end ? piece : { ...piece, content: content.subarray(0, end - at), events: 0 },
    )
    at += content.length
  }
  return kept
}
