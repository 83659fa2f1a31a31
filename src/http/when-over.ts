/** Tells when a response is over, or its connection gone. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Calls the listener once. */
export type WhenOver = (request: IncomingMessage, response: ServerResponse, listener: () => void) => void

/**
 * Node tells a response of the end of its connection only once it is the response's turn; those that were
 * asked for behind it on the same connection never hear of it.
 */
export function createWhenOver(): WhenOver {
  const bySocket = new WeakMap<Socket, Set<() => void>>()
  return ({ socket }, response, listener) => {
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
    response.once('close', over)
    if (socket.destroyed) over()
  }
}
