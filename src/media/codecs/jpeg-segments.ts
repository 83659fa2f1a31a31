/** The segments of a JPEG (ITU T.81, annex B). Each byte is read once, whatever the file contains. */

/**
 * The position of the next marker with a segment (the byte after its 0xff), from a position between two
 * segments. Undefined at the end of the image or file. Bytes between segments are skipped, as in decoders.
 * Not a generator, because a hostile file has millions of markers.
 */
function nextMarker(bytes: Uint8Array, from: number): number | undefined {
  for (let at = from; at < bytes.length; ) {
    while (at < bytes.length && bytes[at] !== 0xff) at++
    // Any number of 0xff bytes may precede a marker.
    while (bytes[at] === 0xff) at++
    const marker = bytes[at] ?? 0xd9
    if (marker === 0xd9) return undefined
    // Skips bytes within pixels and markers without a length: TEM, restarts, the start of the image.
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
 * Width and height in pixels; undefined if no header contains them, or only a header of a kind that browsers
 * do not support.
 */
export function readJpegSize(
  bytes: Uint8Array,
): { readonly width: number; readonly height: number } | undefined {
  for (let at = nextMarker(bytes, 2); at !== undefined; at = nextMarker(bytes, segmentEnd(bytes, at))) {
    const marker = bytes[at] as number
    // Baseline, extended and progressive, but neither lossless nor arithmetic coding.
    if (marker >= 0xc0 && marker <= 0xc2) return { width: word(bytes, at + 6), height: word(bytes, at + 4) }
  }
  return undefined
}
