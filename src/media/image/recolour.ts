/** The transforms that change all of a source: variations, and other colours. */
import type { Random } from '../../engine/random.ts'
import { drawCaption } from './caption.ts'
import { copyPixel, copyRaster, createRaster, type Raster, resize } from './raster.ts'
import { drawShapes } from './scene.ts'
import { type Target, wholeOf } from './transforms.ts'

/**
 * Another image like the source: a little moved and tinted when subtle; mirrored, in other colours and with
 * new shapes when strong.
 */
export function varyImage(source: Raster, strength: 'subtle' | 'strong', target: Target): Raster {
  const { width, height, random } = target
  const isSubtle = strength === 'subtle'
  const from = resize(source, width, height)
  const image = createRaster(width, height)
  const sway = Math.max(1, Math.floor(width / 160))
  const period = Math.max(4, Math.floor(height / 3))
  for (let y = 0, at = 0; y < height; y++) {
    // Rows move to and fro, in a triangle wave.
    const phase = y % period
    const shift = Math.floor((sway * (phase * 2 < period ? phase : period - phase) * 2) / period)
    for (let x = 0; x < width; x++, at += 4) {
      const column = isSubtle ? Math.min(width - 1, x + shift) : width - 1 - x
      copyPixel(image.rgba, at, from.rgba, (y * width + column) * 4)
    }
  }
  tint(image, random.fork('tint'), isSubtle ? subtleShares : strongShares)
  if (!isSubtle) drawShapes(image, random.fork('more'), random.fork('colours'), 2)
  if (target.caption !== undefined) drawCaption(image, target.font, target.caption, wholeOf(target))
  return image
}

/** The source in other colours. */
export function recolourImage(source: Raster, target: Target): Raster {
  const image = copyRaster(resize(source, target.width, target.height))
  drawInTwoColours(image, target.random.fork('tint'))
  if (target.caption !== undefined) drawCaption(image, target.font, target.caption, wholeOf(target))
  return image
}

/** How much of a pixel's colour is its own, its own with its channels swapped, and one tint for all. */
interface Shares {
  readonly own: number
  readonly swapped: number
  readonly tint: number
}

const subtleShares: Shares = { own: 15, swapped: 0, tint: 1 }
const strongShares: Shares = { own: 5, swapped: 7, tint: 4 }

/** Mixes the colour of each pixel anew; what is grey changes too. */
function tint({ rgba }: Raster, random: Random, shares: Shares): void {
  const colour = [random.integer(0, 255), random.integer(0, 255), random.integer(0, 255)] as const
  const turn = random.integer(1, 2)
  const sum = shares.own + shares.swapped + shares.tint
  for (let at = 0; at < rgba.length; at += 4) {
    const own = [rgba[at] as number, rgba[at + 1] as number, rgba[at + 2] as number] as const
    for (let channel = 0; channel < 3; channel++) {
      const swapped = own[(channel + turn) % 3] as number
      const mixed =
        (own[channel] as number) * shares.own +
        swapped * shares.swapped +
        (colour[channel] as number) * shares.tint
      rgba[at + channel] = Math.round(mixed / sum)
    }
  }
}

/**
 * Draws light and dark in two colours, mixed with each pixel's own with its channels swapped. The range is
 * that from the darkest pixel to the lightest, so that an image that is recoloured again and again does not
 * fade.
 */
function drawInTwoColours({ rgba }: Raster, random: Random): void {
  const lightOf = (at: number): number =>
    (rgba[at] as number) * 2 + (rgba[at + 1] as number) * 5 + (rgba[at + 2] as number)
  let [darkest, lightest] = [255 * 8, 0]
  for (let at = 0; at < rgba.length; at += 4) {
    if (rgba[at + 3] === 0) continue
    const light = lightOf(at)
    darkest = Math.min(darkest, light)
    lightest = Math.max(lightest, light)
  }
  const span = Math.max(1, lightest - darkest)
  const dark = [random.integer(0, 90), random.integer(0, 90), random.integer(0, 90)] as const
  const pale = [random.integer(165, 255), random.integer(165, 255), random.integer(165, 255)] as const
  const turn = random.integer(1, 2)
  for (let at = 0; at < rgba.length; at += 4) {
    const own = [rgba[at] as number, rgba[at + 1] as number, rgba[at + 2] as number] as const
    const light = Math.max(0, lightOf(at) - darkest)
    for (let channel = 0; channel < 3; channel++) {
      const from = dark[channel] as number
      const shade = from + Math.floor((((pale[channel] as number) - from) * light) / span)
      rgba[at + channel] = Math.round((shade * 10 + (own[(channel + turn) % 3] as number) * 6) / 16)
    }
  }
}
