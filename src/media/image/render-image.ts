/** Renders image descriptions: draws them and encodes them in their format. */
import { randomFrom } from '../../engine/random.ts'
import type { ImageMedia } from '../../protocol/media.ts'
import type { Encode } from '../codecs/image-codecs.ts'
import { encodePng } from '../codecs/png.ts'
import { drawCaption } from './caption.ts'
import { type Font, loadFont } from './font.ts'
import { createRaster, mixPixel, onWhite, type Raster, writeMean } from './raster.ts'
import { drawScene } from './scene.ts'

/** 4096 x 4096. Endpoints limit requests to less. */
const maxPixels = 4096 * 4096

/**
 * The file of an image. Rejects with a `RangeError` for sides that are not positive integers, for more than
 * 4096 x 4096 pixels, and for a transparent JPEG.
 */
export type RenderImage = (media: ImageMedia) => Promise<Uint8Array>

/** Loads its dependencies on first use, once. */
export function createImageRenderer(encoders: Encoders): RenderImage {
  let loading: Promise<Font> | undefined
  return async (media) => {
    const { width, height, format, transparent, caption, shapes, partial } = media
    const isWhole = Number.isInteger(width) && Number.isInteger(height) && width >= 1 && height >= 1
    if (!isWhole || width * height > maxPixels)
      throw new RangeError(`media: expected an image of 1 to ${maxPixels} pixels, got ${width}x${height}`)
    if (transparent && format === 'jpeg') throw new RangeError('media: a JPEG cannot be transparent')
    const whole = createRaster(width, height)
    drawScene(whole, randomFrom(`picture ${media.seed}`), { clearGround: transparent, shapes })
    if (caption !== undefined) drawCaption(whole, await (loading ??= loadFont()), caption)
    const raster = partial === undefined ? whole : partialImage(whole, partial.step, partial.steps)
    return encodeImage(raster, media, encoders)
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
      writeMean(mean, image, { left, top, right, bottom })
      for (let y = top; y < bottom; y++)
        for (let x = left; x < right; x++) mixPixel(result, (y * width + x) * 4, mean, hidden, whole)
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
