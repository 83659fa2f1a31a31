/** The images that a video is made from: in its thumbnail and on its sheet, and as the colour of a second. */
import type { ImageSource, VideoMedia } from '../../protocol/media.ts'
import { createRaster, drawOnto, type Raster, writeMean } from '../image/raster.ts'
import type { ImageRenderer } from '../image/render-image.ts'
import type { Colour } from './scene.ts'

/** Undefined where a second follows from the seed alone. */
export interface SourceImages {
  readonly first: SourceImage | undefined
  readonly last: SourceImage | undefined
}

interface SourceImage {
  /** In its own size. */
  readonly raster: Raster
  readonly meanColour: Colour
}

export async function loadSourceImages(
  { width, height, images: named }: VideoMedia,
  images: ImageRenderer,
): Promise<SourceImages> {
  const load = async (source: ImageSource | undefined): Promise<SourceImage | undefined> => {
    if (source === undefined) return undefined
    const raster = await images.pixels(source, { width, height })
    return { raster, meanColour: meanColourOf(raster) }
  }
  return { first: await load(named?.first), last: await load(named?.last) }
}

function meanColourOf({ rgba, width, height }: Raster): Colour {
  const mean = new Uint8Array(4)
  writeMean(mean, 0, rgba, width, 0, 0, width, height)
  return [mean[0] as number, mean[1] as number, mean[2] as number]
}

/**
 * The image in its own shape in the middle of a frame: all of it with black beside it, or as much as fills
 * the frame. What is transparent is white.
 */
export function fitInto(image: Raster, width: number, height: number, fit: 'contain' | 'cover'): Raster {
  const isWider = image.width * height > width * image.height
  const byWidth = isWider === (fit === 'contain')
  const scaledWidth = byWidth ? width : Math.max(1, Math.round((image.width * height) / image.height))
  const scaledHeight = byWidth ? Math.max(1, Math.round((image.height * width) / image.width)) : height
  const place = {
    x: Math.floor((width - scaledWidth) / 2),
    y: Math.floor((height - scaledHeight) / 2),
    width: scaledWidth,
    height: scaledHeight,
  }
  const result = createRaster(width, height)
  for (let at = 3; at < result.rgba.length; at += 4) result.rgba[at] = 255
  drawOnto(result, { width: 1, height: 1, rgba: Uint8Array.of(255, 255, 255, 255) }, place)
  drawOnto(result, image, place)
  return result
}
