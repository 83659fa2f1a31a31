/**
 * The segments that a JPEG is made of (ITU T.81, annex B). Each byte is read once, whatever the file holds.
 */

/**
 * The place of the next marker that has a segment (the byte behind its 0xff), from a place between two
 * segments on. Undefined at the end of the image, or of the file. What is between segments is skipped, as
 * decoders do. (No generator: a hostile file has millions of markers.)
 */
function nextMarker(bytes: Uint8Array, from: number): number | undefined {
  for (let at = from; at < bytes.length; ) {
    while (at < bytes.length && bytes[at] !== 0xff) at++
    // Any number of them may come before a marker.
    while (bytes[at] === 0xff) at++
    const marker = bytes[at] ?? 0xd9
    if (marker === 0xd9) return undefined
    // Not a byte within pixels, nor a marker without length: TEM, restarts, the start of the image.
    if (marker > 0x01 && (marker < 0xd0 || marker > 0xd8)) return at
    at++
  }
  return undefined
}

const word = (bytes: Uint8Array, at: number): number => ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)

/** The end of a marker's segment, which begins with its length. */
const segmentEnd = (bytes: Uint8Array, marker: number): number =>
  marker + 1 + Math.max(2, word(bytes, marker + 1))

/**
 * Width and height in pixels; undefined when no header says them, or only one of a kind that browsers do not
 * show either.
 */
export function readJpegSize(
  bytes: Uint8Array,
): { readonly width: number; readonly height: number } | undefined {
  for (let at = nextMarker(bytes, 2); at !== undefined; at = nextMarker(bytes, segmentEnd(bytes, at))) {
    const marker = bytes[at] as number
    // Baseline, extended and progressive, but not lossless or arithmetic coding.
    if (marker >= 0xc0 && marker <= 0xc2) return { width: word(bytes, at + 6), height: word(bytes, at + 4) }
  }
  return undefined
}

/** How often a decoder goes over the image: sixteen bytes are enough to have it done once more. */
export function countJpegScans(bytes: Uint8Array): number {
  let count = 0
  for (let at = nextMarker(bytes, 2); at !== undefined; at = nextMarker(bytes, segmentEnd(bytes, at)))
    if (bytes[at] === 0xda) count++
  return count
}
