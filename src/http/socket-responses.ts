/** Responses to sockets: completion, broken connections, and unread bytes. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { SimulatorCore } from '../core/simulator.ts'
import { isBytes } from '../engine/bytes.ts'
import { formatDuration } from '../engine/duration.ts'
import { smallResponse } from '../protocol/traffic.ts'
import type { Sink } from './play-response.ts'
import type { WireResponse } from './request-context.ts'

/** Real milliseconds between writes that clients must read separately; a socket would join them. */
const pauseMs = 4

/** The sink of a response whose headers have been sent. */
export function socketSink(outgoing: ServerResponse): Sink {
  const queue: ((done: () => void) => void)[] = []
  let busy = false

  const runNext = (): void => {
    const task = queue.shift()
    // The rest is not needed once the connection is closed.
    if (task === undefined || outgoing.destroyed) {
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
  const write = (content: string | Uint8Array): void => void outgoing.write(content)

  return {
    backlog: () => outgoing.writableLength,
    write(content, apart) {
      if (apart) enqueue((done) => void afterFlush(outgoing, () => pause(done)))
      if (!busy) return write(content)
      enqueue((done) => {
        write(content)
        done()
      })
    },
    end() {
      if (busy) enqueue(() => outgoing.end())
      else outgoing.end()
    },
    fail(_reason, how) {
      const breakConnection = (): void => {
        // `outgoing.destroy()` would drop what is still buffered.
        if (how === 'close') outgoing.socket?.destroySoon()
        else afterFlush(outgoing, () => pause(() => reset(outgoing)))
      }
      if (busy) enqueue(breakConnection)
      else breakConnection()
    },
  }
}

/** A client in the same process reads between timers and immediates, even if the loop was busy for long. */
function pause(done: () => void): void {
  setTimeout(() => setImmediate(done), pauseMs)
}

/** Breaks the connection of a response with a reset (RST). */
export function reset({ socket }: Pick<ServerResponse, 'socket'>): void {
  if (socket === null) return
  // Substitutes for sockets (in tests, for old TLS) may not support it.
  if (typeof socket.resetAndDestroy === 'function') socket.resetAndDestroy()
  else socket.destroy()
}

/** Calls back once everything written has been passed to the operating system. */
function afterFlush({ socket }: ServerResponse, done: () => void): void {
  if (socket === null || socket.destroyed || !socket.writable) return done()
  socket.write('', () => done())
}

export interface UnreadResponses {
  /** Counts a response until it has been read, or its client has disconnected. */
  count(response: WireResponse, request: IncomingMessage, outgoing: ServerResponse): void
  /** Resets the connection if no waiting bytes are read for some time. */
  watch(response: WireResponse, outgoing: ServerResponse): void
}

export function createUnreadResponses({ traffic, warn }: SimulatorCore, whenOver: WhenOver): UnreadResponses {
  /** How many responses hold the same bytes: files are shared, and count once. */
  const readers = new Map<ArrayBufferLike, number>()
  let hasWarned = false

  return {
    count({ body, playback }, request, outgoing) {
      const size = body?.length ?? sizeOf(playback)
      if (size <= smallResponse) return
      const shared = isBytes(body) ? body.buffer : undefined
      const others = shared === undefined ? 0 : (readers.get(shared) ?? 0)
      if (shared !== undefined) readers.set(shared, others + 1)
      if (others === 0) traffic.unread += size
      whenOver(request, outgoing, () => {
        const left = shared === undefined ? 0 : (readers.get(shared) as number) - 1
        if (shared !== undefined && left > 0) return void readers.set(shared, left)
        if (shared !== undefined) readers.delete(shared)
        traffic.unread -= size
      })
    },
    watch({ answered: { entry, session } }, outgoing) {
      const patience = traffic.limits.unreadFor
      const { socket } = outgoing
      // A substitute for a socket may have no timers.
      if (socket !== null && typeof socket.setTimeout !== 'function') return
      outgoing.setTimeout(patience, () => {
        const waiting = outgoing.socket?.writableLength ?? 0
        // The client is waiting for the clock or for a fault.
        if (waiting === 0) return
        session.sandbox.journal.close(entry, 'aborted', undefined)
        reset(outgoing)
        if (hasWarned) return
        hasWarned = true
        const { method, url } = entry.request
        warn(
          `the client of ${method} ${url} read nothing for ${formatDuration(patience)} while ` +
            `${waiting} bytes were waiting: the simulator reset its connection. ` +
            'Subsequent cases appear only in the journal (aborted).',
        )
      })
    },
  }
}

function sizeOf(playback: WireResponse['playback']): number {
  return playback?.chunks.reduce((sum, { content }) => sum + content.length, 0) ?? 0
}

/** Calls the listener once. */
export type WhenOver = (request: IncomingMessage, outgoing: ServerResponse, listener: () => void) => void

/**
 * Node tells a response about the end of its connection only when it is the response's turn; pipelined
 * responses after it are never told.
 */
export function createWhenOver(): WhenOver {
  const bySocket = new WeakMap<Socket, Set<() => void>>()
  return ({ socket }, outgoing, listener) => {
    const waiting = bySocket.get(socket) ?? new Set()
    if (!bySocket.has(socket)) {
      bySocket.set(socket, waiting)
      socket.once('close', () => {
        for (const over of waiting) over()
      })
    }
    const over = (): void => {
      if (waiting.delete(over)) listener()
    }
    waiting.add(over)
    outgoing.once('close', over)
    if (socket.destroyed) over()
  }
}
