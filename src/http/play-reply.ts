/** Replies that take their time: held back, played piece by piece, and broken by faults. */
import type { AnsweredCall } from '../core/call-state.ts'
import type { SimulatorCore } from '../core/simulator.ts'
import { joinBytes } from '../engine/bytes.ts'
import {
  type BytePiece,
  bodyStages,
  type Cut,
  type Piece,
  sizeOf,
  type WireFault,
} from '../protocol/pieces.ts'
import type { Hold, Playback } from './request-context.ts'
import { waitsOnClock, watchClock } from './warnings.ts'

/** Where a reply goes: a socket, or a web stream. */
export interface Sink {
  /** `apart`: the client reads it on its own, not together with what was written before. */
  write(content: string | Uint8Array, apart: boolean): void
  end(): void
  /** Breaks the connection after what was written; the client must notice. */
  fail(reason: Error, how: 'close' | 'reset'): void
}

/** Is called once, with the text of the reply as far as the journal keeps it. */
export type OnEnd = (how: 'completed' | 'aborted' | 'cut', text: string | undefined) => void

/** Plays a reply into a sink. Returns what to call when the client has left. */
export function playReply(
  playback: Playback,
  exchange: AnsweredCall,
  sink: Sink,
  onEnd: OnEnd,
  warn: (message: string) => void,
): () => void {
  const { session, entry, reply } = exchange
  const { clock } = session.world
  const { pieces, ending } = playback
  const transcript = new Transcript()
  let due = exchange.startedAt + (reply.delay ?? 0)
  let at = 0
  let cancel: (() => void) | undefined
  let finished = false
  const watch =
    clock.mode === 'manual' || clock.frozen
      ? watchClock(() => clock.now(), warn, waitsOnClock(entry.path))
      : undefined

  const finish = (how: Parameters<OnEnd>[0]): void => {
    if (finished) return
    finished = true
    cancel?.()
    watch?.()
    session.open.delete(stop)
    onEnd(how, playback.text ? transcript.text : undefined)
  }
  const stop = (reason: Error): void => {
    if (finished) return
    finish('cut')
    sink.fail(reason, 'close')
  }
  const end = (): void => {
    // No clock brings the rest of a stalled reply.
    if (ending === 'stall') return watch?.()
    finish(playback.whole ? 'completed' : 'cut')
    if (ending === 'end') sink.end()
    else sink.fail(new Error('the connection was cut by a fault'), ending)
  }
  const write = ({ content, events, apart }: Piece): void => {
    if (content.length > 0) {
      if (playback.text) transcript.add(content)
      sink.write(content, apart)
    }
    entry.events += events
  }
  const playDue = (): void => {
    while (!finished) {
      const now = clock.mode === 'auto' ? Number.POSITIVE_INFINITY : clock.now()
      const first = at
      for (let piece = pieces[at]; piece !== undefined && due + piece.after <= now; piece = pieces[at]) {
        if (piece.apart && at > first) break
        due += piece.after
        at++
      }
      const next = pieces[at]
      if (at > first) write(merged(pieces, first, at))
      if (finished) return
      if (next === undefined) return end()
      if (due + next.after > now) {
        cancel = clock.at(due + next.after, playDue)
        return
      }
    }
  }

  session.open.add(stop)
  playDue()
  return () => finish('aborted')
}

/** Pieces that are due together, as one. A body is all text or all bytes. */
function merged(pieces: readonly Piece[], from: number, to: number): Piece {
  const first = pieces[from] as Piece
  if (to === from + 1) return first.content.length > 0 ? first : { ...first, events: 0 }
  const batch = pieces.slice(from, to)
  const contents = batch.map(({ content }) => content)
  return {
    ...first,
    content: typeof first.content === 'string' ? contents.join('') : joinBytes(contents as Uint8Array[]),
    // A piece without content is a wait that nobody sees.
    events: batch.reduce((sum, { content, events }) => sum + (content.length > 0 ? events : 0), 0),
  }
}

/** The beginning of a reply's text, for the journal. */
class Transcript {
  static readonly #maxLength = 64 * 1024
  #decoder: InstanceType<typeof TextDecoder> | undefined
  text = ''

  add(content: string | Uint8Array): void {
    if (this.text.length >= Transcript.#maxLength) return
    this.text +=
      typeof content === 'string'
        ? content
        : (this.#decoder ??= new TextDecoder()).decode(content, { stream: true })
  }
}

/** What a held reply does next. */
interface HeldReply {
  /** The delay is over: send it, and call `firstByteSent` when its first byte leaves. */
  release(firstByteSent: () => void): void
  /** There will be no reply: the connection breaks. */
  breakOff(reason: Error): void
}

/** Holds a reply back. Returns a function to call when the client leaves before it is sent. */
export function holdReply(
  { delay, then }: Hold,
  { session, entry, startedAt }: AnsweredCall,
  core: Pick<SimulatorCore, 'callStarted' | 'warn'>,
  held: HeldReply,
): () => void {
  const { clock, journal } = session.world
  let over = false
  let cancel: (() => void) | undefined
  let watch: (() => void) | undefined

  const finish = (): boolean => {
    if (over) return false
    over = true
    cancel?.()
    watch?.()
    session.open.delete(stop)
    return true
  }
  const stop = (reason: Error): void => {
    if (!finish()) return
    journal.close(entry, 'cut', undefined)
    held.breakOff(reason)
  }
  const patience = (message: string): void => {
    watch?.()
    if (clock.mode === 'manual' || clock.frozen) watch = watchClock(() => clock.now(), core.warn, message)
  }
  const act = (): void => {
    if (then === 'hang')
      return patience(
        `a client of ${entry.path} waits for a reply that a fault (hang) never sends: give the client a ` +
          'timeout, or end the call (sim.reset, POST /__sim/reset)',
      )
    if (then === 'reset') return stop(new Error('the connection was reset by a fault'))
    if (finish()) held.release(core.callStarted({ session: session.world.name }))
  }

  session.open.add(stop)
  const due = startedAt + delay
  if (clock.mode === 'auto' || due <= clock.now()) {
    act()
  } else {
    cancel = clock.at(due, act)
    patience(waitsOnClock(entry.path))
  }
  return () => {
    if (finish()) journal.close(entry, 'aborted', undefined)
  }
}

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
