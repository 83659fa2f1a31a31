/** The pictures that a film shows for a whole second, as large as the film. */
import type { VideoMedia } from '../../protocol/media.ts'
import type { ImageMaker } from '../image/image.ts'
import { clearRaster, lay, type Raster } from '../image/raster.ts'

/** What stands on the first second and on the last one; undefined where a sign does. */
export interface Stills {
  readonly first: Raster | undefined
  readonly last: Raster | undefined
}

export async function drawStills({ width, height, stills }: VideoMedia, images: ImageMaker): Promise<Stills> {
  if (stills === undefined) return { first: undefined, last: undefined }
  const { first, last, fit } = stills
  const drawn = async (source: typeof first): Promise<Raster | undefined> =>
    source === undefined
      ? undefined
      : fitted(await images.pixels(source, { width, height }), width, height, fit)
  return { first: await drawn(first), last: await drawn(last) }
}

/**
 * The picture in its own shape in the middle of another: all of it with black beside it, or as much as fills
 * the whole. What may be seen through is white.
 */
export function fitted(picture: Raster, width: number, height: number, fit: 'contain' | 'cover'): Raster {
  const isWider = picture.width * height > width * picture.height
  // As wide as the film or as high, whichever is asked for; never nothing.
  const byWidth = isWider === (fit === 'contain')
  const wide = byWidth ? width : Math.max(1, Math.round((picture.width * height) / picture.height))
  const high = byWidth ? Math.max(1, Math.round((picture.height * width) / picture.width)) : height
  const place = {
    x: Math.floor((width - wide) / 2),
    y: Math.floor((height - high) / 2),
    width: wide,
    height: high,
  }
  const result = clearRaster(width, height)
  for (let at = 3; at < result.rgba.length; at += 4) result.rgba[at] = 255
  lay(result, { width: 1, height: 1, rgba: Uint8Array.of(255, 255, 255, 255) }, place)
  lay(result, picture, place)
  return result
}
