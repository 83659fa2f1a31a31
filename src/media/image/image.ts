/** The files of pictures: what a description says is drawn, and packed in its format. */

import { fromBase64 } from '../../engine/base64.ts'
import { isBytes } from '../../engine/bytes.ts'
import { randomFrom } from '../../engine/random.ts'
import type { ImageMedia, ImageSource, Transform } from '../../protocol/media.ts'
import { type Encode, loadJpegDecoder, loadWebpDecoder, whileSound } from '../codecs/image-codecs.ts'
import { mediaKey } from '../media-key.ts'
import { drawCaption } from './caption.ts'
import { decodeImage } from './decode.ts'
import { type Font, loadFont } from './font.ts'
import { partialImage } from './partial.ts'
import { clearRaster, copyOf, onWhite, type Raster, scaled } from './raster.ts'
import { drawScene } from './scene.ts'
import { cutOut, edited, extended, type Making, painted, recoloured, varied } from './transforms.ts'

/** The most pixels a picture may have: 4096 x 4096. Keeping requests below is the endpoints' part. */
export const maxPixels = 4096 * 4096

/** How many works on works are followed. Keeping chains of edits below is the endpoints' part. */
export const deepest = 64

/**
 * How many bytes of pixels are kept that other pictures may be made from, with the texts that they are known
 * by: those may be longer than a small picture.
 */
const maxKept = 72 * 1024 * 1024
const costOf = (key: string, { rgba }: Raster): number => key.length + rgba.length

/** The longest side of what is kept of a file, in pixels: no picture that is made of it is larger. */
const mostSide = 4096

interface Sides {
  readonly width: number
  readonly height: number
}

type Words = 'with words' | 'bare'

/** What something is drawn from, and in words what it stands in for, if it does. */
interface Found {
  readonly raster: Raster
  readonly missing?: string
}

/** Makes the files of pictures. Loads what it needs when it first needs it, once. */
export interface ImageMaker {
  /**
   * The file. Rejects with a `RangeError` for sides that are no whole numbers from 1, above `mostPixels`, and
   * for a transparent JPEG.
   */
  file(media: ImageMedia): Promise<Uint8Array>
  /**
   * The pixels of something to draw from, in its own size; what stands in for one that is not there is as
   * large as `like`. Not to be written into.
   */
  pixels(source: ImageSource, like: { readonly width: number; readonly height: number }): Promise<Raster>
}

/**
 * Where the encoders of the formats that need WebAssembly come from; each is loaded once, and anew when it
 * has failed.
 */
export type Encoders = Readonly<Record<'webp' | 'jpeg', () => Promise<Encode>>>

/** A maker that has drawn nothing yet. */
export function createImageMaker(encoders: Encoders): ImageMaker {
  let loading: Promise<Font> | undefined
  const font = (): Promise<Font> => (loading ??= loadFont())
  const decoders = { webp: whileSound(loadWebpDecoder), jpeg: whileSound(loadJpegDecoder) }
  const kept = new Map<string, Raster>()
  let held = 0

  /**
   * What several pictures are likely to be made from is drawn or decoded once; what was used longest ago goes
   * first. Where there are no pixels, there is nothing to keep.
   */
  const remembered = async <Found extends Raster | string>(
    key: string,
    make: () => Promise<Found>,
  ): Promise<Found | Raster> => {
    const known = kept.get(key)
    if (known !== undefined) {
      // Deleting first keeps the map in order of last use.
      kept.delete(key)
      kept.set(key, known)
      return known
    }
    const made = await make()
    if (typeof made === 'string' || costOf(key, made) > maxKept) return made
    kept.set(key, made)
    held += costOf(key, made)
    for (const [oldest, raster] of kept) {
      if (held <= maxKept) break
      kept.delete(oldest)
      held -= costOf(oldest, raster)
    }
    return made
  }

  /**
   * The pixels of a file, or why there are none. Only pixels are kept: what stands in for them is as large as
   * whoever asks.
   */
  const decoded = async ({
    content,
    sha256,
  }: Extract<ImageSource, { kind: 'sent' }>): Promise<Raster | string> => {
    if (!isBytes(content) && typeof content !== 'string') return 'its bytes are gone'
    return remembered(`sent ${sha256}`, async () => {
      const bytes = typeof content === 'string' ? bytesOf(content) : content
      const raster = bytes === undefined ? 'it is no base64' : await decodeImage(bytes, decoders)
      return typeof raster === 'string' ? raster : withinSide(raster)
    })
  }

  /**
   * What stands in for a source. Where it is to be changed all over, its words would be changed with it: they
   * are left to the picture that is made.
   */
  const standIn = async (
    name: string,
    reason: string,
    { width, height }: Sides,
    words: Words,
  ): Promise<Raster> => {
    const raster = clearRaster(width, height)
    drawScene(raster, randomFrom(`stand-in ${name}`), { clearGround: false })
    if (words === 'with words')
      drawCaption(raster, await font(), { prompt: name, facts: [reason] }, { x: 0, y: 0, width, height })
    return raster
  }

  /**
   * What a source shows; `like` gives the sides of what stands in for one that is not there. Without words
   * when it is to be changed all over.
   */
  const sourceOf = async (source: ImageSource, like: Sides, words: Words): Promise<Found> => {
    if (source.kind === 'drawn') {
      const image = words === 'bare' ? bare(source.image) : source.image
      return { raster: await remembered(mediaKey(image), () => drawn(image)) }
    }
    if (source.kind === 'absent')
      return {
        raster: await standIn(source.name, 'not at hand: this stands in for it', like, words),
        missing: `not at hand: ${source.name}`,
      }
    const found = await decoded(source)
    if (typeof found !== 'string') return { raster: found }
    return {
      raster: await standIn(
        `The picture that was sent: ${found}`,
        `sha256 ${source.sha256.slice(0, 12)}`,
        like,
        words,
      ),
      missing: `the picture that was sent: ${found}`,
    }
  }

  /** A mask that is not there, or that nobody can read, marks nothing. */
  const maskOf = async (mask: ImageSource | undefined, like: ImageMedia): Promise<Raster | undefined> => {
    if (mask === undefined || mask.kind === 'absent') return undefined
    if (mask.kind === 'drawn') return (await sourceOf(mask, like, 'bare')).raster
    const found = await decoded(mask)
    return typeof found === 'string' ? undefined : found
  }

  const drawn = async (media: ImageMedia): Promise<Raster> => {
    checkSides(media)
    const { width, height, caption, transparent, shapes, from } = media
    const random = randomFrom(`picture ${media.seed}`)
    if (from === undefined) {
      const raster = clearRaster(width, height)
      drawScene(raster, random, { clearGround: transparent, shapes })
      if (caption !== undefined) drawCaption(raster, await font(), caption, { x: 0, y: 0, width, height })
      return raster
    }
    if (from.kind === 'cut-out' && from.source.kind === 'drawn' && from.source.image.from === undefined) {
      // One of our own without anything under it has a figure: its shapes.
      const cut = copyOf(
        scaled(await drawn({ ...bare(from.source.image), transparent: true }), width, height),
      )
      if (caption !== undefined) drawCaption(cut, await font(), caption, { x: 0, y: 0, width, height })
      return cut
    }
    const source = await sourceOf(
      from.source,
      likeOf(media, from),
      changedAllOver.has(from.kind) ? 'bare' : 'with words',
    )
    const words =
      caption === undefined || source.missing === undefined
        ? caption
        : { ...caption, facts: [...caption.facts, source.missing] }
    const making: Making = {
      width,
      height,
      random,
      font: await font(),
      caption: words,
      clearGround: transparent,
      shapes,
    }
    switch (from.kind) {
      case 'edit':
        return edited(source.raster, await maskOf(from.mask, media), making)
      case 'paint':
        return painted(source.raster, await maskOf(from.mask, media), from, making)
      case 'extend':
        return extended(source.raster, from.direction, making)
      case 'vary':
        return varied(source.raster, from.strength, making)
      case 'recolour':
        return recoloured(source.raster, making)
      case 'cut-out': {
        const cut = cutOut(source.raster, making)
        if (words !== undefined) drawCaption(cut, making.font, words, { x: 0, y: 0, width, height })
        return cut
      }
    }
  }

  return {
    pixels: async (source, like) => (await sourceOf(source, like, 'with words')).raster,
    async file(media) {
      checkSides(media)
      if (stepsOf(media) > deepest)
        throw new RangeError(`render-media: expected a picture that was made in up to ${deepest} steps`)
      const { width, height, format, transparent, quality = 100, partial: partly } = media
      if (transparent && format === 'jpeg') throw new RangeError('render-media: a JPEG cannot be transparent')
      const all = await drawn(media)
      const raster = partly === undefined ? all : partialImage(all, partly.step, partly.steps)
      if (format === 'png')
        return encodePng(raster, transparent, randomFrom(`picture ${media.seed}`).fork('comment').hex(16))
      const encode = await encoders[format]()
      return encode(transparent ? raster : withoutAlpha({ width, height, rgba: raster.rgba }), quality)
    },
  }
}

async function encodePng(raster: Raster, transparent: boolean, comment: string): Promise<Uint8Array> {
  const { encode } = await import('fast-png')
  const { width, height } = raster
  // The seed in the text keeps two pictures apart that chance drew alike.
  const text = { Software: 'gateway-sim', Comment: comment }
  // An alpha channel is what readers of transparency look for: only who asked for one gets one.
  return encode(
    { width, height, channels: transparent ? 4 : 3, data: transparent ? raster.rgba : onWhite(raster), text },
    { zlib: { level: 4 } },
  )
}

/** The same on white, as encoders take it. */
function withoutAlpha(raster: Raster): Raster {
  let solid = true
  for (let at = 3; at < raster.rgba.length && solid; at += 4) solid = raster.rgba[at] === 255
  if (solid) return raster
  const rgb = onWhite(raster)
  const rgba = new Uint8Array(raster.rgba.length).fill(255)
  for (let from = 0, to = 0; from < rgb.length; from += 3, to += 4) rgba.set(rgb.subarray(from, from + 3), to)
  return { ...raster, rgba }
}

function checkSides({ width, height }: ImageMedia): void {
  if (
    !Number.isInteger(width) ||
    !Number.isInteger(height) ||
    width < 1 ||
    height < 1 ||
    width * height > maxPixels
  ) {
    throw new RangeError(
      `render-media: expected a picture of 1 to ${maxPixels} pixels, got ${width}x${height}`,
    )
  }
}

function bytesOf(text: string): Uint8Array | undefined {
  try {
    return fromBase64(text)
  } catch {
    return undefined
  }
}

/** How many works lie upon each other. */
function stepsOf({ from }: ImageMedia): number {
  if (from === undefined) return 0
  const below = (source: ImageSource | undefined): number =>
    source?.kind === 'drawn' ? stepsOf(source.image) : 0
  return 1 + Math.max(below(from.source), 'mask' in from ? below(from.mask) : 0)
}

/** The works that change all of a picture, its words included. */
const changedAllOver: ReadonlySet<Transform['kind']> = new Set(['vary', 'recolour', 'cut-out'])

/** The sides of what stands in for the source of a work. */
function likeOf(media: ImageMedia, from: Transform): Sides {
  if (from.kind === 'paint') return { width: clamped(from.at.width), height: clamped(from.at.height) }
  return from.kind === 'extend' ? fewer(media, from.direction) : media
}

function withinSide(raster: Raster): Raster {
  const side = Math.max(raster.width, raster.height)
  return side <= mostSide
    ? raster
    : scaled(
        raster,
        Math.max(1, Math.round((raster.width * mostSide) / side)),
        Math.max(1, Math.round((raster.height * mostSide) / side)),
      )
}

const clamped = (side: number): number => Math.min(1024, Math.max(1, Math.round(side)))

// The sides of a source that a picture goes on from, as far as they can be guessed.
function fewer({ width, height }: ImageMedia, direction: 0 | 1 | 2 | 3): { width: number; height: number } {
  return direction === 0 || direction === 2
    ? { width, height: Math.max(1, Math.floor((height * 2) / 3)) }
    : { width: Math.max(1, Math.floor((width * 2) / 3)), height }
}

function bare({ caption: _, ...image }: ImageMedia): ImageMedia {
  return image
}
