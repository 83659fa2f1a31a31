/**
 * Lets the events of a stream come when their virtual time has come, and does to the wire what faults ask for. The one
 * interpreter of wire instructions; knows nothing of what the events say.
 */
import type { Exchange } from '../core.ts'
import { textOf, type Playback } from './write-reply.ts'

/** Where a stream goes: a socket, or a web stream. */
export interface Sink {
  write(text: string): void
  end(): void
  /** Breaks the connection; the client must notice. */
  fail(reason: Error): void
}

/** Stops a playback; the client has left. */
export type Leave = () => void

/** Hears once how a playback ended, and what was said: all of it, or as much of its beginning as the journal may keep. */
export type Closed = (how: 'completed' | 'aborted' | 'cut', said: string) => void

const longestSaid = 64 * 1024

/** How long somebody may wait on a clock that nobody moves before a warning, in real milliseconds. */
export const patience = 2000

/** Plays a stream into a sink. */
export function playEvents(playback: Playback, exchange: Exchange, sink: Sink, closed: Closed, warn: (message: string) => void): Leave {
  const { session, entry } = exchange
  const { world } = session
  const { events } = playback
  const cut = playback.wire.find((instruction) => instruction.kind === 'cut')
  const stall = playback.wire.find((instruction) => instruction.kind === 'stall')
  const instant = world.clock.mode === 'auto'
  let due = exchange.startedAt
  let at = 0
  let cancel: (() => void) | undefined
  let finished = false
  let said = ''
  const watch = world.clock.mode === 'manual' ? watchClock(() => world.clock.now(), warn, entry.path) : undefined

  const finish = (how: 'completed' | 'aborted' | 'cut'): void => {
    if (finished) return
    finished = true
    cancel?.()
    watch?.()
    session.open.delete(stop)
    closed(how, said)
  }
  const stop = (reason: Error): void => {
    if (finished) return
    finish('cut')
    sink.fail(reason)
  }

  const step = (): void => {
    let ready = ''
    let count = 0
    const flush = (): void => {
      if (ready !== '') {
        // A stream can be longer than a text may be.
        if (said.length < longestSaid) said += ready
        sink.write(ready)
      }
      entry.events += count
      ready = ''
      count = 0
    }
    for (;;) {
      if (finished) return
      if (cut !== undefined && at >= cut.afterEvents) {
        flush()
        finish('cut')
        return cut.how === 'end' ? sink.end() : sink.fail(new Error('the connection was cut by a fault'))
      }
      if (stall !== undefined && at >= stall.afterEvents) {
        flush()
        // No clock would bring the rest.
        watch?.()
        return
      }
      const event = events[at]
      if (event === undefined) {
        flush()
        finish('completed')
        return sink.end()
      }
      if (!instant && due + event.after > world.clock.now()) {
        flush()
        due += event.after
        cancel = world.clock.at(due, () => {
          ready = textOf([event])
          count = 1
          at++
          flush()
          step()
        })
        return
      }
      due += event.after
      ready += textOf([event])
      count++
      at++
    }
  }

  session.open.add(stop)
  step()
  return () => finish('aborted')
}

/** Warns once when time stands still for too long while somebody waits on it. Returns what ends the watch. */
function watchClock(now: () => number, warn: (message: string) => void, path: string): () => void {
  const before = now()
  const timer = setTimeout(() => {
    if (now() === before) warn(`a client of ${path} waits on virtual time that nobody moves: advance the clock (sim.clock.advance('1s'), POST /__sim/clock/advance), or use the clock mode auto`)
  }, patience)
  ;(timer as { unref?: () => void }).unref?.()
  return () => clearTimeout(timer)
}
