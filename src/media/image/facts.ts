/** What the bytes of an image file say: format, size, whether it is whole, transparency. */
import { GIF } from 'image-size/types/gif'
import { PNG } from 'image-size/types/png'
import { WEBP } from 'image-size/types/webp'
import type { ImageFacts } from '../../protocol/call.ts'
import { readJpegSize } from '../codecs/jpeg-segments.ts'
import { scanPng } from '../codecs/png-chunks.ts'

interface Format {
  validate(bytes: Uint8Array): boolean
  /** Undefined, or throws, when no header says it. */
  calculate(bytes: Uint8Array): { readonly width: number; readonly height: number } | undefined
}

// One format of the library at a time: as a whole it takes longer to load than a simulator. Its JPEG reader
// takes a second for eight megabytes of nothing.
const formats: Readonly<Record<ImageFacts['format'], Format>> = {
  png: PNG,
  jpeg: { validate: (bytes) => bytes[0] === 0xff && bytes[1] === 0xd8, calculate: readJpegSize },
  webp: WEBP,
  gif: GIF,
}

/** The facts that need no decoding, or undefined when the bytes are no image of a known format. */
export function readImageFacts(bytes: Uint8Array): ImageFacts | undefined {
  try {
    const format = (Object.keys(formats) as ImageFacts['format'][]).find((name) =>
      formats[name].validate(bytes),
    )
    if (format === undefined) return undefined
    const { width = 0, height = 0 } = formats[format].calculate(bytes) ?? {}
    if (!(width > 0) || !(height > 0)) return undefined
    const { isWhole, hasTransparency } = scans[format](bytes)
    const damage = !canHold(format, width, height, bytes)
      ? `${bytes.length} bytes cannot hold ${width}x${height} pixels`
      : isWhole
        ? undefined
        : 'the file ends too early'
    return { format, width, height, hasTransparency, ...(damage === undefined ? {} : { damage }) }
  } catch {
    // The library throws for bytes it does not know or that end too early.
    return undefined
  }
}

/**
 * Whether a file of this length can have so many pixels. In WebP and GIF a few bytes can say that all pixels
 * are the same.
 */
function canHold(format: ImageFacts['format'], width: number, height: number, bytes: Uint8Array): boolean {
  switch (format) {
    case 'png': {
      // Deflate makes at most 1,032 bytes of one; the standard ends sides at 2^31 - 1.
      const samples = [1, 0, 3, 1, 2, 0, 4][bytes[25] ?? 0] ?? 1
      const rowBits = width * samples * (bytes[24] ?? 8)
      return Math.max(width, height) < 2 ** 31 && height * (rowBits / 8) <= bytes.length * 1032
    }
    case 'jpeg':
      // At least one bit for each unit, which has at most 32 by 32 pixels. Tests send headers alone.
      return width * height <= Math.max(4096 * 4096, bytes.length * 8 * 32 * 32)
    case 'webp':
      return width * height < 2 ** 32
    case 'gif':
      return true
  }
}

/** The facts with what the pixels say: decodes the image, within bounds. */
export async function inspectPixels(facts: ImageFacts, bytes: Uint8Array): Promise<ImageFacts> {
  if (facts.damage !== undefined) return facts
  const { readPixels } = await import('./pixels.ts')
  const found = await readPixels(facts, bytes)
  return typeof found === 'string' ? { ...facts, pixels: found } : { ...facts, damage: found.damage }
}

/**
 * Whether the file is complete, as far as its format tells, and whether it has an alpha channel or a
 * transparent colour at all.
 */
const scans: Readonly<
  Record<
    ImageFacts['format'],
    (bytes: Uint8Array) => { readonly isWhole: boolean; readonly hasTransparency: boolean }
  >
> = {
  png(bytes) {
    const { isWhole, declaresTransparency } = scanPng(bytes)
    const colourType = bytes[25] ?? 0
    return { isWhole, hasTransparency: colourType === 4 || colourType === 6 || declaresTransparency }
  },
  jpeg: (bytes) => ({ isWhole: hasEndMarker(bytes), hasTransparency: false }),
  webp(bytes) {
    const chunk = String.fromCharCode(...bytes.subarray(12, 16))
    const size =
      (bytes[4] as number) +
      (bytes[5] as number) * 2 ** 8 +
      (bytes[6] as number) * 2 ** 16 +
      (bytes[7] as number) * 2 ** 24
    return {
      isWhole: bytes.length >= 8 + size,
      hasTransparency: chunk === 'VP8X' ? ((bytes[20] ?? 0) & 0x10) !== 0 : chunk === 'VP8L',
    }
  },
  gif: () => ({ isWhole: true, hasTransparency: true }),
}

// Whether a JPEG has an end marker anywhere: programs append things behind it. (`lastIndexOf` would be called
// for each of a hostile file's millions of 0xd9.)
function hasEndMarker(bytes: Uint8Array): boolean {
  for (let at = bytes.length - 1; at > 0; at--) if (bytes[at] === 0xd9 && bytes[at - 1] === 0xff) return true
  return false
}
