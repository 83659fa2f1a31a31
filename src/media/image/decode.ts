/** Pictures that clients have sent, as pixels. What cannot be decoded is told in words and never thrown. */
import type { Decode } from '../codecs/image-codecs.ts'
import { jpegScans } from '../codecs/jpeg-segments.ts'
import { maxBytes, type OpenPng, openPng, valueReader } from '../codecs/png.ts'
import { readImageFacts } from './facts.ts'
import { clearRaster, type Raster } from './raster.ts'

/** Where the decoders that need WebAssembly come from; each is loaded once, and anew when it has thrown. */
export type Decoders = Readonly<Record<'webp' | 'jpeg', () => Promise<Decode>>>

/**
 * How often a JPEG may have its decoder go over the picture: encoders have it done about ten times, and a
 * small file could have it done for hours.
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
  if (width * height * 4 > maxBytes) return `${width} x ${height} is too large`
  try {
    if (format === 'png') {
      const png = await openPng(bytes)
      if (png === 'too large') return `${width} x ${height} is too large`
      return 'damage' in png ? png.damage : rasterOf(png)
    }
    if (format === 'jpeg' && jpegScans(bytes) > maxScans) return 'it has too many scans'
    const decode = await decoders[format]()
    const raster = decode(bytes)
    return raster !== undefined && raster.width === width && raster.height === height
      ? raster
      : 'it cannot be decoded'
  } catch {
    return 'it cannot be decoded'
  }
}

function rasterOf({ image, clear }: OpenPng): Raster {
  const { width, height, channels, depth, data, palette } = image
  const raster = clearRaster(width, height)
  const { rgba } = raster
  if (palette !== undefined) {
    const valueAt = valueReader(image)
    for (let y = 0, at = 0; y < height; y++) {
      for (let x = 0; x < width; x++, at += 4) {
        // A number beyond the palette is black, as in other decoders.
        const [red, green, blue, alpha = 255] = palette[valueAt(x, y)] ?? [0, 0, 0]
        rgba.set([red, green, blue, alpha] as number[], at)
      }
    }
    return raster
  }
  const valueAt =
    channels === 1
      ? valueReader(image)
      : (x: number, y: number): number => data[(y * width + x) * channels] as number
  const most = 2 ** depth - 1
  const byteOf = (value: number): number => (depth === 8 ? value : Math.floor((value * 255) / most + 0.5))
  const inColour = channels > 2
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++, at += 4) {
      const first = valueAt(x, y)
      const from = (y * width + x) * channels
      const [green, blue] = inColour ? [data[from + 1] as number, data[from + 2] as number] : [first, first]
      const isClear =
        clear !== undefined && first === clear[0] && (!inColour || (green === clear[1] && blue === clear[2]))
      const alpha =
        channels === 4
          ? byteOf(data[from + 3] as number)
          : channels === 2
            ? byteOf(data[from + 1] as number)
            : isClear
              ? 0
              : 255
      rgba[at] = byteOf(first)
      rgba[at + 1] = byteOf(green)
      rgba[at + 2] = byteOf(blue)
      rgba[at + 3] = alpha
    }
  }
  return raster
}
