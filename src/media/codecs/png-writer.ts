/** Writes PNG files: compressed from pixels, or uncompressed in one colour. */
import { joinBytes } from '../../engine/bytes.ts'
import type { Raster } from '../image/raster.ts'

/**
 * The file of an opaque image, or of a transparent image if it has four channels. The keys of `text` are PNG
 * keywords.
 */
export async function encodePng(
  { width, height, rgba }: Raster,
  channels: 3 | 4,
  text: Readonly<Record<string, string>>,
): Promise<Uint8Array> {
  const { zlibSync } = await import('fflate')
  // Each row begins with its filter type, 0.
  const rows = new Uint8Array((width * channels + 1) * height)
  for (let y = 0, from = 0, to = 0; y < height; y++) {
    to++
    for (let x = 0; x < width; x++, from += 4) {
      rows[to++] = rgba[from] as number
      rows[to++] = rgba[from + 1] as number
      rows[to++] = rgba[from + 2] as number
      if (channels === 4) rows[to++] = rgba[from + 3] as number
    }
  }
  return pngFile(
    width,
    height,
    [8, channels === 3 ? 2 : 6],
    [
      ['IDAT', zlibSync(rows, { level: 4 })],
      ...Object.entries(text).map(
        ([keyword, value]) => ['tEXt', new TextEncoder().encode(`${keyword}\0${value}`)] as const,
      ),
    ],
  )
}

interface FlatImage {
  /** Pixels. */
  readonly width: number
  readonly height: number
  /** Whether the middle is transparent. */
  readonly transparent: boolean
  /** Red, green and blue, 0 to 255. */
  readonly colour: readonly [number, number, number]
}

/**
 * The file of an image in one colour, with a transparent middle if requested. It is not compressed (one bit
 * per pixel): scenarios need it while a simulator is created, which is synchronous, and a compression library
 * would take longer to load than everything else.
 */
export function flatPng({ width, height, transparent, colour }: FlatImage): Uint8Array {
  return pngFile(
    width,
    height,
    [1, 3],
    [
      ['PLTE', Uint8Array.of(...colour, ...colour)],
      ...(transparent ? [['tRNS', Uint8Array.of(255, 0)] as const] : []),
      ['IDAT', stored(flatRows(width, height, transparent))],
    ],
  )
}

/** The margin around the transparent middle, as a share of each side. */
const frame = 0.25

// A set bit is a transparent pixel.
function flatRows(width: number, height: number, transparent: boolean): Uint8Array {
  const length = 1 + Math.ceil(width / 8)
  const data = new Uint8Array(length * height)
  if (!transparent) return data
  const row = new Uint8Array(length)
  for (let x = Math.floor(width * frame); x < Math.max(1, Math.ceil(width * (1 - frame))); x++)
    row[1 + (x >> 3)] = (row[1 + (x >> 3)] as number) | (0x80 >> (x & 7))
  for (let y = Math.floor(height * frame); y < Math.max(1, Math.ceil(height * (1 - frame))); y++)
    data.set(row, y * length)
  return data
}

/** The maximum number of bytes in one stored block of deflate (RFC 1951, 3.2.4). */
const maxBlock = 65_535

/** Bytes in the zlib format without compression. `checksum` is their Adler-32, if known. */
export function stored(data: Uint8Array, checksum = uint32(adler32(data))): Uint8Array {
  const parts: Uint8Array[] = [Uint8Array.of(0x78, 0x01)]
  for (let at = 0; at < data.length; at += maxBlock) {
    const block = data.subarray(at, at + maxBlock)
    const { length } = block
    const last = at + length === data.length ? 1 : 0
    parts.push(Uint8Array.of(last, length & 255, length >> 8, ~length & 255, (~length >> 8) & 255), block)
  }
  return joinBytes([...parts, checksum])
}

type Chunk = readonly [name: string, data: Uint8Array]

function pngFile(
  width: number,
  height: number,
  format: readonly [depth: number, colourType: number],
  chunks: readonly Chunk[],
): Uint8Array {
  const header = joinBytes([uint32(width), uint32(height), Uint8Array.of(...format, 0, 0, 0)])
  return joinBytes([
    Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a),
    ...[['IHDR', header] as const, ...chunks, ['IEND', new Uint8Array(0)] as const].flatMap(chunkBytes),
  ])
}

function chunkBytes([name, data]: Chunk): Uint8Array[] {
  const named = joinBytes([new TextEncoder().encode(name), data])
  return [uint32(data.length), named, uint32(crc32(named))]
}

export function uint32(value: number): Uint8Array {
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setUint32(0, value)
  return bytes
}

function crc32(bytes: Uint8Array): number {
  const table = Uint32Array.from({ length: 256 }, (_, n) => {
    let value = n
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
    return value
  })
  let crc = 0xffffffff
  for (const byte of bytes) crc = (crc >>> 8) ^ (table[(crc ^ byte) & 255] as number)
  return (crc ^ 0xffffffff) >>> 0
}

function adler32(bytes: Uint8Array): number {
  let a = 1
  let b = 0
  for (const byte of bytes) {
    a = (a + byte) % 65_521
    b = (b + a) % 65_521
  }
  return ((b << 16) | a) >>> 0
}
