/** Facts from the header of an image file: format, size, completeness, transparency. */
import { GIF } from 'image-size/types/gif'
import { JPG } from 'image-size/types/jpg'
import { PNG } from 'image-size/types/png'
import { WEBP } from 'image-size/types/webp'
import type { ImageFacts } from '../../protocol/call.ts'

type Format = ImageFacts['format']

// Imports one format of the library at a time: the whole library takes longer to load than a simulator.
const readers = { png: PNG, jpeg: JPG, webp: WEBP, gif: GIF } as const

/** The facts, or undefined if the bytes are not an image in a known format. Pixels are not decoded. */
export function readImageFacts(bytes: Uint8Array): ImageFacts | undefined {
  try {
    const format = (Object.keys(readers) as Format[]).find((name) => readers[name].validate(bytes))
    if (format === undefined) return undefined
    const { width, height } = readers[format].calculate(bytes)
    if (!(width > 0) || !(height > 0)) return undefined
    const { isWhole, hasTransparency } = scans[format](bytes)
    const facts = { format, width, height, hasTransparency }
    return isWhole ? facts : { ...facts, damage: 'the file is truncated' }
  } catch {
    // The library throws for unknown or truncated bytes.
    return undefined
  }
}

interface Scan {
  /** Whether the file has the end that its format requires. */
  readonly isWhole: boolean
  /** Whether it has an alpha channel or a transparent colour. */
  readonly hasTransparency: boolean
}

const scans: Readonly<Record<Format, (bytes: Uint8Array) => Scan>> = {
  png(bytes) {
    const chunks = chunksOf(bytes)
    const hasAlpha = bytes[25] === 4 || bytes[25] === 6
    return { isWhole: chunks.has('IEND'), hasTransparency: hasAlpha || chunks.has('tRNS') }
  },
  jpeg: (bytes) => ({ isWhole: hasEndMarker(bytes), hasTransparency: false }),
  webp(bytes) {
    const kind = String.fromCharCode(...bytes.subarray(12, 16))
    const size = new DataView(bytes.buffer, bytes.byteOffset).getUint32(4, true)
    const flags = { VP8X: bytes[20], VP8L: bytes[24] }[kind] ?? 0
    return { isWhole: bytes.length >= 8 + size, hasTransparency: (flags & 0x10) !== 0 }
  },
  gif: () => ({ isWhole: true, hasTransparency: true }),
}

/** The names of the complete chunks of a PNG, up to its last. */
function chunksOf(bytes: Uint8Array): ReadonlySet<string> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const names = new Set<string>()
  for (let at = 8; at + 12 <= bytes.length && !names.has('IEND'); ) {
    const end = at + 12 + view.getUint32(at)
    if (end <= bytes.length) names.add(String.fromCharCode(...bytes.subarray(at + 4, at + 8)))
    at = end
  }
  return names
}

// Whether a JPEG has an end marker anywhere: programs append data after it.
function hasEndMarker(bytes: Uint8Array): boolean {
  for (let at = bytes.length - 1; at > 0; at--) if (bytes[at] === 0xd9 && bytes[at - 1] === 0xff) return true
  return false
}
