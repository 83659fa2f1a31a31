/** Renders image descriptions: draws a placeholder with its caption and encodes it. */
import { digest } from '../../engine/random.ts'
import type { ImageMedia } from '../../protocol/media.ts'
import { loadOnce } from '../load-once.ts'
import { drawCaption } from './caption.ts'
import { loadJpegEncoder, loadWebpEncoder } from './encoders.ts'
import { loadFont } from './font.ts'
import { drawPicture } from './picture.ts'
import { encodePng } from './png.ts'
import { type Colour, paint, type Raster } from './raster.ts'

/** 4096 x 4096. Endpoints limit requests to less. */
const maxPixels = 4096 * 4096

/**
 * The file of an image. Rejects with a `RangeError` for sides that are not positive integers, for more than
 * 4096 x 4096 pixels, and for a transparent JPEG.
 */
export type RenderImage = (media: ImageMedia) => Promise<Uint8Array>

/** Loads the font and each encoder on first use, once. */
export function createImageRenderer(): RenderImage {
  const font = loadOnce(loadFont)
  const encoders = { webp: loadOnce(loadWebpEncoder), jpeg: loadOnce(loadJpegEncoder) }
  return async (media) => {
    const { width, height, format, transparent, caption, partial, quality = 100 } = media
    const isWhole = Number.isInteger(width) && Number.isInteger(height) && width >= 1 && height >= 1
    if (!isWhole || width * height > maxPixels)
      throw new RangeError(`media: expected an image of 1 to ${maxPixels} pixels, got ${width}x${height}`)
    if (transparent && format === 'jpeg') throw new RangeError('media: a JPEG cannot be transparent')
    const raster = drawPicture(media)
    if (caption !== undefined) drawCaption(raster, await font(), caption)
    if (partial !== undefined) hideRest(raster, partial, transparent)
    if (format !== 'png') return (await encoders[format]())(raster, quality)
    // The comment distinguishes two images whose seeds happen to draw the same. Only requested alpha channels
    // are written, because readers test for the channel.
    return encodePng(raster, transparent ? 4 : 3, {
      Software: 'gateway-sim',
      Comment: digest(`picture ${media.seed}`).slice(0, 16),
    })
  }
}

const grey: Colour = [200, 200, 200]

/** A partial image is complete down to a line, which is lower in each step. */
function hideRest(
  raster: Raster,
  { step, steps }: NonNullable<ImageMedia['partial']>,
  transparent: boolean,
): void {
  const { width, height } = raster
  const y = Math.floor((height * Math.min(step + 1, steps)) / (steps + 1))
  paint(raster, { x: 0, y, width, height: height - y }, transparent ? undefined : grey)
}
