/** Decodes image files of clients. What cannot be decoded is reported in words and never thrown. */
import type { Decode } from '../codecs/image-codecs.ts'
import { countJpegScans } from '../codecs/jpeg-segments.ts'
import { maxUnpackedBytes, openPng } from '../codecs/png.ts'
import { pngRaster } from '../codecs/png-raster.ts'
import { readImageFacts } from './facts.ts'
import type { Raster } from './raster.ts'

/** Where the decoders that need WebAssembly come from; each is loaded once, and anew when it has thrown. */
export type Decoders = Readonly<Record<'webp' | 'jpeg', () => Promise<Decode>>>

/**
 * How often a JPEG may have its decoder go over the image: encoders write about ten scans, and a small file
 * could keep a decoder busy for hours.
 */
const maxScans = 100

/** The pixels of a file, or in a few words why there are none. */
export async function decodeImage(bytes: Uint8Array, decoders: Decoders): Promise<Raster | string> {
  const facts = readImageFacts(bytes)
  if (facts === undefined) return 'not a picture'
  const { format, width, height, damage } = facts
  if (damage !== undefined) return damage
  if (format === 'gif') return 'a GIF, which is not drawn from'
  // Before anything is allocated: sides may be as large as 2^31.
  if (width * height * 4 > maxUnpackedBytes) return `${width} x ${height} is too large`
  try {
    if (format === 'png') {
      const png = await openPng(bytes)
      if (png === 'too large') return `${width} x ${height} is too large`
      return 'damage' in png ? png.damage : pngRaster(png)
    }
    if (format === 'jpeg' && countJpegScans(bytes) > maxScans) return 'it has too many scans'
    const decode = await decoders[format]()
    const raster = decode(bytes)
    return raster !== undefined && raster.width === width && raster.height === height
      ? raster
      : 'it cannot be decoded'
  } catch {
    return 'it cannot be decoded'
  }
}
