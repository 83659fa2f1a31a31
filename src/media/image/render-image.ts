/** Renders image descriptions: draws them and encodes them in their format. */
import { randomFrom } from '../../engine/random.ts'
import type { ImageMedia, ImageSource, Transform } from '../../protocol/media.ts'
import type { Encode } from '../codecs/image-codecs.ts'
import { encodePng } from '../codecs/png-writer.ts'
import { drawCaption } from './caption.ts'
import { type Font, loadFont } from './font.ts'
import { createRaster, mixPixel, onWhite, type Raster, writeMean } from './raster.ts'
import { drawScene } from './scene.ts'
import { createSources, type Size, type Sources } from './sources.ts'
import {
  cutOutImage,
  editImage,
  extendImage,
  paintImage,
  recolourImage,
  type Target,
  varyImage,
} from './transforms.ts'

/** 4096 x 4096. Endpoints limit requests to less. */
const maxPixels = 4096 * 4096

/** The maximum depth of transforms of transforms. Endpoints limit chains of edits to less. */
export const maxSteps = 64

/** Loads its dependencies on first use, once. */
export interface ImageRenderer {
  /**
   * The file. Rejects with a `RangeError` for sides that are not positive integers, for more than 4096 x 4096
   * pixels, and for a transparent JPEG.
   */
  file(media: ImageMedia): Promise<Uint8Array>
  /**
   * The pixels of a source in its original size; a placeholder has the size of `like`. Callers must not
   * modify them.
   */
  pixels(source: ImageSource, like: Size): Promise<Raster>
}

export function createImageRenderer(encoders: Encoders): ImageRenderer {
  let loading: Promise<Font> | undefined
  const font = (): Promise<Font> => (loading ??= loadFont())
  const draw = (media: ImageMedia): Promise<Raster> => drawImage(media, sources, font)
  const sources = createSources(draw, font)
  return {
    pixels: async (source, like) => (await sources.find(source, like, 'with caption')).raster,
    async file(media) {
      checkSize(media)
      if (stepsOf(media) > maxSteps)
        throw new RangeError(`media: expected an image of at most ${maxSteps} steps`)
      const { format, transparent, partial } = media
      if (transparent && format === 'jpeg') throw new RangeError('media: a JPEG cannot be transparent')
      const whole = await draw(media)
      const raster = partial === undefined ? whole : partialImage(whole, partial.step, partial.steps)
      return encodeImage(raster, media, encoders)
    },
  }
}

async function drawImage(media: ImageMedia, sources: Sources, font: () => Promise<Font>): Promise<Raster> {
  checkSize(media)
  const { width, height, caption, transparent, shapes, from } = media
  const random = randomFrom(`picture ${media.seed}`)
  if (from !== undefined) return transformImage(media, from, sources, font)
  const raster = createRaster(width, height)
  drawScene(raster, random, { clearGround: transparent, shapes })
  if (caption !== undefined) drawCaption(raster, await font(), caption, { x: 0, y: 0, width, height })
  return raster
}

async function transformImage(
  media: ImageMedia,
  transform: Transform,
  sources: Sources,
  font: () => Promise<Font>,
): Promise<Raster> {
  const { width, height, caption, transparent, shapes } = media
  const source = await sources.find(
    transform.source,
    placeholderSize(media, transform),
    changesWhole.has(transform.kind) ? 'without caption' : 'with caption',
  )
  const target: Target = {
    width,
    height,
    random: randomFrom(`picture ${media.seed}`),
    font: await font(),
    caption:
      caption === undefined || source.missing === undefined
        ? caption
        : { ...caption, facts: [...caption.facts, source.missing] },
    clearGround: transparent,
    shapes,
  }
  switch (transform.kind) {
    case 'edit':
      return editImage(source.raster, await sources.findMask(transform.mask, media), target)
    case 'paint':
      return paintImage(source.raster, await sources.findMask(transform.mask, media), transform, target)
    case 'extend':
      return extendImage(source.raster, transform.direction, target)
    case 'vary':
      return varyImage(source.raster, transform.strength, target)
    case 'recolour':
      return recolourImage(source.raster, target)
    case 'cut-out':
      return cutOutImage(source.raster, target)
  }
}

/** The transforms that change the whole image, including its caption. */
const changesWhole: ReadonlySet<Transform['kind']> = new Set(['vary', 'recolour', 'cut-out'])

function checkSize({ width, height }: ImageMedia): void {
  const isWhole = Number.isInteger(width) && Number.isInteger(height) && width >= 1 && height >= 1
  if (!isWhole || width * height > maxPixels)
    throw new RangeError(`media: expected an image of 1 to ${maxPixels} pixels, got ${width}x${height}`)
}

/** The depth of nested transforms. */
function stepsOf({ from }: ImageMedia): number {
  if (from === undefined) return 0
  const below = (source: ImageSource | undefined): number =>
    source?.kind === 'drawn' ? stepsOf(source.image) : 0
  return 1 + Math.max(below(from.source), 'mask' in from ? below(from.mask) : 0)
}

/** The estimated size of a missing source. */
function placeholderSize({ width, height }: ImageMedia, transform: Transform): Size {
  const clamped = (side: number): number => Math.min(1024, Math.max(1, Math.round(side)))
  const shorter = (side: number): number => Math.max(1, Math.floor((side * 2) / 3))
  switch (transform.kind) {
    case 'paint':
      return { width: clamped(transform.at.width), height: clamped(transform.at.height) }
    case 'extend':
      return transform.direction === 0 || transform.direction === 2
        ? { width, height: shorter(height) }
        : { width: shorter(width), height }
    default:
      return { width, height }
  }
}

/**
 * Step `step` (from 0) of `steps` of an image. Squares that halve from step to step cover less and less of
 * the image. Each step is nearer to the image than the previous one: its squares are no larger, cover less,
 * and have the mean colour of the pixels below.
 */
function partialImage(image: Raster, step: number, steps: number): Raster {
  const { width, height, rgba } = image
  const count = Math.max(1, Math.min(steps, maxPartials))
  const done = Math.max(0, Math.min(step, count - 1))
  const side = Math.max(2, Math.ceil(Math.max(width, height) / (8 * 2 ** done)))
  // The opacity of the squares: full at the first step, little more than a third at the last of many steps.
  const [whole, hidden] = [count * 3, count * 3 - done * 2]
  const result = rgba.slice()
  const mean = new Uint8Array(4)
  for (let top = 0; top < height; top += side) {
    const bottom = Math.min(top + side, height)
    for (let left = 0; left < width; left += side) {
      const right = Math.min(left + side, width)
      writeMean(mean, 0, rgba, width, left, top, right, bottom)
      for (let y = top; y < bottom; y++)
        for (let x = left; x < right; x++) mixPixel(result, (y * width + x) * 4, mean, 0, hidden, whole)
    }
  }
  return { width, height, rgba: result }
}

// A scenario may have more steps than a request can specify.
const maxPartials = 32

/** The sources of the WebAssembly encoders. Each is loaded once, and again after a failure. */
type Encoders = Readonly<Record<'webp' | 'jpeg', () => Promise<Encode>>>

/** The file of an image. Transparent pixels become white unless the image is to be transparent. */
async function encodeImage(
  raster: Raster,
  { format, transparent, quality = 100, seed }: ImageMedia,
  encoders: Encoders,
): Promise<Uint8Array> {
  const shown = transparent ? raster : onWhite(raster)
  if (format !== 'png') return (await encoders[format]())(shown, quality)
  // The comment distinguishes two images whose seeds happen to draw the same. Only requested alpha channels
  // are written, because readers test for the channel.
  return encodePng(shown, transparent ? 4 : 3, {
    Software: 'gateway-sim',
    Comment: randomFrom(`picture ${seed}`).fork('comment').hex(16),
  })
}
