/** Pictures: a gradient with plates and discs, all drawn from the seed. Knows PNG's library, nothing of replies. */
import { randomFrom, type Random } from '../engine/random.ts'
import type { ImageMedia } from '../protocol/media.ts'
import type { Encode } from './image-codecs.ts'

type Colour = [number, number, number]

/** The most pixels a picture may have: 4096 x 4096. Keeping requests below is the endpoints' part. */
export const mostPixels = 4096 * 4096

// One byte per pixel: the ground takes the first colours, every shape a run of its own behind them.
const groundShades = 192
const shapeShades = 12
const shapeCount = 5

// A script may take more steps than a request can ask for.
const longestHalving = 6

/** Where the encoders of the formats that need WebAssembly come from; each is loaded once. */
export interface Encoders {
  readonly webp: () => Promise<Encode>
  readonly jpeg: () => Promise<Encode>
}

/** The file of a picture. Throws for sides that are no whole numbers from 1, above `mostPixels`, and for a transparent JPEG. */
export async function renderImage(media: ImageMedia, encoders: Encoders): Promise<Uint8Array> {
  const { width, height, format, transparent, quality = 100 } = media
  if (!Number.isInteger(width) || !Number.isInteger(height) || width < 1 || height < 1 || width * height > mostPixels) {
    throw new RangeError(`render-media: expected a picture of 1 to ${mostPixels} pixels, got ${width}x${height}`)
  }
  if (transparent && format === 'jpeg') throw new RangeError('render-media: a JPEG cannot be transparent')
  const random = randomFrom(`picture ${media.seed}`)
  const palette = coloursOf(random.fork('colours'))
  const pixels = new Uint8Array(width * height)
  drawGround(pixels, width, height, random.fork('ground'))
  drawShapes(pixels, width, height, random.fork('shapes'))
  if (media.onItsWay !== undefined) coarsen(pixels, width, height, 16 << Math.min(media.onItsWay.steps - 1 - media.onItsWay.step, longestHalving))
  if (format === 'png') return encodePng(media, pixels, palette, random.fork('comment').hex(16))
  const encode = await encoders[format]()
  return encode({ width, height, rgba: inColour(pixels, palette, transparent) }, quality)
}

async function encodePng({ width, height, transparent }: ImageMedia, pixels: Uint8Array, palette: Colour[], comment: string): Promise<Uint8Array> {
  const { encode } = await import('fast-png')
  // The seed in the text keeps two pictures apart that chance drew alike.
  const text = { Software: 'gateway-sim', Comment: comment }
  const zlib = { level: 6 } as const
  // With a palette the encoder has a quarter to do; an alpha channel is what readers of transparency look for.
  if (!transparent) return encode({ width, height, channels: 1, data: pixels, palette, text }, { zlib })
  return encode({ width, height, channels: 4, data: inColour(pixels, palette, true), text }, { zlib })
}

/** Gives every square of the picture the one colour in its middle. */
function coarsen(pixels: Uint8Array, width: number, height: number, side: number): void {
  for (let top = 0; top < height; top += side) {
    const bottom = Math.min(top + side, height)
    for (let left = 0; left < width; left += side) {
      const right = Math.min(left + side, width)
      const middle = pixels[((top + bottom) >> 1) * width + ((left + right) >> 1)] as number
      for (let y = top; y < bottom; y++) pixels.fill(middle, y * width + left, y * width + right)
    }
  }
}

function coloursOf(random: Random): Colour[] {
  const channel = (min: number, max: number): number => random.integer(min, max)
  const from: Colour = [channel(10, 90), channel(20, 110), channel(40, 140)]
  const to: Colour = [channel(130, 240), channel(120, 230), channel(110, 220)]
  const colours = ramp(from, to, groundShades)
  for (let shape = 0; shape < shapeCount; shape++) {
    const base: Colour = [channel(60, 250), channel(60, 250), channel(60, 250)]
    const dark: Colour = [base[0] >> 1, base[1] >> 1, base[2] >> 1]
    colours.push(...ramp(base, dark, shapeShades))
  }
  return colours
}

function ramp(from: Colour, to: Colour, steps: number): Colour[] {
  const between = (a: number, b: number, i: number): number => a + Math.trunc(((b - a) * i) / (steps - 1))
  return Array.from({ length: steps }, (_, i): Colour => [between(from[0], to[0], i), between(from[1], to[1], i), between(from[2], to[2], i)])
}

// An ordered 8 x 8 dither: thresholds 0..63 in the order that scatters them best.
const dither = Uint8Array.from({ length: 64 }, (_, i) => {
  const x = i & 7
  const y = i >> 3
  const bit = (value: number, n: number): number => (value >> n) & 1
  return [0, 1, 2].reduce((sum, n) => sum * 4 + bit(x ^ y, n) * 2 + bit(y, n), 0)
})

function drawGround(pixels: Uint8Array, width: number, height: number, random: Random): void {
  const share = random.integer(0, 4)
  const flipX = random.chance(1, 2)
  const flipY = random.chance(1, 2)
  // Fixed point, 16 bits behind the point: the same on every engine.
  const top = (groundShades - 1) << 16
  const stepX = Math.floor((top * share) / 4 / Math.max(1, width - 1))
  const stepY = Math.floor((top * (4 - share)) / 4 / Math.max(1, height - 1))
  let at = 0
  for (let y = 0; y < height; y++) {
    const rowValue = (flipY ? height - 1 - y : y) * stepY
    const row = (y & 7) << 3
    for (let x = 0; x < width; x++) {
      const value = rowValue + (flipX ? width - 1 - x : x) * stepX + ((dither[row | (x & 7)] as number) << 10)
      pixels[at++] = value >= top ? groundShades - 1 : value >> 16
    }
  }
}

function drawShapes(pixels: Uint8Array, width: number, height: number, random: Random): void {
  const side = Math.min(width, height)
  for (let shape = 0; shape < shapeCount; shape++) {
    const disc = random.chance(3, 5)
    const centreX = Math.floor((width * random.integer(10, 90)) / 100)
    const centreY = Math.floor((height * random.integer(10, 90)) / 100)
    const radius = Math.max(1, Math.floor((side * random.integer(8, 26)) / 100))
    const halfWidth = disc ? radius : Math.floor((radius * random.integer(12, 24)) / 10)
    const firstShade = groundShades + shape * shapeShades
    for (let y = Math.max(0, centreY - radius); y < Math.min(height, centreY + radius); y++) {
      const dy = y - centreY
      // Math.sqrt is exact by the standard, unlike Math.sin.
      const half = disc ? Math.floor(Math.sqrt(radius * radius - dy * dy)) : halfWidth
      const shade = firstShade + Math.floor(((dy + radius) * shapeShades) / (2 * radius))
      const from = Math.max(0, centreX - half)
      const to = Math.min(width, centreX + half)
      if (from >= to) continue
      pixels.fill(shade, y * width + from, y * width + to)
      // Specks: clients tell a real picture from a stub by its size, and flat colour packs too well for that.
      for (let specks = (to - from) >> 6; specks > 0; specks--) pixels[y * width + random.integer(from, to - 1)] = firstShade + ((shade - firstShade + 1) % shapeShades)
    }
  }
}

/** The pixels as red, green, blue and alpha; the ground lets everything through when it is clear. */
function inColour(pixels: Uint8Array, palette: readonly Colour[], clearGround: boolean): Uint8Array {
  const rgba = new Uint8Array(pixels.length * 4)
  for (let i = 0; i < pixels.length; i++) {
    const index = pixels[i] as number
    if (clearGround && index < groundShades) continue
    const [red, green, blue] = palette[index] as Colour
    rgba[i * 4] = red
    rgba[i * 4 + 1] = green
    rgba[i * 4 + 2] = blue
    rgba[i * 4 + 3] = 255
  }
  return rgba
}
