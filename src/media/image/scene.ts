/** The content of an image: a ground in two colours with shapes, derived from the seed. */
import type { Random } from '../../engine/random.ts'
import type { Colour, Raster } from './raster.ts'
import { ellipse, fill, polygon } from './shapes.ts'

const defaultShapes = 5

/**
 * Fills the raster; with `clearGround`, only the shapes. Corners are always ground, and the middle is always
 * covered by a shape.
 */
export function drawScene(
  raster: Raster,
  random: Random,
  {
    clearGround,
    shapes = defaultShapes,
  }: { readonly clearGround: boolean; readonly shapes?: number | undefined },
): void {
  if (!clearGround) drawGround(raster, random.fork('ground'))
  drawShapes(raster, random.fork('shapes'), random.fork('colours'), shapes)
}

/** Draws shapes over the existing pixels. */
function drawShapes(raster: Raster, random: Random, colours: Random, count: number): void {
  const { width, height } = raster
  const side = Math.min(width, height)
  for (let shape = 0; shape < count; shape++) {
    const middle = shape === 0
    const place = (from: number): number => from / 2 + (side * random.integer(-6, 6)) / 100
    const x = middle ? place(width) : (width * random.integer(24, 76)) / 100
    const y = middle ? place(height) : (height * random.integer(24, 76)) / 100
    const radius = Math.max(1, (side * random.integer(middle ? 20 : 8, middle ? 30 : 17)) / 100)
    const corners = outlines[random.integer(0, middle ? 2 : outlines.length)]
    const top: Colour = [colours.integer(60, 250), colours.integer(60, 250), colours.integer(60, 250)]
    fill(
      raster,
      corners === undefined
        ? ellipse(x, y, radius, radius)
        : polygon(corners.map((value, index) => (index % 2 === 0 ? x : y) + (value * radius) / 100)),
      { top, bottom: [top[0] >> 1, top[1] >> 1, top[2] >> 1] },
    )
  }
}

/**
 * Corners in hundredths of the radius: a rectangle, a hexagon and a diamond, which cover the middle; a
 * triangle and a star. Any other shape is the disc.
 */
const outlines: readonly (readonly number[])[] = [
  [-110, -80, 110, -80, 110, 80, -110, 80],
  [100, 0, 50, 87, -50, 87, -100, 0, -50, -87, 50, -87],
  [0, -100, 90, 0, 0, 100, -90, 0],
  [0, -100, 90, 60, -90, 60],
  [0, -100, 24, -32, 95, -31, 38, 12, 59, 81, 0, 40, -59, 81, -38, 12, -95, -31, -24, -32],
]

// A gradient across the image, in fixed point: 8 bits of shade, 16 after the point.
function drawGround({ width, height, rgba }: Raster, random: Random): void {
  const channel = (min: number, max: number): number => random.integer(min, max)
  const from: Colour = [channel(10, 90), channel(20, 110), channel(40, 140)]
  const to: Colour = [channel(130, 240), channel(120, 230), channel(110, 220)]
  const shades = new Uint8Array(256 * 4).fill(255)
  for (let shade = 0; shade < 256; shade++)
    for (let part = 0; part < 3; part++)
      shades[shade * 4 + part] = Math.round(
        (from[part] as number) + (((to[part] as number) - (from[part] as number)) * shade) / 255,
      )
  const share = random.integer(1, 3)
  const flipX = random.chance(1, 2)
  const flipY = random.chance(1, 2)
  const top = 255 << 16
  const stepX = Math.floor((top * share) / 4 / Math.max(1, width - 1))
  const stepY = Math.floor((top * (4 - share)) / 4 / Math.max(1, height - 1))
  // Writes whole pixels, because an image has a million of them.
  const [pixels, shadePixels] = [new Uint32Array(rgba.buffer), new Uint32Array(shades.buffer)]
  for (let y = 0, at = 0; y < height; y++) {
    const row = (flipY ? height - 1 - y : y) * stepY
    for (let x = 0; x < width; x++, at++)
      pixels[at] = shadePixels[(row + (flipX ? width - 1 - x : x) * stepX) >> 16] as number
  }
}
