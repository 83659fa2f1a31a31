/**
 * The segments a JPEG is made of (ITU T.81, annex B). Each byte is looked at once, whatever the file holds.
 */

/**
 * Where the next marker with a segment behind it stands, from a place between two segments on: the byte
 * behind its 0xff. Undefined at the end of the picture, or of the file. What stands between segments is
 * passed over, as decoders do. (No generator: a hostile file has millions of them.)
 */
function nextMarker(bytes: Uint8Array, from: number): number | undefined {
  for (let at = from; at < bytes.length; ) {
    while (at < bytes.length && bytes[at] !== 0xff) at++
    // Any number of them may stand before a marker.
    while (bytes[at] === 0xff) at++
    const marker = bytes[at] ?? 0xd9
    if (marker === 0xd9) return undefined
    // A byte within pixels, and what has no length: TEM, the marks for starting anew, a beginning.
    if (marker > 0x01 && (marker < 0xd0 || marker > 0xd8)) return at
    at++
  }
  return undefined
}

const word = (bytes: Uint8Array, at: number): number => ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)

/** Behind the segment of a marker, whose length stands first in it. */
const behind = (bytes: Uint8Array, marker: number): number =>
  marker + 1 + Math.max(2, word(bytes, marker + 1))

/**
 * Width and height in pixels; undefined when no header says them, or one of a kind that browsers do not show
 * either.
 */
export function jpegSize(bytes: Uint8Array): { readonly width: number; readonly height: number } | undefined {
  for (let at = nextMarker(bytes, 2); at !== undefined; at = nextMarker(bytes, behind(bytes, at))) {
    const marker = bytes[at] as number
    // Baseline, extended and progressive; without loss and arithmetic coding are others.
    if (marker >= 0xc0 && marker <= 0xc2) return { width: word(bytes, at + 6), height: word(bytes, at + 4) }
  }
  return undefined
}

/** How often a decoder goes over the picture: sixteen bytes are enough to have it done once more. */
export function jpegScans(bytes: Uint8Array): number {
  let count = 0
  for (let at = nextMarker(bytes, 2); at !== undefined; at = nextMarker(bytes, behind(bytes, at)))
    if (bytes[at] === 0xda) count++
  return count
}
