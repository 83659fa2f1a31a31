/** Whether an image has a transparent pixel. Decodes the image within limits. */
import type { ImageFacts } from '../../protocol/call.ts'
import { loadWebpDecoder } from '../codecs/image-codecs.ts'
import { inspectPng, maxUnpackedBytes } from '../codecs/png.ts'
import { isOpaque } from './raster.ts'

/** The facts, completed by decoding the image within limits. */
export async function inspectPixels(facts: ImageFacts, bytes: Uint8Array): Promise<ImageFacts> {
  if (facts.damage !== undefined) return facts
  const found = await readPixels(facts, bytes)
  return typeof found === 'string' ? { ...facts, pixels: found } : { ...facts, damage: found.damage }
}

type Finding = NonNullable<ImageFacts['pixels']> | { readonly damage: string }

/** The facts from the pixels, or the fault of the file. Never rejects, whatever the file contains. */
async function readPixels(
  { format, width, height, hasTransparency }: ImageFacts,
  bytes: Uint8Array,
): Promise<Finding> {
  // The header first: sides may be as large as 2^31.
  if (width * height * 4 > maxUnpackedBytes) return 'unseen'
  try {
    if (format === 'png') {
      const found = await inspectPng(bytes)
      return found === 'too large' ? 'unseen' : found
    }
    if (format === 'webp') return await readWebp(bytes)
    return hasTransparency ? 'unseen' : 'opaque'
  } catch (error) {
    // Newer Node versions give some of these errors no message.
    return {
      damage:
        error instanceof Error && error.message !== '' ? error.message.slice(0, 160) : 'it cannot be decoded',
    }
  }
}

async function readWebp(bytes: Uint8Array): Promise<Finding> {
  if (isAnimated(bytes)) return { damage: 'it is animated; a still image is required' }
  const decode = await loadWebpDecoder()
  const raster = decode(bytes)
  if (raster === undefined) return { damage: 'it cannot be decoded' }
  return isOpaque(raster) ? 'opaque' : 'transparent'
}

// The extended header has a bit for transparency. The decoder supports only still images.
const isAnimated = (bytes: Uint8Array): boolean =>
  String.fromCharCode(...bytes.subarray(12, 16)) === 'VP8X' && ((bytes[20] ?? 0) & 0x02) !== 0
