/** The chunks of a PNG. */

/** One chunk of a PNG: its name, and its start (the length comes first) and end in the file. */
export interface PngChunk {
  readonly name: string
  readonly start: number
  readonly end: number
}

/** The chunks of a PNG up to its end, or undefined if a chunk extends beyond the end of the file. */
export function readChunks(bytes: Uint8Array): PngChunk[] | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const chunks: PngChunk[] = []
  for (let start = 8; start + 12 <= bytes.length; ) {
    const end = start + 12 + view.getUint32(start)
    if (end > bytes.length) return undefined
    const name = String.fromCharCode(...bytes.subarray(start + 4, start + 8))
    chunks.push({ name, start, end })
    if (name === 'IEND') return chunks
    start = end
  }
  return undefined
}

const end = 0x49454e44
const transparency = 0x74524e53

/**
 * Whether a PNG has all of its chunks, and whether a chunk declares transparent colours. Stores no chunks: a
 * hostile file has millions, and this must cost less than hashing the file.
 */
export function scanPng(bytes: Uint8Array): {
  readonly isWhole: boolean
  readonly declaresTransparency: boolean
} {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let declaresTransparency = false
  for (let start = 8; start + 12 <= bytes.length; ) {
    const name = view.getUint32(start + 4)
    start += 12 + view.getUint32(start)
    if (start > bytes.length) break
    if (name === transparency) declaresTransparency = true
    if (name === end) return { isWhole: true, declaresTransparency }
  }
  return { isWhole: false, declaresTransparency: false }
}
