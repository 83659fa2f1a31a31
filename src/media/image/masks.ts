/** Where an image is to change: what a mask marks, or a part that is chosen where nothing is marked. */
import type { Random } from '../../engine/random.ts'
import type { Rectangle } from '../../protocol/media.ts'
import { fill, solid } from './fill.ts'
import { ellipse } from './outline.ts'
import { createRaster, type Raster } from './raster.ts'

/** The rectangle around all that is transparent to any degree; undefined when nothing is. */
export function transparentArea({ width, height, rgba }: Raster): Rectangle | undefined {
  let [left, top, right, bottom] = [width, height, -1, -1]
  for (let y = 0, at = 3; y < height; y++) {
    for (let x = 0; x < width; x++, at += 4) {
      if (rgba[at] === 255) continue
      left = Math.min(left, x)
      right = Math.max(right, x)
      top = Math.min(top, y)
      bottom = y
    }
  }
  return right < 0 ? undefined : { x: left, y: top, width: right - left + 1, height: bottom - top + 1 }
}

/**
 * Makes an oval transparent, about a fifth of the image and above where captions are, and returns its area.
 */
export function clearSomePart(guide: Raster, random: Random): Rectangle {
  const { width, height, rgba } = guide
  const shape = createRaster(width, height)
  const [x, y] = [random.integer(35, 65), random.integer(34, 42)]
  const [radiusX, radiusY] = [random.integer(20, 28), random.integer(20, 28)]
  fill(
    shape,
    [ellipse((width * x) / 100, (height * y) / 100, (width * radiusX) / 100, (height * radiusY) / 100)],
    solid([0, 0, 0]),
  )
  for (let at = 3; at < rgba.length; at += 4) rgba[at] = 255 - (shape.rgba[at] as number)
  return transparentArea(guide) ?? { x: 0, y: 0, width, height }
}

/** Covers what is bright and opaque in a mask of the other kind (contract 4.4). */
export function brightArea({ width, height, rgba }: Raster): Raster {
  const cover = createRaster(width, height)
  for (let at = 0; at < rgba.length; at += 4) {
    const [red, green, blue] = [rgba[at] as number, rgba[at + 1] as number, rgba[at + 2] as number]
    const light = Math.floor((red * 2 + green * 5 + blue) / 8)
    cover.rgba[at + 3] = light >= 128 && (rgba[at + 3] as number) >= 128 ? 255 : 0
  }
  return cover
}
