/** Sends the pieces of a reply when they are due, then ends the connection as its faults say. */
import type { AnsweredCall } from '../core/call-state.ts'
import { joinBytes } from '../engine/join-bytes.ts'
import type { Piece } from '../protocol/pieces.ts'
import type { Playback } from './playback.ts'
import { waitsOnClock, watchClock } from './stalled-clock.ts'

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
  const isDue = ({ after }: Piece): boolean => clock.mode === 'auto' || due + after <= clock.now()

  const playDue = (): void => {
    while (!finished) {
      const batch: Piece[] = []
      for (let piece = pieces[at]; piece !== undefined && isDue(piece); piece = pieces[at]) {
        if (piece.apart && batch.length > 0) break
        due += piece.after
        at++
        batch.push(piece)
      }
      const next = pieces[at]
      if (batch.length > 0) write(merged(batch))
      if (finished) return
      if (next === undefined) return end()
      if (!isDue(next)) {
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
function merged(batch: readonly Piece[]): Piece {
  const [first] = batch as [Piece]
  if (batch.length === 1) return first.content.length > 0 ? first : { ...first, events: 0 }
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
