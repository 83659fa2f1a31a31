/** The sound of a video: for every second the note of its sign, out of checked-in frames of AAC. */

import { fromBase64 } from '../../engine/base64.ts'
import { notes } from '../data/notes.ts'
import { signs } from './scene.ts'

/** Samples per second, and samples of one packet; one channel. */
export const soundRate = 24_000
export const packetSamples = 1024

/** An `AudioSpecificConfig` (ISO/IEC 14496-3, 1.6.2.1): AAC-LC, 24 kHz, one channel. */
export const soundDescription: Uint8Array = Uint8Array.of(0x13, 0x08)

/** The packets of a video with one sign a second; as many as end before the video does. */
export function soundOf(videoSigns: string): Uint8Array[] {
  const packets = Object.values(notes.aac).map((frame) => withoutHeader(fromBase64(frame)))
  return Array.from({ length: Math.floor((videoSigns.length * soundRate) / packetSamples) }, (_, place) => {
    const second = Math.floor((place * packetSamples) / soundRate)
    return packets[signs.indexOf(videoSigns.charAt(second)) % packets.length] as Uint8Array
  })
}

/**
 * A frame without its ADTS header (ISO/IEC 14496-3, 1.A.2.2), which is seven bytes, or nine with a check sum:
 * in MP4 the index says the same.
 */
function withoutHeader(frame: Uint8Array): Uint8Array {
  return frame.subarray(((frame[1] as number) & 1) === 1 ? 7 : 9)
}
