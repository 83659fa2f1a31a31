/**
 * The pixels of what images are made from: drawings, files of clients, and placeholders for what is not there
 * or cannot be decoded. What several images are likely to be made from is kept.
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

/** Bytes of pixels that are kept, with the keys that they are known by: those may be longer than an image. */
const maxCacheBytes = 72 * 1024 * 1024

/** Pixels. No image that is made from a file is larger, so that more of it need not be kept. */
const maxSide = 4096

export interface Size {
  readonly width: number
  readonly height: number
}

/** An image whose whole is changed is taken without caption: its words would be changed with it. */
type Captioning = 'with caption' | 'without caption'

interface FoundSource {
  readonly raster: Raster
  /** In words, what the raster is a placeholder for; undefined when it is the source itself. */
  readonly missing?: string
}

export interface Sources {
  /** A placeholder is as large as `like`. */
  find(source: ImageSource, like: Size, captioning: Captioning): Promise<FoundSource>
  /** Undefined for a mask that is not there or cannot be decoded: it marks nothing. */
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

  /** The pixels of a file, or in words why there are none. */
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
