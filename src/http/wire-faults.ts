/**
 * What faults do to the bytes of a reply: the one interpreter of wire instructions. Turns a body into the
 * pieces that go out, and how the connection ends behind them.
 */
import type { WireInstruction, WirePlace } from '../protocol/reply.ts'
import type { Playback } from './playback.ts'
import {
  type BytePiece,
  commented,
  dribbled,
  inBytes,
  joined,
  keptTo,
  offsetOf,
  sizeOf,
  split,
} from './wire-pieces.ts'

/** What becomes of the connection before the first byte; undefined when a reply comes. */
export function connectionFault(wire: readonly WireInstruction[]): 'hang' | 'reset' | undefined {
  for (const { kind } of wire) if (kind === 'hang' || kind === 'reset') return kind
  return undefined
}

/** Whether the instructions leave the body of a reply as it is. */
export function sparesBody(wire: readonly WireInstruction[]): boolean {
  return wire.every(({ kind }) => kind === 'header' || kind === 'hang' || kind === 'reset')
}

/** Sets the headers that instructions name. */
export function setHeaders(headers: Record<string, string>, wire: readonly WireInstruction[]): void {
  for (const instruction of wire)
    if (instruction.kind === 'header') headers[instruction.name] = instruction.value
}

/**
 * The body with its faults. Instructions act in this order, whatever theirs is: bytes change, comments come
 * in, events are split and joined, the whole goes out in pieces, and of all ends the first one counts.
 * `declared` is the length that a
 * `content-length` says, for bodies that have one (`plain`) and for streams that are made to.
 */
export function arrange(
  playback: Playback,
  wire: readonly WireInstruction[],
  plain: boolean,
): Playback & { readonly declared: number | undefined } {
  let pieces: readonly BytePiece[] = inBytes(playback.pieces)
  let off: number | undefined
  for (const instruction of wire) if (instruction.kind === 'corrupt') pieces = corrupted(pieces, instruction)
  for (const instruction of wire) if (instruction.kind === 'comments') pieces = commented(pieces, instruction)
  for (const instruction of wire) if (instruction.kind === 'split') pieces = split(pieces, instruction)
  for (const instruction of wire) if (instruction.kind === 'join') pieces = joined(pieces, instruction)
  for (const instruction of wire) if (instruction.kind === 'dribble') pieces = dribbled(pieces, instruction)
  for (const instruction of wire) if (instruction.kind === 'length') off = (off ?? 0) + instruction.by

  const total = sizeOf(pieces)
  const end = firstEnd(pieces, wire)
  const kept = end === undefined ? pieces : keptTo(pieces, end.at)
  // A body that is cut short in all order has the length that it has.
  const length = end?.ending === 'end' ? end.at : total
  const declared = off === undefined ? (plain ? length : undefined) : Math.max(0, length + off)
  const ending = end?.ending ?? (off === undefined ? playback.ending : 'close')
  return {
    pieces: kept,
    ending: ending === 'end' && off !== undefined ? 'close' : ending,
    whole: end === undefined && off === undefined,
    text: playback.text,
    declared,
  }
}

interface End {
  readonly at: number
  readonly ending: Playback['ending']
}

function firstEnd(pieces: readonly BytePiece[], wire: readonly WireInstruction[]): End | undefined {
  let first: End | undefined
  for (const instruction of wire) {
    if (instruction.kind !== 'cut' && instruction.kind !== 'stall') continue
    const at = offsetOf(pieces, instruction)
    if (at === undefined || (first !== undefined && first.at <= at)) continue
    first = { at, ending: instruction.kind === 'stall' ? 'stall' : instruction.how }
  }
  return first
}

// Media is shared by all replies that show it: never written into.
function corrupted(
  pieces: readonly BytePiece[],
  { masks, ...place }: { readonly masks: readonly number[] } & WirePlace,
): readonly BytePiece[] {
  // Bytes are changed where there are some: a place at the very end moves back.
  const from = Math.min(offsetOf(pieces, place) ?? Infinity, sizeOf(pieces) - masks.length)
  let at = 0
  return pieces.map((piece) => {
    const { said } = piece
    const start = at
    at += said.length
    if (start + said.length <= from || start >= from + masks.length) return piece
    const changed = said.slice()
    for (const [index, mask] of masks.entries()) {
      const place = Math.max(0, from) + index - start
      if (place >= 0 && place < changed.length) changed[place] = (changed[place] as number) ^ mask
    }
    return { ...piece, said: changed }
  })
}
