/** The segments a JPEG is made of (ITU T.81, annex B). Each byte is looked at once, whatever the file holds. Knows nothing of pixels. */

/** One segment: its marker, and where what it says begins, behind its length. */
interface JpegSegment {
  readonly marker: number
  readonly start: number
}

/** Up to the end of the picture, or of the file. What stands between segments is passed over, as decoders do. */
function* segments(bytes: Uint8Array): Generator<JpegSegment> {
  for (let at = 2; at < bytes.length; ) {
    while (at < bytes.length && bytes[at] !== 0xff) at++
    // Any number of them may stand before a marker.
    while (bytes[at] === 0xff) at++
    const marker = bytes[at++] ?? 0xd9
    if (marker === 0xd9) return
    // A byte within pixels, and what has no length: TEM, the marks for starting anew, a beginning.
    if (marker <= 0x01 || (marker >= 0xd0 && marker <= 0xd8)) continue
    yield { marker, start: at + 2 }
    at += Math.max(2, ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0))
  }
}

/** Width and height in pixels; undefined when no header says them, or one of a kind that browsers do not show either. */
export function jpegSize(bytes: Uint8Array): { readonly width: number; readonly height: number } | undefined {
  for (const { marker, start } of segments(bytes)) {
    // Baseline, extended and progressive; without loss and arithmetic coding are others.
    if (marker < 0xc0 || marker > 0xc2) continue
    const word = (at: number): number => ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)
    return { width: word(start + 3), height: word(start + 1) }
  }
  return undefined
}

/** How often a decoder goes over the picture: sixteen bytes are enough to have it done once more. */
export function jpegScans(bytes: Uint8Array): number {
  let count = 0
  for (const { marker } of segments(bytes)) if (marker === 0xda) count++
  return count
}
