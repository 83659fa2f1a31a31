/**
 * Decodes PNG files within limits: a file that unpacks to more than its header declares, or to more than
 * `maxUnpackedBytes`, is not unpacked.
 */
import type { DecodedPng } from 'fast-png'
import { joinBytes } from '../../engine/bytes.ts'
import { createRaster, type Raster } from '../image/raster.ts'
import { loadOnce } from '../load-once.ts'
import { type PngChunk, readChunks } from './png-chunks.ts'
import { stored, uint32 } from './png-writer.ts'
import { unpackedSize } from './unpacked-size.ts'

const loadDecoder = loadOnce(() => import('fast-png'))

/** 8192 x 4096 pixels of four bytes each: enough for photos of 24 megapixels. */
export const maxUnpackedBytes = 8192 * 4096 * 4

/** An unpacked PNG. */
interface OpenPng {
  readonly image: DecodedPng
  /** The transparent colour of an image without an alpha channel or palette: one value per channel. */
  readonly transparentColour?: readonly number[]
}

/**
 * The content of a PNG, `too large` if it exceeds `maxUnpackedBytes`, or the fault of the file. Throws the
 * errors of the library for broken parts.
 */
export async function openPng(
  bytes: Uint8Array,
): Promise<OpenPng | 'too large' | { readonly damage: string }> {
  const chunks = readChunks(bytes) ?? []
  const [header] = chunks
  if (header?.name !== 'IHDR' || header.end - header.start !== 25)
    return { damage: 'it does not start with a header' }
  const expected = unpackedBytes(bytes)
  if (expected === undefined) return { damage: 'its header is invalid' }
  if (expected > maxUnpackedBytes + 4096) return 'too large'
  const data = chunks.filter(({ name }) => name === 'IDAT')
  const packed = joinBytes(data.map(({ start, end }) => bytes.subarray(start + 8, end - 4)))
  const unpacked = await unpackedSize(packed, expected)
  if (unpacked === undefined) return { damage: 'its pixels cannot be decompressed' }
  if (unpacked.size !== expected)
    return {
      damage: unpacked.size > expected ? 'it has too many pixels' : 'it has too few pixels',
    }

  const { decode } = await loadDecoder()
  // Only chunks that affect the pixels, because profiles and texts may unpack to any size. The library
  // considers a transparent colour broken if the image has fewer than three pixels, so it gets only the
  // transparency of palettes.
  const hasPalette = bytes[25] === 3
  const kept = chunks.filter(
    ({ name }, at) =>
      at === 0 || name === 'PLTE' || (name === 'tRNS' && hasPalette) || name === 'IDAT' || name === 'IEND',
  )
  const isSound = unpacked.bytes !== undefined && haveChecksums(bytes, kept)
  const pixels = isSound ? storedPixels(unpacked.bytes, packed.subarray(-4)) : undefined
  const parts = kept.flatMap((chunk) =>
    pixels === undefined || chunk.name !== 'IDAT'
      ? [bytes.subarray(chunk.start, chunk.end)]
      : chunk === data[0]
        ? [pixels]
        : [],
  )
  const image = decode(joinBytes([bytes.subarray(0, 8), ...parts]), { checkCrc: pixels === undefined })
  const declared =
    hasPalette || image.channels === 4 || image.channels === 2
      ? undefined
      : chunks.find(({ name }) => name === 'tRNS')
  return declared === undefined
    ? { image }
    : { image, transparentColour: wordsOf(bytes.subarray(declared.start + 8, declared.end - 4)) }
}

/** Whether every chunk has a correct checksum; false if Node's checksum function is not available. */
function haveChecksums(bytes: Uint8Array, chunks: readonly PngChunk[]): boolean {
  const crc32 = globalThis.process?.getBuiltinModule?.('node:zlib')?.crc32
  if (crc32 === undefined) return false
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return chunks.every(
    ({ start, end }) => crc32(bytes.subarray(start + 4, end - 4)) === view.getUint32(end - 4),
  )
}

/**
 * Pixels that are already unpacked, as one chunk. To unpack them again, the library would allocate 160 KB
 * even for a tiny file, which is most of its cost. The chunk has no checksum.
 */
function storedPixels(pixels: Uint8Array, adler32: Uint8Array): Uint8Array {
  const data = stored(pixels, adler32)
  return joinBytes([uint32(data.length), new TextEncoder().encode('IDAT'), data, uint32(0)])
}

/** The number of bytes of the unpacked pixels according to the header; undefined for an impossible header. */
function unpackedBytes(bytes: Uint8Array): number | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const [width, height, depth, colourType, interlaced] = [
    view.getUint32(16),
    view.getUint32(20),
    view.getUint8(24),
    view.getUint8(25),
    view.getUint8(28),
  ]
  const channels = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }[colourType]
  if (channels === undefined || ![1, 2, 4, 8, 16].includes(depth)) return undefined
  const rows = (w: number, h: number): number =>
    w === 0 || h === 0 ? 0 : h * (1 + Math.ceil((w * channels * depth) / 8))
  if (interlaced === 0) return rows(width, height)
  // The seven passes of Adam7: start and step of each.
  const passes = [
    [0, 8, 0, 8],
    [4, 8, 0, 8],
    [0, 4, 4, 8],
    [2, 4, 0, 4],
    [0, 2, 2, 4],
    [1, 2, 0, 2],
    [0, 1, 1, 2],
  ] as const
  return passes.reduce(
    (sum, [x, stepX, y, stepY]) =>
      sum + rows(Math.max(0, Math.ceil((width - x) / stepX)), Math.max(0, Math.ceil((height - y) / stepY))),
    0,
  )
}

/** Two-byte numbers. */
function wordsOf(bytes: Uint8Array): number[] {
  return Array.from(
    { length: bytes.length >> 1 },
    (_, at) => ((bytes[at * 2] as number) << 8) | (bytes[at * 2 + 1] as number),
  )
}

/** Every pixel that is at least partly transparent in the file is so in the raster. */
export function pngRaster({ image, transparentColour }: OpenPng): Raster {
  return image.palette === undefined
    ? plainRaster(image, transparentColour)
    : paletteRaster(image, image.palette)
}

function paletteRaster(image: DecodedPng, palette: NonNullable<DecodedPng['palette']>): Raster {
  const { width, height } = image
  const raster = createRaster(width, height)
  const valueAt = valueReader(image)
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++, at += 4) {
      // An index beyond the palette is black, as in other decoders.
      const [red, green, blue, alpha = 255] = palette[valueAt(x, y)] ?? [0, 0, 0]
      raster.rgba.set([red, green, blue, alpha] as number[], at)
    }
  }
  return raster
}

function plainRaster(image: DecodedPng, transparentColour: OpenPng['transparentColour']): Raster {
  const { width, height, channels, depth, data } = image
  const raster = createRaster(width, height)
  const { rgba } = raster
  const valueAt =
    channels === 1
      ? valueReader(image)
      : (x: number, y: number): number => data[(y * width + x) * channels] as number
  const max = 2 ** depth - 1
  const byteOf = (value: number): number => (depth === 8 ? value : Math.floor((value * 255) / max + 0.5))
  const alphaOf = (value: number): number => (depth === 8 ? value : Math.floor((value * 255) / max))
  const [redKey, greenKey, blueKey] = transparentColour ?? []
  const inColour = channels > 2
  const hasAlpha = channels === 2 || channels === 4
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++, at += 4) {
      const red = valueAt(x, y)
      const from = (y * width + x) * channels
      const [green, blue] = inColour ? [data[from + 1] as number, data[from + 2] as number] : [red, red]
      const isClear = red === redKey && (!inColour || (green === greenKey && blue === blueKey))
      rgba[at] = byteOf(red)
      rgba[at + 1] = byteOf(green)
      rgba[at + 2] = byteOf(blue)
      rgba[at + 3] = hasAlpha ? alphaOf(data[from + channels - 1] as number) : isClear ? 0 : 255
    }
  }
  return raster
}

/** Reads the values of an image with one channel: grey values or palette indices. */
function valueReader({ data, depth, width }: DecodedPng): (x: number, y: number) => number {
  // Values smaller than a byte are packed. Each row begins with a new byte.
  const perByte = depth < 8 ? 8 / depth : 1
  const rowLength = Math.ceil(width / perByte)
  const mask = depth < 8 ? 2 ** depth - 1 : Number.MAX_SAFE_INTEGER
  return (x, y) => {
    const value = data[y * rowLength + Math.floor(x / perByte)] as number
    return perByte === 1 ? value : (value >> (8 - depth - (x % perByte) * depth)) & mask
  }
}
