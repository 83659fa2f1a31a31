/**
 * Pixels in memory, with operations that do not depend on their content: scaling, blending, drawing one image
 * onto another.
 */

/** Pixels as bytes: red, green, blue, alpha. Colours are not multiplied by alpha. */
export interface Raster {
  readonly width: number
  readonly height: number
  readonly rgba: Uint8Array
}

/** Pixels of a canvas; `x` and `y` may be negative. */
export interface Rectangle {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** A rectangle of pixels of an image; `right` and `bottom` are outside. */
interface Edges {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

/** Red, green and blue, 0 to 255. */
export type Colour = readonly [red: number, green: number, blue: number]

/** One pixel, which can be drawn in any size. */
export function flat(colour: Colour): Raster {
  return { width: 1, height: 1, rgba: Uint8Array.of(...colour, 255) }
}

export function createRaster(width: number, height: number): Raster {
  return { width, height, rgba: new Uint8Array(width * height * 4) }
}

/** Blends a colour over a pixel that is opaque or fully transparent. */
export function blendPixel(to: Uint8Array, at: number, colour: Uint8Array): void {
  const alpha = colour[3] as number
  if (alpha === 0) return
  if (to[at + 3] === 0) return to.set(colour, at)
  for (let channel = 0; channel < 3; channel++)
    to[at + channel] = Math.round(
      ((colour[channel] as number) * alpha + (to[at + channel] as number) * (255 - alpha)) / 255,
    )
}

/**
 * Moves a pixel towards another, including alpha, by `share` of `whole`. Transparent pixels do not affect the
 * colour.
 */
export function mixPixel(to: Uint8Array, at: number, from: Uint8Array, share: number, whole: number): void {
  const weights = [(to[at + 3] as number) * (whole - share), (from[3] as number) * share] as const
  const all = weights[0] + weights[1]
  if (all === 0) {
    to[at + 3] = 0
    return
  }
  for (let channel = 0; channel < 3; channel++)
    to[at + channel] = Math.round(
      ((to[at + channel] as number) * weights[0] + (from[channel] as number) * weights[1]) / all,
    )
  to[at + 3] = Math.round(all / whole)
}

/**
 * Draws an image onto another, scaled to a rectangle that may lie partly or completely outside. Shrinking
 * averages pixels; enlarging repeats them.
 */
export function drawOnto(on: Raster, image: Raster, { x, y, width, height }: Rectangle): void {
  const [left, right] = [Math.max(0, x), Math.min(on.width, x + width)]
  const column = (at: number): number => Math.floor(((at - x) * image.width) / width)
  const row = (at: number): number => Math.floor(((at - y) * image.height) / height)
  const mean = new Uint8Array(4)
  for (let down = Math.max(0, y); down < Math.min(on.height, y + height); down++) {
    const top = row(down)
    const bottom = Math.max(top + 1, row(down + 1))
    for (let across = left, to = (down * on.width + left) * 4; across < right; across++, to += 4) {
      const first = column(across)
      writeMean(mean, image, { left: first, top, right: Math.max(first + 1, column(across + 1)), bottom })
      blendPixel(on.rgba, to, mean)
    }
  }
}

/** Writes the mean colour of a rectangle of pixels, ignoring transparent pixels. */
export function writeMean(
  to: Uint8Array,
  { width, rgba }: Raster,
  { left, top, right, bottom }: Edges,
): void {
  let [red, green, blue, alpha] = [0, 0, 0, 0]
  for (let y = top; y < bottom; y++) {
    for (let x = left, from = (y * width + left) * 4; x < right; x++, from += 4) {
      const weight = rgba[from + 3] as number
      red += (rgba[from] as number) * weight
      green += (rgba[from + 1] as number) * weight
      blue += (rgba[from + 2] as number) * weight
      alpha += weight
    }
  }
  if (alpha === 0) {
    to.fill(0)
    return
  }
  to[0] = Math.round(red / alpha)
  to[1] = Math.round(green / alpha)
  to[2] = Math.round(blue / alpha)
  to[3] = Math.round(alpha / ((right - left) * (bottom - top)))
}

/** Whether every pixel is fully opaque. */
export function isOpaque({ rgba }: Raster): boolean {
  for (let at = 3; at < rgba.length; at += 4) if (rgba[at] !== 255) return false
  return true
}

/** The image on a white ground; the same raster if it is opaque. */
export function onWhite(image: Raster): Raster {
  if (isOpaque(image)) return image
  const rgba = image.rgba.slice()
  for (let at = 0; at < rgba.length; at += 4) {
    const alpha = rgba[at + 3] as number
    if (alpha === 255) continue
    const white = 255 * (255 - alpha)
    for (let channel = at; channel < at + 3; channel++)
      rgba[channel] = Math.round(((rgba[channel] as number) * alpha + white) / 255)
    rgba[at + 3] = 255
  }
  return { ...image, rgba }
}
