/**
 * A reply that takes its time, to a socket: what clients are to read apart is sent apart, and a connection
 * breaks only when everything before has been sent.
 */
import type { ServerResponse } from 'node:http'
import type { Sink } from './play-reply.ts'

/** Real milliseconds between writes that clients are to read apart; a socket would hand them over at once. */
const pauseMs = 4

/** The sink of a response whose headers have been sent. */
export function socketSink(response: ServerResponse): Sink {
  const queue: ((done: () => void) => void)[] = []
  let busy = false

  const runNext = (): void => {
    const task = queue.shift()
    // Nobody reads what is left once the connection is gone.
    if (task === undefined || response.destroyed) {
      queue.length = 0
      busy = false
      return
    }
    busy = true
    task(runNext)
  }
  const enqueue = (task: (done: () => void) => void): void => {
    queue.push(task)
    if (!busy) runNext()
  }
  const write = (content: string | Uint8Array): void => void response.write(content)

  return {
    write(content, apart) {
      if (apart) enqueue((done) => void afterFlush(response, () => setTimeout(done, pauseMs)))
      if (!busy) return write(content)
      enqueue((done) => {
        write(content)
        done()
      })
    },
    end() {
      if (busy) enqueue(() => response.end())
      else response.end()
    },
    fail(_reason, how) {
      const breakConnection = (): void => {
        // `response.destroy()` would drop what is still buffered.
        if (how === 'close') response.socket?.destroySoon()
        else afterFlush(response, () => setTimeout(() => reset(response), pauseMs))
      }
      if (busy) enqueue(breakConnection)
      else breakConnection()
    },
  }
}

/** Breaks the connection of a response with a reset (RST). */
export function reset({ socket }: Pick<ServerResponse, 'socket'>): void {
  if (socket === null) return
  // Streams that replace sockets (in tests, for old TLS) may not be able to.
  if (typeof socket.resetAndDestroy === 'function') socket.resetAndDestroy()
  else socket.destroy()
}

/** Calls back when everything written has been handed to the operating system. */
function afterFlush({ socket }: ServerResponse, done: () => void): void {
  if (socket === null || socket.destroyed || !socket.writable) return done()
  socket.write('', () => done())
}
