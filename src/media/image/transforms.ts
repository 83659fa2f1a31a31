/**
 * Pictures that are made from others (contract 4.4 and 4.5): what each kind of work does to pixels. Sources
 * come in as pixels; where they come from is unknown here.
 */
import type { Random } from '../../engine/random.ts'
import type { Caption, Rectangle, Transform } from '../../protocol/media.ts'
import { drawCaption } from './caption.ts'
import { type Colour, fill, plain } from './fill.ts'
import type { Font } from './font.ts'
import { oval } from './outline.ts'
import { clearRaster, copyOf, lay, mix, type Raster, scaled } from './raster.ts'
import { drawScene, drawShapes } from './scene.ts'

/** What all works need. */
export interface Making {
  readonly width: number
  readonly height: number
  readonly random: Random
  readonly font: Font
  readonly caption: Caption | undefined
  /** Whether what is drawn anew has a clear ground. */
  readonly clearGround: boolean
  /** How many shapes are drawn anew; the usual number when left out. */
  readonly shapes: number | undefined
}

/** What is looked at of the areas to paint: a request may hold far more than can be seen. */
const maxAreas = 128
const maxCorners = 1000

const whole = ({ width, height }: { readonly width: number; readonly height: number }): Rectangle => ({
  x: 0,
  y: 0,
  width,
  height,
})

/**
 * The source with what the mask leaves clear drawn anew, and the caption there; all else is as it was. A
 * source of other sides is scaled to fit.
 */
export function edited(source: Raster, mask: Raster | undefined, making: Making): Raster {
  const picture = copyOf(scaled(source, making.width, making.height))
  const guide = mask === undefined ? copyOf(picture) : scaled(mask, making.width, making.height)
  const marked = clearArea(guide)
  // Nothing marks where to edit: some part is chosen, so that the rest still shows what it was made from.
  const area = marked ?? clearSomePart(guide, making.random.fork('part'))
  const anew = clearRaster(area.width, area.height)
  drawScene(anew, making.random.fork('edit'), making)
  // Areas are often round: words near the middle are seen whole.
  if (making.caption !== undefined && marked !== undefined)
    drawCaption(anew, making.font, making.caption, inset(area))
  for (let y = 0; y < area.height; y++) {
    for (let x = 0; x < area.width; x++) {
      const at = ((y + area.y) * picture.width + x + area.x) * 4
      const from = (y * area.width + x) * 4
      const share = 255 - (guide.rgba[at + 3] as number)
      if (share === 0) continue
      if (share === 255) picture.rgba.set(anew.rgba.subarray(from, from + 4), at)
      else mix(picture.rgba, at, anew.rgba, from, share)
    }
  }
  // Where no part was marked, none was to be kept: the words stand where they stand on every picture.
  if (making.caption !== undefined && marked === undefined)
    drawCaption(picture, making.font, making.caption, whole(making))
  return picture
}

/** The source on a canvas that is drawn around it, and areas painted over both. */
export function painted(
  source: Raster,
  mask: Raster | undefined,
  { at, canvas, areas }: Extract<Transform, { kind: 'paint' }>,
  making: Making,
): Raster {
  const { width, height, random } = making
  const scaleX = width / canvas.width
  const scaleY = height / canvas.height
  const picture = clearRaster(width, height)
  drawScene(picture, random.fork('around'), making)
  const left = Math.round(at.x * scaleX)
  const top = Math.round(at.y * scaleY)
  const place = {
    x: left,
    y: top,
    width: Math.max(1, Math.round((at.x + at.width) * scaleX) - left),
    height: Math.max(1, Math.round((at.y + at.height) * scaleY) - top),
  }
  lay(picture, source, place)
  const contours = areas
    .slice(0, maxAreas)
    .map((area) =>
      area.slice(0, 2 * maxCorners).map((value, index) => value * (index % 2 === 0 ? scaleX : scaleY)),
    )
  const paint = clearRaster(width, height)
  drawHatching(paint, random.fork('paint'))
  const cover = mask === undefined ? clearRaster(width, height) : brightOf(scaled(mask, width, height))
  for (const contour of contours) fill(cover, [contour], plain([255, 255, 255]))
  for (let pixel = 3; pixel < cover.rgba.length; pixel += 4)
    if (cover.rgba[pixel] !== 0)
      mix(picture.rgba, pixel - 3, paint.rgba, pixel - 3, cover.rgba[pixel] as number)
  if (making.caption !== undefined) {
    const room = largestBeside(place, making)
    if (room !== undefined) drawCaption(picture, making.font, making.caption, room)
  }
  return picture
}

/**
 * The source at one side, at its own size, and the picture going on beyond the other: the colours of its edge
 * fade into what is drawn anew.
 */
export function extended(source: Raster, direction: 0 | 1 | 2 | 3, making: Making): Raster {
  const { width, height, random } = making
  const picture = clearRaster(width, height)
  drawScene(picture, random.fork('beyond'), making)
  const upright = direction === 0 || direction === 2
  const centred = (room: number, size: number): number => Math.floor((room - size) / 2)
  const x = direction === 1 ? 0 : direction === 3 ? width - source.width : centred(width, source.width)
  const y = direction === 0 ? 0 : direction === 2 ? height - source.height : centred(height, source.height)
  const beyond = upright ? height - source.height : width - source.width
  const fade = Math.max(0, Math.floor(beyond / 2))
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      const fromX = Math.min(source.width - 1, Math.max(0, column - x))
      const fromY = Math.min(source.height - 1, Math.max(0, row - y))
      const away = upright ? Math.abs(row - y - fromY) : Math.abs(column - x - fromX)
      if (away >= fade) continue
      mix(
        picture.rgba,
        (row * width + column) * 4,
        source.rgba,
        (fromY * source.width + fromX) * 4,
        Math.round((255 * (fade - away)) / fade),
      )
    }
  }
  copyInto(picture, source, x, y)
  const place = { x, y, width: source.width, height: source.height }
  const room = largestBeside(place, making)
  if (making.caption !== undefined && room !== undefined)
    drawCaption(picture, making.font, making.caption, room)
  return picture
}

/** An oval of the source; outside of it everything is clear. */
export function cutOut(source: Raster, { width, height }: Making): Raster {
  const picture = copyOf(scaled(source, width, height))
  const shape = clearRaster(width, height)
  fill(shape, [oval(width / 2, height / 2, width * 0.42, height * 0.42)], plain([0, 0, 0]))
  for (let at = 3; at < picture.rgba.length; at += 4)
    picture.rgba[at] = Math.round(((picture.rgba[at] as number) * (shape.rgba[at] as number)) / 255)
  return picture
}

/**
 * Another one like the source: a little moved and tinted when subtle; mirrored, in other colours and with new
 * shapes when strong.
 */
export function varied(source: Raster, strength: 'subtle' | 'strong', making: Making): Raster {
  const { width, height, random } = making
  const subtle = strength === 'subtle'
  const from = scaled(source, width, height)
  const picture = clearRaster(width, height)
  const sway = Math.max(1, Math.floor(width / 160))
  const period = Math.max(4, Math.floor(height / 3))
  for (let y = 0, at = 0; y < height; y++) {
    // A triangle wave: rows move to and fro.
    const phase = y % period
    const shift = Math.floor((sway * (phase * 2 < period ? phase : period - phase) * 2) / period)
    for (let x = 0; x < width; x++, at += 4) {
      const column = subtle ? Math.min(width - 1, x + shift) : width - 1 - x
      picture.rgba.set(from.rgba.subarray((y * width + column) * 4, (y * width + column) * 4 + 4), at)
    }
  }
  tint(
    picture,
    random.fork('tint'),
    subtle ? { own: 15, swapped: 0, tint: 1 } : { own: 5, swapped: 7, tint: 4 },
  )
  if (!subtle) drawShapes(picture, random.fork('more'), random.fork('colours'), 2)
  if (making.caption !== undefined) drawCaption(picture, making.font, making.caption, whole(making))
  return picture
}

/** The source in other colours. */
export function recoloured(source: Raster, making: Making): Raster {
  const picture = copyOf(scaled(source, making.width, making.height))
  ramp(picture, making.random.fork('tint'))
  if (making.caption !== undefined) drawCaption(picture, making.font, making.caption, whole(making))
  return picture
}

/**
 * Mixes each pixel from itself, from itself with its channels changed round, and from one colour, so that
 * what is grey changes too. Shares of all together.
 */
function tint(
  { rgba }: Raster,
  random: Random,
  shares: { readonly own: number; readonly swapped: number; readonly tint: number },
): void {
  const colour = [random.integer(0, 255), random.integer(0, 255), random.integer(0, 255)] as const
  const turn = random.integer(1, 2)
  const all = shares.own + shares.swapped + shares.tint
  for (let at = 0; at < rgba.length; at += 4) {
    const own = [rgba[at] as number, rgba[at + 1] as number, rgba[at + 2] as number] as const
    for (let channel = 0; channel < 3; channel++) {
      const swapped = own[(channel + turn) % 3] as number
      rgba[at + channel] = Math.round(
        ((own[channel] as number) * shares.own +
          swapped * shares.swapped +
          (colour[channel] as number) * shares.tint) /
          all,
      )
    }
  }
}

/**
 * Draws light and dark in two colours, mixed with each pixel's own with its channels changed round. From the
 * darkest to the lightest that there is, so that a picture that is recoloured again and again does not fade.
 */
function ramp({ rgba }: Raster, random: Random): void {
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
      const shade =
        (dark[channel] as number) +
        Math.floor((((pale[channel] as number) - (dark[channel] as number)) * light) / span)
      rgba[at + channel] = Math.round((shade * 10 + (own[(channel + turn) % 3] as number) * 6) / 16)
    }
  }
}

/** Two colours in slanting stripes. */
function drawHatching(raster: Raster, random: Random): void {
  const channel = (): number => random.integer(90, 250)
  const ground: Colour = [channel(), channel(), channel()]
  const stripe: Colour = [ground[0] >> 1, ground[1] >> 1, ground[2] >> 1]
  const { width, height, rgba } = raster
  const pace = Math.max(4, Math.floor(Math.min(width, height) / 24))
  for (let y = 0, at = 0; y < height; y++)
    for (let x = 0; x < width; x++, at += 4)
      rgba.set((x + y) % pace < pace / 3 ? [...stripe, 255] : [...ground, 255], at)
}

/** The rectangle around all that is clear to any degree; undefined when nothing is. */
function clearArea({ width, height, rgba }: Raster): Rectangle | undefined {
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
 * Makes an oval of the guide clear, about a fifth of the picture and above where words stand, and says where
 * it is.
 */
function clearSomePart(guide: Raster, random: Random): Rectangle {
  const { width, height, rgba } = guide
  const shape = clearRaster(width, height)
  const [x, y] = [random.integer(35, 65), random.integer(34, 42)]
  const [wide, tall] = [random.integer(20, 28), random.integer(20, 28)]
  fill(
    shape,
    [oval((width * x) / 100, (height * y) / 100, (width * wide) / 100, (height * tall) / 100)],
    plain([0, 0, 0]),
  )
  for (let at = 3; at < rgba.length; at += 4) rgba[at] = 255 - (shape.rgba[at] as number)
  return clearArea(guide) ?? whole(guide)
}

/** A mask of the other kind: what is white and solid is to be painted. */
function brightOf({ width, height, rgba }: Raster): Raster {
  const cover = clearRaster(width, height)
  for (let at = 0; at < rgba.length; at += 4) {
    const light = Math.floor(
      ((rgba[at] as number) * 2 + (rgba[at + 1] as number) * 5 + (rgba[at + 2] as number)) / 8,
    )
    cover.rgba[at + 3] = light >= 128 && (rgba[at + 3] as number) >= 128 ? 255 : 0
  }
  return cover
}

// The middle of an area, in its own coordinates.
function inset({ width, height }: Rectangle): Rectangle {
  const [x, y] = [Math.floor(width / 8), Math.floor(height / 5)]
  return { x, y, width: width - 2 * x, height: height - 2 * y }
}

/** The largest part of the picture on one side of a rectangle; undefined when nothing is left. */
function largestBeside(
  { x, y, width, height }: Rectangle,
  picture: { readonly width: number; readonly height: number },
): Rectangle | undefined {
  const rooms: Rectangle[] = [
    { x: 0, y: y + height, width: picture.width, height: picture.height - y - height },
    { x: x + width, y: 0, width: picture.width - x - width, height: picture.height },
    { x: 0, y: 0, width: picture.width, height: y },
    { x: 0, y: 0, width: x, height: picture.height },
  ].map((room) => ({
    ...room,
    width: Math.min(room.width, picture.width),
    height: Math.min(room.height, picture.height),
  }))
  // As much of the short side as possible: words need both.
  return rooms
    .filter((room) => room.width > 0 && room.height > 0)
    .sort((a, b) => Math.min(b.width, b.height * 3) - Math.min(a.width, a.height * 3))[0]
}

/** Puts a picture there, clear pixels included. */
function copyInto(to: Raster, from: Raster, x: number, y: number): void {
  const [left, right] = [Math.max(0, x), Math.min(to.width, x + from.width)]
  if (left >= right) return
  for (let row = Math.max(0, y); row < Math.min(to.height, y + from.height); row++) {
    const at = ((row - y) * from.width + left - x) * 4
    to.rgba.set(from.rgba.subarray(at, at + (right - left) * 4), (row * to.width + left) * 4)
  }
}
