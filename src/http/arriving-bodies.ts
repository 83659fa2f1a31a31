/** Counts the large request bodies that are held for calls that are not answered yet. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { SimulatorCore } from '../core/simulator.ts'
import type { Payload } from '../protocol/call.ts'
import type { Settings } from '../protocol/settings.ts'
import type { WhenOver } from './when-over.ts'

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
