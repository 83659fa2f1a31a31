/** The chunks a PNG is made of. Knows nothing of what they hold. */

/** One chunk of a PNG: its name, and where it begins (its length first) and ends in the file. */
export interface PngChunk {
  readonly name: string
  readonly start: number
  readonly end: number
}

/** The chunks of a PNG up to its end, or undefined when one of them goes beyond the end of the file. */
export function pngChunks(bytes: Uint8Array): PngChunk[] | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const chunks: PngChunk[] = []
  for (let start = 8; start + 12 <= bytes.length; ) {
    const end = start + 12 + view.getUint32(start)
    if (end > bytes.length) return undefined
    const name = String.fromCharCode(view.getUint8(start + 4), view.getUint8(start + 5), view.getUint8(start + 6), view.getUint8(start + 7))
    chunks.push({ name, start, end })
    if (name === 'IEND') return chunks
    start = end
  }
  return undefined
}
