/**
 * Writes a reply that takes its time to a socket: what is to be read apart goes out apart, and a connection
 * breaks only when all before it has left.
 */
import type { ServerResponse } from 'node:http'
import type { Sink } from './play-events.ts'

/**
 * Real milliseconds between two writes that the other side is to read one by one; without them a socket hands
 * over both at once.
 */
const breath = 4

/** Where a reply goes that `response` has begun. */
export function socketSink(response: ServerResponse): Sink {
  const waiting: ((done: () => void) => void)[] = []
  let busy = false

  const next = (): void => {
    const act = waiting.shift()
    // Nobody hears what was left to say.
    if (act === undefined || response.destroyed) {
      waiting.length = 0
      busy = false
      return
    }
    busy = true
    act(next)
  }
  const then = (act: (done: () => void) => void): void => {
    waiting.push(act)
    if (!busy) next()
  }
  const write = (said: string | Uint8Array): void => void response.write(said)

  return {
    write(said, apart) {
      if (apart) then((done) => void flushed(response, () => setTimeout(done, breath)))
      if (!busy) return write(said)
      then((done) => {
        write(said)
        done()
      })
    },
    end() {
      if (busy) then(() => response.end())
      else response.end()
    },
    fail(_reason, how) {
      const fall = (): void => {
        // What was said must arrive before the break; `response.destroy()` would take along what is still
        // buffered.
        if (how === 'close') response.socket?.destroySoon()
        else flushed(response, () => setTimeout(() => reset(response), breath))
      }
      if (busy) then(fall)
      else fall()
    },
  }
}

/** Breaks the connection under a response with a reset (RST). */
export function reset({ socket }: Pick<ServerResponse, 'socket'>): void {
  if (socket === null) return
  // Streams that stand in for sockets (tests, TLS of old) may not know how.
  if (typeof socket.resetAndDestroy === 'function') socket.resetAndDestroy()
  else socket.destroy()
}

/** Calls back when all that was written has been handed to the system. */
function flushed({ socket }: ServerResponse, done: () => void): void {
  if (socket === null || socket.destroyed || !socket.writable) return done()
  socket.write('', () => done())
}
