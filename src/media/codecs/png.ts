/**
 * PNG files, read and written by fast-png. A file that unpacks to more than its header declares, or to more
 * than `maxUnpackedBytes`, is not unpacked.
 */
import { convertIndexedToRgb, type DecodedPng, decode, encode } from 'fast-png'
import { joinBytes } from '../../engine/bytes.ts'
import type { Raster } from '../image/raster.ts'

/** 8192 x 4096 pixels of four bytes each: enough for photos of 24 megapixels. */
export const maxUnpackedBytes = 8192 * 4096 * 4

/**
 * The file of an opaque image, or of a transparent image if it has four channels. The keys of `text` are PNG
 * keywords.
 */
export function encodePng(
  { width, height, rgba }: Raster,
  channels: 3 | 4,
  text: Readonly<Record<string, string>>,
): Uint8Array {
  const data = channels === 4 ? rgba : withoutAlpha(rgba)
  return encode({ width, height, channels, data, text }, { zlib: { level: 4 } })
}

function withoutAlpha(rgba: Uint8Array): Uint8Array {
  const rgb = new Uint8Array((rgba.length / 4) * 3)
  for (let from = 0, to = 0; from < rgba.length; from += 4) {
    rgb[to++] = rgba[from] as number
    rgb[to++] = rgba[from + 1] as number
    rgb[to++] = rgba[from + 2] as number
  }
  return rgb
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

/** The share of each side that is opaque at both ends of a transparent image. */
const frame = 0.25

/** The file of an image in one colour, with a transparent middle if requested: one bit per pixel. */
export function flatPng({ width, height, transparent, colour }: FlatImage): Uint8Array {
  const rowLength = Math.ceil(width / 8)
  const data = new Uint8Array(rowLength * height)
  // The library writes the transparency of as many colours as are not opaque, from the first one.
  const palette = transparent
    ? [
        [...colour, 0],
        [...colour, 255],
      ]
    : [[...colour]]
  if (transparent) {
    data.fill(255)
    for (let y = Math.floor(height * frame); y < Math.max(1, Math.ceil(height * (1 - frame))); y++)
      for (let x = Math.floor(width * frame); x < Math.max(1, Math.ceil(width * (1 - frame))); x++)
        data[y * rowLength + (x >> 3)] = (data[y * rowLength + (x >> 3)] as number) & ~(0x80 >> (x & 7))
  }
  return encode({ width, height, depth: 1, channels: 1, data, palette })
}

interface PngScan {
  readonly hasPixels: boolean
  /** Whether the file contains its last chunk. */
  readonly hasEnd: boolean
  /** Whether a chunk declares transparent colours. */
  readonly declaresTransparency: boolean
}

/** Stores no chunks: a hostile file has millions, and this must cost less than hashing the file. */
export function scanPng(bytes: Uint8Array): PngScan {
  let declaresTransparency = false
  let hasPixels = false
  let hasEnd = false
  readChunks(bytes, (name) => {
    if (name === chunkNames.tRNS) declaresTransparency = true
    if (name === chunkNames.IDAT) hasPixels = true
    if (name === chunkNames.IEND) hasEnd = true
  })
  return { hasPixels, hasEnd, declaresTransparency: hasEnd && declaresTransparency }
}

/** The names of the chunks that affect the pixels, as big-endian numbers. */
const chunkNames = {
  IHDR: 0x49484452,
  PLTE: 0x504c5445,
  tRNS: 0x74524e53,
  IDAT: 0x49444154,
  IEND: 0x49454e44,
} as const
const kept: ReadonlySet<number> = new Set(Object.values(chunkNames))

/** Calls `see` for each chunk up to the last one, with its place from its length to its checksum. */
function readChunks(bytes: Uint8Array, see: (name: number, start: number, end: number) => void): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let start = 8, end = 8; start + 12 <= bytes.length; start = end) {
    const name = view.getUint32(start + 4)
    end = start + 12 + view.getUint32(start)
    if (end > bytes.length) return
    see(name, start, end)
    if (name === chunkNames.IEND) return
  }
}

type Transparency = 'transparent' | 'opaque'

/**
 * Whether a PNG has a pixel that is not fully opaque, `too large` if it unpacks to more than
 * `maxUnpackedBytes`, or the fault of the file. Throws the errors of the library for broken parts.
 */
export async function inspectPng(
  bytes: Uint8Array,
): Promise<Transparency | 'too large' | { readonly damage: string }> {
  const parts: Uint8Array[] = [bytes.subarray(0, 8)]
  const packed: Uint8Array[] = []
  // Only chunks that affect the pixels, because profiles may unpack to any size.
  readChunks(bytes, (name, start, end) => {
    if (kept.has(name)) parts.push(bytes.subarray(start, end))
    if (name === chunkNames.IDAT) packed.push(bytes.subarray(start + 8, end - 4))
  })
  const size = declaredSize(bytes)
  if (size === undefined) return { damage: 'its header is invalid' }
  // The filters of the rows do not count.
  if (size.least > maxUnpackedBytes + 4096) return 'too large'
  const unpacked = await unpackedSize(joinBytes(packed), size.most)
  if (unpacked === undefined) return { damage: 'its pixels cannot be decompressed' }
  if (unpacked > size.most) return { damage: 'it has too many pixels' }
  if (unpacked < size.least) return { damage: 'it has too few pixels' }
  return hasClearPixel(decode(joinBytes(parts), { checkCrc: true })) ? 'transparent' : 'opaque'
}

/** The least and the most bytes that the pixels may unpack to; undefined for an impossible header. */
function declaredSize(bytes: Uint8Array): { readonly least: number; readonly most: number } | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const [width, height] = [view.getUint32(16), view.getUint32(20)]
  const [depth, colourType, interlaced] = [view.getUint8(24), view.getUint8(25), view.getUint8(28)]
  const channels = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }[colourType]
  if (view.getUint32(12) !== chunkNames.IHDR || view.getUint32(8) !== 13) return undefined
  if (channels === undefined || ![1, 2, 4, 8, 16].includes(depth)) return undefined
  // Each row begins with its filter.
  const exact = height * (1 + Math.ceil((width * channels * depth) / 8))
  // The seven passes of an interlaced image have nearly twice as many rows, most of them short.
  return interlaced === 0
    ? { least: exact, most: exact }
    : { least: (width * height * channels * depth) / 8, most: 2 * exact + 64 }
}

/** The unpacked size, or soon after `limit` a size beyond it; undefined for invalid data. */
async function unpackedSize(packed: Uint8Array, limit: number): Promise<number | undefined> {
  // As one part: a Blob takes ten seconds for a million parts.
  const reader = new Blob([packed as Uint8Array<ArrayBuffer>])
    .stream()
    .pipeThrough(new DecompressionStream('deflate'))
    .getReader() as ReadableStreamDefaultReader<Uint8Array>
  let size = 0
  while (size <= limit) {
    const part = await reader.read().catch(() => undefined)
    if (part === undefined) return undefined
    if (part.done) return size
    size += part.value.length
  }
  await reader.cancel()
  return size
}

function hasClearPixel(image: DecodedPng): boolean {
  const { channels, depth, data, palette, transparency } = image
  const most = 2 ** depth - 1
  if (palette !== undefined) return hasClearColour(image, palette)
  if (channels === 2 || channels === 4) {
    for (let at = channels - 1; at < data.length; at += channels) if (data[at] !== most) return true
    return false
  }
  if (transparency === undefined) return false
  if (depth < 8) {
    const greys = Array.from({ length: most + 1 }, (_, grey) => [0, 0, 0, grey === transparency[0] ? 0 : 255])
    return hasClearColour(image, greys)
  }
  for (let at = 0; at < data.length; at += channels)
    if (transparency.every((value, channel) => data[at + channel] === value)) return true
  return false
}

/** Whether a pixel of an image has a colour of the palette that is not opaque. */
function hasClearColour(image: DecodedPng, palette: readonly (readonly number[])[]): boolean {
  if (palette[0]?.length !== 4) return false
  // An index beyond the palette is black, as in other decoders.
  const whole = Array.from({ length: 2 ** image.depth }, (_, index) => palette[index] ?? [0, 0, 0, 255])
  const rgba = convertIndexedToRgb({ ...image, palette: whole as typeof image.palette & object })
  for (let at = 3; at < rgba.length; at += 4) if (rgba[at] !== 255) return true
  return false
}
