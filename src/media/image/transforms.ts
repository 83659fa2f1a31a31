/** Edits of images (contract 4.4 and 4.5). */
import type { Random } from '../../engine/random.ts'
import type { Caption, Rectangle, Transform } from '../../protocol/media.ts'
import { drawCaption } from './caption.ts'
import type { Font } from './font.ts'
import { copyRaster, createRaster, drawOnto, mixPixel, type Raster, resize } from './raster.ts'
import { drawScene, drawShapes } from './scene.ts'
import { ellipse, fill, polygon, solid } from './shapes.ts'

/** The content to draw, for any transform. */
export interface Target {
  readonly width: number
  readonly height: number
  readonly random: Random
  readonly font: Font
  readonly caption: Caption | undefined
  /** Whether new areas have a transparent ground. */
  readonly clearGround: boolean
  /** The number of new shapes. */
  readonly shapes: number | undefined
}

/** The maximum number of painted areas: requests may contain far more than can be seen. */
const maxAreas = 128
const maxCorners = 1000

const wholeOf = ({ width, height }: Pick<Raster, 'width' | 'height'>): Rectangle => ({
  x: 0,
  y: 0,
  width,
  height,
})

/**
 * Redraws the areas that the mask leaves transparent, with the caption there; keeps the rest. A source of
 * another size is scaled.
 */
export function editImage(source: Raster, mask: Raster | undefined, target: Target): Raster {
  const image = copyRaster(resize(source, target.width, target.height))
  const guide = mask === undefined ? copyRaster(image) : resize(mask, target.width, target.height)
  const marked = transparentArea(guide)
  // Without a mask, one part is chosen, so that the rest still shows the source.
  const area = marked ?? clearSomePart(guide, target.random.fork('part'))
  const drawing = createRaster(area.width, area.height)
  drawScene(drawing, target.random.fork('edit'), target)
  // Areas are often round: a caption near the middle is completely visible.
  if (target.caption !== undefined && marked !== undefined)
    drawCaption(drawing, target.font, target.caption, middleOf(area))
  for (let y = 0; y < area.height; y++) {
    for (let x = 0; x < area.width; x++) {
      const at = ((y + area.y) * image.width + x + area.x) * 4
      const from = (y * area.width + x) * 4
      const share = 255 - (guide.rgba[at + 3] as number)
      if (share > 0) mixPixel(image.rgba, at, drawing.rgba, from, share)
    }
  }
  // Without a marked part, the caption is in its usual position.
  return marked === undefined ? captioned(image, target) : image
}

/** Places the source on a new drawing, and repaints areas in both. */
export function paintImage(
  source: Raster,
  mask: Raster | undefined,
  { at, canvas, areas }: Extract<Transform, { kind: 'paint' }>,
  target: Target,
): Raster {
  const { width, height, random } = target
  const scaleX = width / canvas.width
  const scaleY = height / canvas.height
  const image = createRaster(width, height)
  drawScene(image, random.fork('around'), target)
  const left = Math.round(at.x * scaleX)
  const top = Math.round(at.y * scaleY)
  const place = {
    x: left,
    y: top,
    width: Math.max(1, Math.round((at.x + at.width) * scaleX) - left),
    height: Math.max(1, Math.round((at.y + at.height) * scaleY) - top),
  }
  drawOnto(image, source, place)
  const paint = createRaster(width, height)
  drawScene(paint, random.fork('paint'), { clearGround: false })
  const cover = mask === undefined ? createRaster(width, height) : brightArea(resize(mask, width, height))
  for (const area of areas.slice(0, maxAreas)) {
    const corners = area.slice(0, 2 * maxCorners)
    const contour = corners.map((value, index) => value * (index % 2 === 0 ? scaleX : scaleY))
    fill(cover, polygon(contour), solid([255, 255, 255]))
  }
  for (let pixel = 3; pixel < cover.rgba.length; pixel += 4)
    if (cover.rgba[pixel] !== 0)
      mixPixel(image.rgba, pixel - 3, paint.rgba, pixel - 3, cover.rgba[pixel] as number)
  captionBeside(image, place, target)
  return image
}

/** Places the source at one side in its original size, and draws the rest of the canvas. */
export function extendImage(source: Raster, direction: 0 | 1 | 2 | 3, target: Target): Raster {
  const { width, height, random } = target
  const image = createRaster(width, height)
  drawScene(image, random.fork('beyond'), target)
  const [roomX, roomY] = [width - source.width, height - source.height]
  const place = {
    x: direction === 1 ? 0 : direction === 3 ? roomX : Math.floor(roomX / 2),
    y: direction === 0 ? 0 : direction === 2 ? roomY : Math.floor(roomY / 2),
    width: source.width,
    height: source.height,
  }
  drawOnto(image, source, place)
  captionBeside(image, place, target)
  return image
}

/**
 * The weights of a pixel's own colour, of this colour with swapped channels, and of one tint for all pixels.
 */
interface Shares {
  readonly own: number
  readonly swapped: number
  readonly tint: number
}

const subtleShares: Shares = { own: 15, swapped: 0, tint: 1 }
const strongShares: Shares = { own: 5, swapped: 7, tint: 4 }

/** A subtle variation tints the source a little; a strong variation changes its colours and adds shapes. */
export function varyImage(source: Raster, strength: 'subtle' | 'strong', target: Target): Raster {
  const image = tinted(source, strength === 'subtle' ? subtleShares : strongShares, target)
  if (strength === 'strong') drawShapes(image, target.random.fork('more'), target.random.fork('colours'), 2)
  return captioned(image, target)
}

/** The source in other colours. */
export function recolourImage(source: Raster, target: Target): Raster {
  return captioned(tinted(source, strongShares, target), target)
}

/** The source with new colours for all pixels, including grey ones. */
function tinted(source: Raster, { own, swapped, tint }: Shares, { width, height, random }: Target): Raster {
  const image = copyRaster(resize(source, width, height))
  const { rgba } = image
  const chance = random.fork('tint')
  const colour = [chance.integer(0, 255), chance.integer(0, 255), chance.integer(0, 255)] as const
  const turn = chance.integer(1, 2)
  for (let at = 0; at < rgba.length; at += 4) {
    const before = [rgba[at] as number, rgba[at + 1] as number, rgba[at + 2] as number] as const
    for (const channel of [0, 1, 2] as const) {
      const other = before[(channel + turn) % 3] as number
      const mixed = before[channel] * own + other * swapped + colour[channel] * tint
      rgba[at + channel] = Math.round(mixed / (own + swapped + tint))
    }
  }
  return image
}

function captioned(image: Raster, { font, caption }: Target): Raster {
  if (caption !== undefined) drawCaption(image, font, caption, wholeOf(image))
  return image
}

/** Keeps an oval of the source; the rest becomes transparent. */
export function cutOutImage(source: Raster, target: Target): Raster {
  const { width, height } = target
  const image = copyRaster(resize(source, width, height))
  const shape = createRaster(width, height)
  fill(shape, ellipse(width / 2, height / 2, width * 0.42, height * 0.42), solid([0, 0, 0]))
  for (let at = 3; at < image.rgba.length; at += 4)
    image.rgba[at] = Math.round(((image.rgba[at] as number) * (shape.rgba[at] as number)) / 255)
  return captioned(image, target)
}

/** The middle of an area, relative to the area. */
function middleOf({ width, height }: Rectangle): Rectangle {
  const [x, y] = [Math.floor(width / 8), Math.floor(height / 5)]
  return { x, y, width: width - 2 * x, height: height - 2 * y }
}

/** Writes the caption where it covers nothing of the source, if there is room. */
function captionBeside(image: Raster, source: Rectangle, { font, caption }: Target): void {
  const room = largestRoomBeside(source, image)
  if (caption !== undefined && room !== undefined) drawCaption(image, font, caption, room)
}

/** The largest part of an image on one side of a rectangle; undefined if there is none. */
function largestRoomBeside({ x, y, width, height }: Rectangle, image: Raster): Rectangle | undefined {
  const rooms: Rectangle[] = [
    { x: 0, y: y + height, width: image.width, height: image.height - y - height },
    { x: x + width, y: 0, width: image.width - x - width, height: image.height },
    { x: 0, y: 0, width: image.width, height: y },
    { x: 0, y: 0, width: x, height: image.height },
  ]
  // Prefers a long short side: captions need both.
  return rooms
    .filter((room) => room.width > 0 && room.height > 0)
    .sort((a, b) => Math.min(b.width, b.height * 3) - Math.min(a.width, a.height * 3))[0]
}

/** The smallest rectangle that contains all pixels with transparency; undefined if there are none. */
function transparentArea({ width, height, rgba }: Raster): Rectangle | undefined {
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

/** Makes an oval transparent and returns its area: about a fifth of the image, above the captions. */
function clearSomePart(guide: Raster, random: Random): Rectangle {
  const { width, height, rgba } = guide
  const shape = createRaster(width, height)
  const [x, y] = [random.integer(35, 65), random.integer(34, 42)]
  const [radiusX, radiusY] = [random.integer(20, 28), random.integer(20, 28)]
  const oval = ellipse(
    (width * x) / 100,
    (height * y) / 100,
    (width * radiusX) / 100,
    (height * radiusY) / 100,
  )
  fill(shape, oval, solid([0, 0, 0]))
  for (let at = 3; at < rgba.length; at += 4) rgba[at] = 255 - (shape.rgba[at] as number)
  return transparentArea(guide) ?? { x: 0, y: 0, width, height }
}

/** Covers the bright and opaque areas in a mask of the other kind (contract 4.4). */
function brightArea({ width, height, rgba }: Raster): Raster {
  const cover = createRaster(width, height)
  for (let at = 0; at < rgba.length; at += 4) {
    const [red, green, blue] = [rgba[at] as number, rgba[at + 1] as number, rgba[at + 2] as number]
    const light = Math.floor((red * 2 + green * 5 + blue) / 8)
    cover.rgba[at + 3] = light >= 128 && (rgba[at + 3] as number) >= 128 ? 255 : 0
  }
  return cover
}
