/**
 * Lets the pieces of a reply come when their virtual time has come, and ends the connection as its faults
 * want it (`wire-faults.ts` says what the pieces are).
 */
import type { AnsweredCall } from '../core/call-state.ts'
import { joinBytes } from '../engine/join-bytes.ts'
import type { Playback } from './playback.ts'
import { waitsOnClock, watchClock } from './stalled-clock.ts'

/** Where a reply goes: a socket, or a web stream. */
export interface Sink {
  /** `apart`: the client reads it on its own, not together with what was written before. */
  write(said: string | Uint8Array, apart: boolean): void
  end(): void
  /** Breaks the connection behind what was written; the client must notice. */
  fail(reason: Error, how: 'close' | 'reset'): void
}

/** Stops a playback; the client has left. */
export type Leave = () => void

/**
 * Hears once how a playback ended, and what was said: all of it, or as much of its beginning as the journal
 * may keep.
 */
export type Closed = (how: 'completed' | 'aborted' | 'cut', said: string | undefined) => void

const maxSaidLength = 64 * 1024

/** Plays a reply into a sink. */
export function playEvents(
  playback: Playback,
  exchange: AnsweredCall,
  sink: Sink,
  closed: Closed,
  warn: (message: string) => void,
): Leave {
  const { session, entry, reply } = exchange
  const { clock } = session.world
  const { pieces, ending } = playback
  const instant = clock.mode === 'auto'
  let decoder: InstanceType<typeof TextDecoder> | undefined
  let due = exchange.startedAt + (reply.delay ?? 0)
  let at = 0
  let cancel: (() => void) | undefined
  let finished = false
  let said = ''
  const watch =
    clock.mode === 'manual' || clock.frozen
      ? watchClock(() => clock.now(), warn, waitsOnClock(entry.path))
      : undefined

  const finish = (how: 'completed' | 'aborted' | 'cut'): void => {
    if (finished) return
    finished = true
    cancel?.()
    watch?.()
    session.open.delete(stop)
    closed(how, playback.text ? said : undefined)
  }
  const stop = (reason: Error): void => {
    if (finished) return
    finish('cut')
    sink.fail(reason, 'close')
  }
  const keep = (part: string | Uint8Array): void => {
    // A reply can be longer than a text may be.
    if (playback.text && said.length < maxSaidLength)
      said += typeof part === 'string' ? part : (decoder ??= new TextDecoder()).decode(part, { stream: true })
  }

  const end = (): void => {
    if (ending === 'stall') {
      // No clock would bring the rest.
      watch?.()
      return
    }
    finish(playback.whole ? 'completed' : 'cut')
    if (ending === 'end') sink.end()
    else sink.fail(new Error('the connection was cut by a fault'), ending)
  }

  const step = (): void => {
    let text = ''
    let parts: Uint8Array[] = []
    let events = 0
    let apart = false
    const flush = (): void => {
      const ready = parts.length > 0 ? joinBytes(parts) : text
      if (ready.length > 0) {
        keep(ready)
        sink.write(ready, apart)
      }
      entry.events += events
      text = ''
      parts = []
      events = 0
      apart = false
    }
    for (;;) {
      if (finished) return
      const piece = pieces[at]
      if (piece === undefined) {
        flush()
        return end()
      }
      if (!instant && due + piece.after > clock.now()) {
        flush()
        cancel = clock.at(due + piece.after, step)
        return
      }
      due += piece.after
      at++
      if (piece.apart) {
        flush()
        apart = true
      }
      // A body is all text or all bytes.
      if (typeof piece.content === 'string') text += piece.content
      else parts.push(piece.content)
      // What says nothing is a wait, and nobody sees it.
      if (piece.content.length > 0) events += piece.events
    }
  }

  session.open.add(stop)
  step()
  return () => finish('aborted')
}
