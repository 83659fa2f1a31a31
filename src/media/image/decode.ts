/** Decodes image files of clients. What cannot be decoded is reported in words and never thrown. */
import type { Decode } from '../codecs/image-codecs.ts'
import { countJpegScans } from '../codecs/jpeg-segments.ts'
import { maxUnpackedBytes, type OpenPng, openPng, valueReader } from '../codecs/png.ts'
import { readImageFacts } from './facts.ts'
import { createRaster, type Raster } from './raster.ts'

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

/** The pixels of a PNG of any kind. Whatever is transparent in the file, however little, is so here. */
export function pngRaster({ image, transparentColour }: OpenPng): Raster {
  return image.palette === undefined
    ? plainRaster(image, transparentColour)
    : paletteRaster(image, image.palette)
}

function paletteRaster(image: OpenPng['image'], palette: NonNullable<OpenPng['image']['palette']>): Raster {
  const { width, height } = image
  const raster = createRaster(width, height)
  const valueAt = valueReader(image)
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++, at += 4) {
      // A number beyond the palette is black, as in other decoders.
      const [red, green, blue, alpha = 255] = palette[valueAt(x, y)] ?? [0, 0, 0]
      raster.rgba.set([red, green, blue, alpha] as number[], at)
    }
  }
  return raster
}

function plainRaster(image: OpenPng['image'], transparentColour: OpenPng['transparentColour']): Raster {
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
