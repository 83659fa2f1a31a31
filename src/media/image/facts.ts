/** Facts from the bytes of an image file: format, size, completeness, transparency. */
import { GIF } from 'image-size/types/gif'
import { PNG } from 'image-size/types/png'
import { WEBP } from 'image-size/types/webp'
import { defined } from '../../engine/fields.ts'
import type { ImageFacts } from '../../protocol/call.ts'
import { readJpegSize } from '../codecs/jpeg-segments.ts'
import { scanPng } from '../codecs/png.ts'

/** The readers of a format. The sides may be as large as the header allows. */
interface Format {
  validate(bytes: Uint8Array): boolean
  /** Undefined, or throws, if no header contains the size. */
  calculate(bytes: Uint8Array): { readonly width: number; readonly height: number } | undefined
  /** Whether a file of this length can have this number of pixels. */
  canHold(width: number, height: number, bytes: Uint8Array): boolean
  /**
   * What the file lacks, as far as the format shows, and whether it has an alpha channel or a transparent
   * colour.
   */
  scan(bytes: Uint8Array): { readonly damage: string | undefined; readonly hasTransparency: boolean }
}

// Imports one format of the library at a time: the whole library takes longer to load than a simulator. Its
// JPEG reader takes a second for eight megabytes of zeros.
const formats: Readonly<Record<ImageFacts['format'], Format>> = {
  png: {
    validate: (bytes) => PNG.validate(bytes),
    calculate: (bytes) => PNG.calculate(bytes),
    canHold(width, height, bytes) {
      // Deflate expands a byte to at most 1,032 bytes; the standard limits sides to 2^31 - 1.
      const samples = [1, 0, 3, 1, 2, 0, 4][bytes[25] ?? 0] ?? 1
      const rowBits = width * samples * (bytes[24] ?? 8)
      return Math.max(width, height) < 2 ** 31 && height * (rowBits / 8) <= bytes.length * 1032
    },
    scan(bytes) {
      const { hasPixels, hasEnd, declaresTransparency } = scanPng(bytes)
      return {
        damage: hasEnd && !hasPixels ? 'it has no pixels' : damageUnless(hasEnd),
        hasTransparency: bytes[25] === 4 || bytes[25] === 6 || declaresTransparency,
      }
    },
  },
  jpeg: {
    validate: (bytes) => bytes[0] === 0xff && bytes[1] === 0xd8,
    calculate: readJpegSize,
    // At least one bit for each unit, which has at most 32 by 32 pixels. Tests send headers without pixels.
    canHold: (width, height, { length }) => width * height <= Math.max(4096 * 4096, length * 8 * 32 * 32),
    scan: (bytes) => ({ damage: damageUnless(hasEndMarker(bytes)), hasTransparency: false }),
  },
  // In WebP and GIF, a few bytes can declare that all pixels are the same.
  webp: {
    validate: (bytes) => WEBP.validate(bytes),
    calculate: (bytes) => WEBP.calculate(bytes),
    canHold: (width, height) => width * height < 2 ** 32,
    scan(bytes) {
      const chunk = String.fromCharCode(...bytes.subarray(12, 16))
      const size = new DataView(bytes.buffer, bytes.byteOffset).getUint32(4, true)
      return {
        damage: damageUnless(bytes.length >= 8 + size),
        hasTransparency: chunk === 'VP8X' ? ((bytes[20] ?? 0) & 0x10) !== 0 : chunk === 'VP8L',
      }
    },
  },
  gif: {
    validate: (bytes) => GIF.validate(bytes),
    calculate: (bytes) => GIF.calculate(bytes),
    canHold: () => true,
    scan: () => ({ damage: undefined, hasTransparency: true }),
  },
}

const damageUnless = (isWhole: boolean): string | undefined => (isWhole ? undefined : 'the file is truncated')

/** The facts that need no decoding, or undefined if the bytes are not an image in a known format. */
export function readImageFacts(bytes: Uint8Array): ImageFacts | undefined {
  try {
    const found = Object.entries(formats).find(([, { validate }]) => validate(bytes))
    if (found === undefined) return undefined
    const [format, { calculate, canHold, scan }] = found as [ImageFacts['format'], Format]
    const { width = 0, height = 0 } = calculate(bytes) ?? {}
    if (!(width > 0) || !(height > 0)) return undefined
    const { damage, hasTransparency } = scan(bytes)
    const tooSmall = canHold(width, height, bytes)
      ? undefined
      : `${bytes.length} bytes are too few for ${width}x${height} pixels`
    return { format, width, height, hasTransparency, ...defined({ damage: tooSmall ?? damage }) }
  } catch {
    // The library throws for unknown or truncated bytes.
    return undefined
  }
}

// Whether a JPEG has an end marker anywhere: programs append data after it. `lastIndexOf` would be called for
// each of the millions of 0xd9 bytes in a hostile file.
function hasEndMarker(bytes: Uint8Array): boolean {
  for (let at = bytes.length - 1; at > 0; at--) if (bytes[at] === 0xd9 && bytes[at - 1] === 0xff) return true
  return false
}
