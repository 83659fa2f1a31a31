/** Encodes pixels as PNG, WebP or JPEG. */
import { randomFrom } from '../../engine/random.ts'
import type { ImageMedia } from '../../protocol/media.ts'
import type { Encode } from '../codecs/image-codecs.ts'
import { flattenOnWhite, isOpaque, type Raster } from './raster.ts'

/** Where the encoders that need WebAssembly come from; each is loaded once, and anew when it has failed. */
export type Encoders = Readonly<Record<'webp' | 'jpeg', () => Promise<Encode>>>

/** The file of an image; what is transparent lies on white unless the image is to be transparent. */
export async function encodeImage(
  raster: Raster,
  { format, transparent, quality = 100, seed }: ImageMedia,
  encoders: Encoders,
): Promise<Uint8Array> {
  if (format === 'png')
    return encodePng(raster, transparent, randomFrom(`picture ${seed}`).fork('comment').hex(16))
  const encode = await encoders[format]()
  return encode(transparent ? raster : opaque(raster), quality)
}

async function encodePng(raster: Raster, transparent: boolean, comment: string): Promise<Uint8Array> {
  const { encode } = await import('fast-png')
  const { width, height } = raster
  // The comment keeps two images apart whose seeds happen to draw the same.
  const text = { Software: 'gateway-sim', Comment: comment }
  // An alpha channel is what readers of transparency look for: only who asked for one gets one.
  const pixels = transparent
    ? { channels: 4 as const, data: raster.rgba }
    : { channels: 3 as const, data: flattenOnWhite(raster) }
  return encode({ width, height, ...pixels, text }, { zlib: { level: 4 } })
}

function opaque(raster: Raster): Raster {
  if (isOpaque(raster)) return raster
  const rgb = flattenOnWhite(raster)
  const rgba = new Uint8Array(raster.rgba.length).fill(255)
  for (let from = 0, to = 0; from < rgb.length; from += 3, to += 4) rgba.set(rgb.subarray(from, from + 3), to)
  return { ...raster, rgba }
}
