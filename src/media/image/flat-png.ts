/**
 * PNG files of one colour, with a transparent middle if asked for. Written here and uncompressed (one bit per
 * pixel): scenarios need them while a simulator is created, which is synchronous, and a library that
 * compresses takes longer to load than all the rest. Rendered images: render-image.ts.
 */
import { joinBytes } from '../../engine/bytes.ts'

interface FlatImage {
  /** Pixels. */
  readonly width: number
  readonly height: number
  /** Whether its middle is transparent. */
  readonly transparent: boolean
  /** Red, green and blue, 0..255. */
  readonly colour: readonly [number, number, number]
}

/** How much of each side the transparent middle leaves at either end. */
const frame = 0.25
/** The most bytes that one stored block of deflate holds (RFC 1951, 3.2.4). */
const maxBlock = 65_535

/** The file. */
export function flatPng({ width, height, transparent, colour }: FlatImage): Uint8Array {
  const header = new Uint8Array(13)
  const view = new DataView(header.buffer)
  view.setUint32(0, width)
  view.setUint32(4, height)
  // One bit per pixel, a palette, and nothing out of the ordinary.
  header.set([1, 3, 0, 0, 0], 8)
  const signature = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)
  const clear = transparent ? [chunk('tRNS', Uint8Array.of(255, 0))] : []
  return joinBytes([
    signature,
    chunk('IHDR', header),
    chunk('PLTE', Uint8Array.of(...colour, ...colour)),
    ...clear,
    chunk('IDAT', stored(rows(width, height, transparent))),
    chunk('IEND', new Uint8Array(0)),
  ])
}

// Each row begins with the number of its filter, none. A bit that is set is a transparent pixel.
function rows(width: number, height: number, transparent: boolean): Uint8Array {
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

/** The zlib form of bytes as they are. */
function stored(data: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = [Uint8Array.of(0x78, 0x01)]
  for (let at = 0; at < data.length; at += maxBlock) {
    const block = data.subarray(at, at + maxBlock)
    const { length } = block
    parts.push(
      Uint8Array.of(
        at + length === data.length ? 1 : 0,
        length & 255,
        length >> 8,
        ~length & 255,
        (~length >> 8) & 255,
      ),
      block,
    )
  }
  const sum = new Uint8Array(4)
  new DataView(sum.buffer).setUint32(0, adler32(data))
  return joinBytes([...parts, sum])
}

function chunk(name: string, data: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(data.length + 12)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, data.length)
  for (let i = 0; i < 4; i++) bytes[4 + i] = name.charCodeAt(i)
  bytes.set(data, 8)
  view.setUint32(8 + data.length, crc32(bytes.subarray(4, 8 + data.length)))
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
