/** Cuts and joins the pieces of a body: by bytes, by events, by places. */

import { joinBytes } from '../engine/join-bytes.ts'
import type { SplitPlace, WirePlace } from '../protocol/reply.ts'
import type { Piece } from './playback.ts'

/** A piece whose bytes are known. */
export interface BytePiece extends Piece {
  readonly said: Uint8Array
}

/** The most pieces that one instruction makes: a film that comes byte by byte would fill the memory. */
const maxPieces = 10_000

export function inBytes(pieces: readonly Piece[]): readonly BytePiece[] {
  const encoder = new TextEncoder()
  return pieces.map((piece) => ({
    ...piece,
    said: typeof piece.said === 'string' ? encoder.encode(piece.said) : piece.said,
  }))
}

export function sizeOf(pieces: readonly BytePiece[]): number {
  return pieces.reduce((sum, { said }) => sum + said.length, 0)
}

/**
 * Where a place is, in bytes from the beginning; undefined when the body ends before it. Of several, the
 * first.
 */
export function offsetOf(
  pieces: readonly BytePiece[],
  { afterEvents, afterBytes, afterShare }: WirePlace,
): number | undefined {
  const total = sizeOf(pieces)
  const found: number[] = []
  if (afterEvents !== undefined) {
    const behind = behindEvents(pieces, afterEvents)
    if (behind !== undefined) found.push(behind)
  }
  if (afterBytes !== undefined && afterBytes <= total) found.push(afterBytes)
  if (afterShare !== undefined) found.push(Math.floor(total * Math.min(1, Math.max(0, afterShare))))
  if (afterEvents === undefined && afterBytes === undefined && afterShare === undefined) return 0
  return found.length === 0 ? undefined : Math.min(...found)
}

function behindEvents(pieces: readonly BytePiece[], count: number): number | undefined {
  let events = 0
  let at = 0
  if (count <= 0) return 0
  for (const { said, events: whole } of pieces) {
    at += said.length
    events += whole
    if (events >= count) return at
  }
  return undefined
}

/** The pieces as far as a place. One without bytes is a wait before what happens there. */
export function keptTo(pieces: readonly BytePiece[], end: number): readonly BytePiece[] {
  const kept: BytePiece[] = []
  let at = 0
  for (const piece of pieces) {
    const { said } = piece
    if (at >= end && said.length > 0) break
    kept.push(at + said.length <= end ? piece : { ...piece, said: said.subarray(0, end - at), events: 0 })
    at += said.length
  }
  return kept
}

/**
 * Comments between events (a colon begins one, wire-formats 1.6): whenever `every` passed without an event,
 * or behind each so many.
 */
export function commented(
  pieces: readonly BytePiece[],
  { text, every, events }: { readonly text: string; readonly every?: number; readonly events?: number },
): readonly BytePiece[] {
  const said = new TextEncoder().encode(`: ${text}\n\n`)
  const comment = (after: number): BytePiece => ({ after, said, events: 0, apart: false })
  const made: BytePiece[] = []
  let count = 0
  for (const [index, piece] of pieces.entries()) {
    let { after } = piece
    for (; every !== undefined && after > every && made.length < pieces.length + maxPieces; after -= every)
      made.push(comment(every))
    made.push({ ...piece, after })
    count += piece.events
    if (events !== undefined && piece.events > 0 && count % events === 0 && index < pieces.length - 1)
      made.push(comment(0))
  }
  return made
}

/**
 * The event behind so many others, in two. One without a character of several bytes lets a later one be split
 * that has one.
 */
export function split(
  pieces: readonly BytePiece[],
  {
    afterEvents,
    inside,
    pause,
  }: { readonly afterEvents: number; readonly inside: SplitPlace; readonly pause: number },
): readonly BytePiece[] {
  const named = eventAt(pieces, afterEvents)
  const fits =
    inside === 'character'
      ? pieces.findIndex(
          ({ said }, index) => named >= 0 && index >= named && said.some((byte) => byte >= 0xc2),
        )
      : -1
  const index = fits >= 0 ? fits : named
  const piece = pieces[index]
  if (piece === undefined || piece.said.length < 2) return pieces
  const at = Math.min(piece.said.length - 1, Math.max(1, splitAt(piece.said, inside)))
  const halves: BytePiece[] = [
    { ...piece, said: piece.said.subarray(0, at), events: 0 },
    { after: pause, said: piece.said.subarray(at), events: piece.events, apart: true },
  ]
  return [...pieces.slice(0, index), ...halves, ...pieces.slice(index + 1)]
}

function splitAt(said: Uint8Array, inside: SplitPlace): number {
  const middle = Math.floor(said.length / 2)
  switch (inside) {
    case 'character': {
      const lead = said.findIndex((byte) => byte >= 0xc2)
      return lead < 0 ? middle : lead + 1
    }
    case 'field':
      // The frame begins a line at each `data:`; ASCII, so that bytes are characters.
      return Math.max(0, new TextDecoder('latin1').decode(said).search(/^data:/m)) + 2
    case 'data':
      return middle
    case 'end':
      return said.length - (said.at(-2) === 0x0d ? 2 : 1)
    default:
      return inside
  }
}

function eventAt(pieces: readonly BytePiece[], count: number): number {
  let events = 0
  for (const [index, piece] of pieces.entries()) {
    if (piece.events > 0 && events >= count) return index
    events += piece.events
  }
  return -1
}

/** From the event behind so many others on, groups that go out together. */
export function joined(
  pieces: readonly BytePiece[],
  { afterEvents, events }: { readonly afterEvents: number; readonly events: number },
): readonly BytePiece[] {
  const from = eventAt(pieces, afterEvents)
  if (from < 0) return pieces
  const made = pieces.slice(0, from)
  let group: BytePiece[] = []
  let whole = 0
  const close = (): void => {
    if (group.length === 0) return
    made.push({
      after: group.reduce((sum, { after }) => sum + after, 0),
      said: joinBytes(group.map(({ said }) => said)),
      events: whole,
      apart: true,
    })
    group = []
    whole = 0
  }
  for (const piece of pieces.slice(from)) {
    group.push(piece)
    whole += piece.events
    if (whole >= events) close()
  }
  close()
  return made
}

/** So many bytes at a time. The pieces grow when there would be too many of them. */
export function dribbled(
  pieces: readonly BytePiece[],
  { bytes, every }: { readonly bytes: number; readonly every: number },
): readonly BytePiece[] {
  const size = Math.max(1, bytes, Math.ceil(sizeOf(pieces) / maxPieces))
  const made: BytePiece[] = []
  for (const piece of pieces) {
    const { said, events } = piece
    for (let at = 0; at < said.length; at += size) {
      const last = at + size >= said.length
      const first = made.length === 0
      made.push({
        after: (at === 0 ? piece.after : 0) + (first ? 0 : every),
        said: said.subarray(at, at + size),
        events: last ? events : 0,
        apart: !first,
      })
    }
  }
  return made
}
