/** Renders image descriptions: draws what a description says, and encodes it in its format. */
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

/** 4096 x 4096. Endpoints keep requests below. */
const maxPixels = 4096 * 4096

/** How many transforms of transforms are followed. Endpoints keep chains of edits below. */
export const maxSteps = 64

/** Loads what it needs when it first needs it, once. */
export interface ImageRenderer {
  /**
   * The file. Rejects with a `RangeError` for sides that are no whole numbers from 1, for more than 4096 x
   * 4096 pixels, and for a transparent JPEG.
   */
  file(media: ImageMedia): Promise<Uint8Array>
  /**
   * The pixels of a source in its own size; a placeholder is as large as `like`. Not to be written into.
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

/** The transforms that change all of an image, its caption included. */
const changesWhole: ReadonlySet<Transform['kind']> = new Set(['vary', 'recolour', 'cut-out'])

function checkSize({ width, height }: ImageMedia): void {
  const isWhole = Number.isInteger(width) && Number.isInteger(height) && width >= 1 && height >= 1
  if (!isWhole || width * height > maxPixels)
    throw new RangeError(`media: expected an image of 1 to ${maxPixels} pixels, got ${width}x${height}`)
}

/** How many transforms lie upon each other. */
function stepsOf({ from }: ImageMedia): number {
  if (from === undefined) return 0
  const below = (source: ImageSource | undefined): number =>
    source?.kind === 'drawn' ? stepsOf(source.image) : 0
  return 1 + Math.max(below(from.source), 'mask' in from ? below(from.mask) : 0)
}

/** The size of a source that is not there, as far as it can be guessed. */
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
 * Step `step` (from 0) of `steps` of an image: squares that halve from step to step, through which more and
 * more of the image shows. Each step is nearer to the image than the one before: its
 * squares are no larger and have the mean colour of what they hide, and they hide less.
 */
function partialImage(image: Raster, step: number, steps: number): Raster {
  const { width, height, rgba } = image
  const count = Math.max(1, Math.min(steps, maxPartials))
  const done = Math.max(0, Math.min(step, count - 1))
  const side = Math.max(2, Math.ceil(Math.max(width, height) / (8 * 2 ** done)))
  // How much of the squares is left: all at first, little more than a third at the last of many steps.
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

// A scenario may have more steps than a request can ask for.
const maxPartials = 32

/** Where the encoders that need WebAssembly come from; each is loaded once, and anew when it has failed. */
type Encoders = Readonly<Record<'webp' | 'jpeg', () => Promise<Encode>>>

/** The file of an image; what is transparent lies on white unless the image is to be transparent. */
async function encodeImage(
  raster: Raster,
  { format, transparent, quality = 100, seed }: ImageMedia,
  encoders: Encoders,
): Promise<Uint8Array> {
  const shown = transparent ? raster : onWhite(raster)
  if (format !== 'png') return (await encoders[format]())(shown, quality)
  // The comment keeps two images apart whose seeds happen to draw the same. An alpha channel is what readers
  // of transparency look for: only who asked for one gets one.
  return encodePng(shown, transparent ? 4 : 3, {
    Software: 'gateway-sim',
    Comment: randomFrom(`picture ${seed}`).fork('comment').hex(16),
  })
}
