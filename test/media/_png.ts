/** PNG files of any header, right or wrong. */

/** A PNG from its header and pixels, whatever they say. */
export function pngOf(
  header: { width: number; height: number; depth?: number; colourType: number; interlaced?: number },
  packed: Uint8Array,
  more: readonly (readonly [string, Uint8Array])[] = [],
): Uint8Array {
  const ihdr = new DataView(new ArrayBuffer(13))
  ihdr.setUint32(0, header.width)
  ihdr.setUint32(4, header.height)
  for (const [at, value] of [header.depth ?? 8, header.colourType, 0, 0, header.interlaced ?? 0].entries())
    ihdr.setUint8(8 + at, value)
  const chunks = [
    ['IHDR', new Uint8Array(ihdr.buffer)] as const,
    ...more,
    ['IDAT', packed] as const,
    ['IEND', new Uint8Array(0)] as const,
  ]
  return Buffer.concat([
    Uint8Array.from([137, 80, 78, 71, 13, 10, 26, 10]),
    ...chunks.map(([name, data]) => chunk(name, data)),
  ])
}

export function chunk(name: string, data: Uint8Array): Uint8Array {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), data])
  const bytes = Buffer.alloc(named.length + 8)
  bytes.writeUInt32BE(data.length)
  named.copy(bytes, 4)
  bytes.writeUInt32BE(crc32(named), named.length + 4)
  return bytes
}

export function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  }
  return (crc ^ 0xffffffff) >>> 0
}
