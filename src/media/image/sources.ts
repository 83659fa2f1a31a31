/**
 * The pixels of source images: drawings, files from clients, and placeholders for missing or undecodable
 * files. Sources that several images are likely to use are cached.
 */

import { BoundedMap } from '../../engine/bounded-map.ts'
import { fromBase64, isBytes } from '../../engine/bytes.ts'
import { randomFrom } from '../../engine/random.ts'
import type { ImageMedia, ImageSource } from '../../protocol/media.ts'
import { type Decode, loadJpegDecoder, loadWebpDecoder, reloadOnFailure } from '../codecs/image-codecs.ts'
import { countJpegScans } from '../codecs/jpeg-segments.ts'
import { maxUnpackedBytes, openPng, pngRaster } from '../codecs/png.ts'
import { mediaKey } from '../media-key.ts'
import { drawCaption } from './caption.ts'
import { readImageFacts } from './facts.ts'
import type { Font } from './font.ts'
import { createRaster, type Raster, resize } from './raster.ts'
import { drawScene } from './scene.ts'

/** The sources of the WebAssembly decoders. Each is loaded once, and again after it has thrown. */
export type Decoders = Readonly<Record<'webp' | 'jpeg', () => Promise<Decode>>>

/**
 * The maximum number of scans in a JPEG: encoders write about ten, and a small file could occupy a decoder
 * for hours.
 */
const maxScans = 100

/** The pixels of a file, or the reason for their absence in a few words. */
export async function decodeImage(bytes: Uint8Array, decoders: Decoders): Promise<Raster | string> {
  const facts = readImageFacts(bytes)
  if (facts === undefined) return 'not a picture'
  const { format, width, height, damage } = facts
  if (damage !== undefined) return damage
  if (format === 'gif') return 'a GIF, which is not drawn from'
  // Checked before any allocation: sides may be as large as 2^31.
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

/** The maximum number of cached bytes, including keys, which may be longer than an image. */
const maxCacheBytes = 72 * 1024 * 1024

/** In pixels. No image from a file is larger, so larger sources are never needed. */
const maxSide = 4096

export interface Size {
  readonly width: number
  readonly height: number
}

/** If the whole image changes, the source is drawn without its caption, which would change too. */
type Captioning = 'with caption' | 'without caption'

interface FoundSource {
  readonly raster: Raster
  /** The missing source, in words, if the raster is a placeholder; otherwise undefined. */
  readonly missing?: string
}

export interface Sources {
  /** A placeholder has the size of `like`. */
  find(source: ImageSource, like: Size, captioning: Captioning): Promise<FoundSource>
  /** Undefined for a missing or undecodable mask: it marks nothing. */
  findMask(mask: ImageSource | undefined, like: Size): Promise<Raster | undefined>
}

export function createSources(
  draw: (image: ImageMedia) => Promise<Raster>,
  font: () => Promise<Font>,
): Sources {
  const decoders = { webp: reloadOnFailure(loadWebpDecoder), jpeg: reloadOnFailure(loadJpegDecoder) }
  const cache = new BoundedMap<Raster>({ size: maxCacheBytes })

  const cached = async <Made extends Raster | string>(
    key: string,
    make: () => Promise<Made>,
  ): Promise<Made | Raster> => {
    const known = cache.use(key)
    if (known !== undefined) return known
    const made = await make()
    if (typeof made === 'string') return made
    const size = key.length + made.rgba.length
    if (size <= maxCacheBytes) cache.set(key, made, size)
    return made
  }

  /** The pixels of a file, or the reason for their absence in words. */
  const decode = async ({
    content,
    sha256,
  }: Extract<ImageSource, { kind: 'sent' }>): Promise<Raster | string> => {
    if (!isBytes(content) && typeof content !== 'string') return 'its bytes are gone'
    return cached(`sent ${sha256}`, async () => {
      const bytes = typeof content === 'string' ? bytesIn(content) : content
      const raster = bytes === undefined ? 'it is no base64' : await decodeImage(bytes, decoders)
      return typeof raster === 'string' ? raster : withinMaxSide(raster)
    })
  }

  const find: Sources['find'] = async (source, like, captioning) => {
    if (source.kind === 'drawn') {
      const image = captioning === 'without caption' ? withoutCaption(source.image) : source.image
      return { raster: await cached(mediaKey(image), () => draw(image)) }
    }
    const decoded = source.kind === 'absent' ? 'absent' : await decode(source)
    if (typeof decoded !== 'string') return { raster: decoded }
    const [name, fact, missing] =
      source.kind === 'absent'
        ? [source.name, 'not at hand: this stands in for it', `not at hand: ${source.name}`]
        : [
            `The picture that was sent: ${decoded}`,
            `sha256 ${source.sha256.slice(0, 12)}`,
            `the picture that was sent: ${decoded}`,
          ]
    const raster = createRaster(like.width, like.height)
    drawScene(raster, randomFrom(`stand-in ${name}`), { clearGround: false })
    if (captioning === 'with caption')
      drawCaption(raster, await font(), { prompt: name, facts: [fact] }, { x: 0, y: 0, ...like })
    return { raster, missing }
  }

  return {
    find,
    async findMask(mask, like) {
      if (mask === undefined || mask.kind === 'absent') return undefined
      if (mask.kind === 'drawn') return (await find(mask, like, 'without caption')).raster
      const decoded = await decode(mask)
      return typeof decoded === 'string' ? undefined : decoded
    },
  }
}

function withoutCaption({ caption: _, ...image }: ImageMedia): ImageMedia {
  return image
}

function bytesIn(text: string): Uint8Array | undefined {
  try {
    return fromBase64(text)
  } catch {
    return undefined
  }
}

function withinMaxSide(raster: Raster): Raster {
  const side = Math.max(raster.width, raster.height)
  if (side <= maxSide) return raster
  const shrink = (length: number): number => Math.max(1, Math.round((length * maxSide) / side))
  return resize(raster, shrink(raster.width), shrink(raster.height))
}
