/**
 * Replies on their way to clients: how many bytes nobody has read yet, and what becomes of clients that read
 * nothing. Small replies are not counted; what the operating system takes for a client is out of our hands.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { SimulatorCore } from '../core/simulator.ts'
import { isBytes } from '../engine/bytes.ts'
import { formatDuration } from '../engine/duration.ts'
import { smallReply } from '../protocol/reply-size.ts'
import type { WireReply } from './request-context.ts'
import { reset } from './socket-sink.ts'
import type { WhenOver } from './when-over.ts'

export interface UnreadReplies {
  /** Counts a reply until it has been read, or its client has left. */
  count(reply: WireReply, request: IncomingMessage, response: ServerResponse): void
  /** Resets the connection when nothing of what waits for it has been read for a time. */
  watch(reply: WireReply, response: ServerResponse): void
}

/** The longest time that a timer can wait, in milliseconds. */
const longest = 2 ** 31 - 1

export function createUnreadReplies(
  { traffic, settings, warn }: SimulatorCore,
  whenOver: WhenOver,
): UnreadReplies {
  const patience = Math.min(settings.traffic.unreadFor, longest)
  /** How many replies hold the same bytes: files are shared, and count once. */
  const readers = new Map<ArrayBufferLike, number>()
  let hasWarned = false

  return {
    count({ body }, request, response) {
      const size = sizeOf(body)
      if (size <= smallReply) return
      const shared = isBytes(body) ? body.buffer : undefined
      const others = shared === undefined ? 0 : (readers.get(shared) ?? 0)
      if (shared !== undefined) readers.set(shared, others + 1)
      if (others === 0) traffic.unread += size
      whenOver(request, response, () => {
        const left = shared === undefined ? 0 : (readers.get(shared) as number) - 1
        if (shared !== undefined && left > 0) return void readers.set(shared, left)
        if (shared !== undefined) readers.delete(shared)
        traffic.unread -= size
      })
    },
    watch({ answered: { entry, session } }, response) {
      const { socket } = response
      // What stands in for a socket may have no timers.
      if (patience === 0 || (socket !== null && typeof socket.setTimeout !== 'function')) return
      response.setTimeout(patience, () => {
        const waiting = response.socket?.writableLength ?? 0
        // It is the client that waits: for a clock, or for a fault.
        if (waiting === 0) return
        session.world.journal.close(entry, 'aborted', undefined)
        reset(response)
        if (hasWarned) return
        hasWarned = true
        warn(
          `a client of ${entry.method} ${entry.path} has read nothing for ${formatDuration(patience)} ` +
            `while ${waiting} bytes waited for it: its connection was reset (setting traffic.unreadFor). ` +
            'Of others only the journal will tell (aborted).',
        )
      })
    },
  }
}

function sizeOf(body: WireReply['body']): number {
  if (body === undefined) return 0
  return typeof body === 'string' || isBytes(body)
    ? body.length
    : body.pieces.reduce((sum, { content }) => sum + content.length, 0)
}
