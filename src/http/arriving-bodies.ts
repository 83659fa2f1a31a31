/** Request bodies that are still arriving: how much of them is held, and what becomes of those not read. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { SimulatorCore } from '../core/simulator.ts'
import type { Payload } from '../protocol/call.ts'
import type { Settings } from '../protocol/settings.ts'
import type { WhenOver } from './socket-replies.ts'

/** Bodies up to this size, in bytes, are read however much else arrives. */
export const smallBody = 1024 * 1024

/** Is told how much of a large body there is so far; false when it is more than there is room for. */
export type AdmitBody = (size: number) => boolean

export function createAdmitBody(
  { traffic, settings }: Pick<SimulatorCore, 'traffic' | 'settings'>,
  whenOver: WhenOver,
  request: IncomingMessage,
  response: ServerResponse,
): AdmitBody {
  let counted = 0
  return (size) => {
    if (counted === 0)
      whenOver(request, response, () => {
        traffic.arriving -= counted
      })
    traffic.arriving += size - counted
    counted = size
    return traffic.arriving <= settings.traffic.arrivingBytes
  }
}

/** The payload for a body that there is no room for. */
export function noRoomForBody({ traffic: { arrivingBytes } }: Settings): Payload {
  return {
    kind: 'refused',
    type: 'overloaded_error',
    message:
      `Larger bodies than ${smallBody} bytes hold more than ${arrivingBytes} bytes together while they ` +
      'arrive (setting traffic.arrivingBytes), and this one does not fit: send fewer at a time, or try ' +
      'again.',
    retryAfterMs: 1000,
  }
}

/** Whether a body has still to come. Node counts a request without one as incomplete when it begins. */
export function isArriving({ complete, headers }: IncomingMessage): boolean {
  return (
    !complete && (headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0')
  )
}

/** A client that sends nothing for this long, in milliseconds, is waiting for the reply. */
const quietMs = 100
/** How long a connection that ends behind its reply may go without a byte, in milliseconds. */
const lingerMs = 1000

/**
 * Discards the rest of a body that nobody reads, and replies once the body is over. Many clients read no
 * reply before they have sent everything, and closing a connection on unread bytes resets it, which loses
 * the reply. The reply does not wait for a client that has gone quiet, or that sends more than the largest
 * body allowed: then `closes` is true, and the connection first ends and closes only when nothing more comes.
 */
export function discardBody(
  request: IncomingMessage,
  { limits }: Settings,
  reply: (closes: boolean) => void,
): void {
  const { socket } = request
  const most = Math.max(limits.jsonBytes, limits.formBytes, limits.fileBytes)
  let room = most
  let hasReplied = false
  const onWhole = (): void => {
    clearTimeout(timer)
    if (!hasReplied) reply(false)
    hasReplied = true
  }
  const onTrouble = (): void => {
    // The client has had its reply and still sends: it waits from now on.
    if (hasReplied) return void request.pause()
    hasReplied = true
    clearTimeout(timer)
    room = most
    timer = setTimeout(() => socket.destroy(), lingerMs).unref()
    // Node would close the connection at once when the reply has been written.
    socket.destroySoon = () => void socket.end()
    reply(true)
  }
  let timer = setTimeout(onTrouble, quietMs)
  request.on('data', ({ length }: Buffer) => {
    room -= length
    if (room < 0) onTrouble()
    else timer.refresh()
  })
  // Every request closes, after its end or instead of it.
  request.once('close', onWhole)
  if (request.destroyed) onWhole()
}
