/** Fills outlines with colour. Each pixel gets as much of the colour as the outline covers of it. */
import type { Contour } from './outline.ts'
import { blendPixel, type Raster } from './raster.ts'

/** Red, green and blue, 0..255. */
export type Colour = readonly [number, number, number]

/** A gradient from the top of the outline to its bottom. */
export interface Paint {
  readonly top: Colour
  readonly bottom: Colour
  /**
   * Whether single pixels are lighter, as on paper: clients tell a real image from a stub by its size, and
   * flat colour compresses too well for that.
   */
  readonly grain?: boolean
}

/** One colour everywhere. */
export const solid = (colour: Colour): Paint => ({ top: colour, bottom: colour })

/**
 * Fills what the contours enclose; one that runs the other way is a hole. What is outside of the raster is
 * skipped, however large it is.
 */
export function fill(
  raster: Raster,
  contours: readonly Contour[],
  { top, bottom, grain = false }: Paint,
): void {
  const bounds = boundsOf(contours)
  const left = Math.max(0, Math.floor(bounds.left))
  const upper = Math.max(0, Math.floor(bounds.top))
  const width = Math.min(raster.width, Math.ceil(bounds.right)) - left
  const height = Math.min(raster.height, Math.ceil(bounds.bottom)) - upper
  if (!(width > 0) || !(height > 0)) return
  const cover = new Float32Array((width + 2) * height)
  for (const contour of contours) {
    for (let at = 0; at < contour.length; at += 2) {
      const next = at + 2 < contour.length ? at + 2 : 0
      addEdge(
        cover,
        width,
        height,
        (contour[at] as number) - left,
        (contour[at + 1] as number) - upper,
        (contour[next] as number) - left,
        (contour[next + 1] as number) - upper,
      )
    }
  }
  const { rgba } = raster
  const tall = Math.max(1, bounds.bottom - bounds.top)
  for (let y = 0; y < height; y++) {
    const share = Math.min(1, Math.max(0, (y + upper - bounds.top) / tall))
    const shade = (channel: 0 | 1 | 2): number =>
      Math.round(top[channel] + (bottom[channel] - top[channel]) * share)
    const [red, green, blue] = [shade(0), shade(1), shade(2)]
    let sum = 0
    let at = ((y + upper) * raster.width + left) * 4
    for (let x = 0, from = y * (width + 2); x < width; x++, from++, at += 4) {
      sum += cover[from] as number
      const covered = sum < 0 ? -sum : sum
      if (covered < 0.001) continue
      if (covered < 0.998) {
        blendPixel(rgba, at, red, green, blue, Math.round(covered * 255))
        continue
      }
      const lift = grain ? grainAt(x + left, y + upper) : 0
      rgba[at] = Math.min(255, red + lift)
      rgba[at + 1] = Math.min(255, green + lift)
      rgba[at + 2] = Math.min(255, blue + lift)
      rgba[at + 3] = 255
    }
  }
}

// How much lighter a pixel is than its neighbours: one in 128 is.
function grainAt(x: number, y: number): number {
  let value = Math.imul(x, 0x9e3779b1) ^ Math.imul(y, 0x85ebca77)
  value = Math.imul(value ^ (value >>> 15), 0x2c1b3c6d)
  value ^= value >>> 13
  return (value & 127) === 0 ? 6 + ((value >>> 8) & 7) : 0
}

// Each edge adds to the pixels of its rows by how much the covered area changes there, from left to right;
// the sum along a row is the coverage.
function addEdge(
  cover: Float32Array,
  width: number,
  height: number,
  x0: number,
  y0: number,
  x1: number,
  y1: number,
): void {
  if (y0 === y1) return
  const sign = y0 < y1 ? 1 : -1
  const [fromX, fromY, toX, toY] = sign === 1 ? [x0, y0, x1, y1] : [x1, y1, x0, y0]
  const slope = (toX - fromX) / (toY - fromY)
  const last = Math.min(height, Math.ceil(toY))
  for (let y = Math.max(0, Math.floor(fromY)); y < last; y++) {
    const enter = Math.max(y, fromY)
    const leave = Math.min(y + 1, toY)
    const tall = (leave - enter) * sign
    if (tall === 0) continue
    const [a, b] = [fromX + (enter - fromY) * slope, fromX + (leave - fromY) * slope]
    addWithin(cover, y * (width + 2), width, Math.min(a, b), Math.max(a, b), tall)
  }
}

// What of a row's piece is left of the raster covers the whole row, what is right of it nothing.
function addWithin(
  cover: Float32Array,
  row: number,
  width: number,
  left: number,
  right: number,
  tall: number,
): void {
  if (left >= 0 && right <= width) return addPiece(cover, row, left, right, tall)
  if (left >= width) return
  if (right <= 0) return add(cover, row, tall)
  const perPixel = tall / (right - left)
  if (left < 0) add(cover, row, perPixel * -left)
  const [first, last] = [Math.max(0, left), Math.min(width, right)]
  addPiece(cover, row, first, last, perPixel * (last - first))
}

// One row's piece of an edge, from `left` to `right`.
function addPiece(cover: Float32Array, row: number, left: number, right: number, tall: number): void {
  const first = Math.floor(left)
  const end = Math.ceil(right)
  if (end <= first + 1) {
    const middle = (left + right) / 2 - first
    add(cover, row + first, tall * (1 - middle))
    add(cover, row + first + 1, tall * middle)
    return
  }
  const perPixel = 1 / (right - left)
  const inFirst = 1 - (left - first)
  // The area right of the edge within its first pixel, then pixel by pixel what is new.
  let before = 0.5 * perPixel * inFirst * inFirst
  add(cover, row + first, tall * before)
  for (let x = first + 1; x < end; x++) {
    const reached = Math.min(x + 1, right)
    const along = (x - left) * perPixel
    const atEnd = (reached - left) * perPixel
    // Mean share of the edge's height passed within this pixel.
    const area = ((along + atEnd) / 2) * (reached - x) + (x + 1 - reached)
    add(cover, row + x, tall * (area - before))
    before = area
  }
  add(cover, row + end, tall * (1 - before))
}

function add(cover: Float32Array, at: number, value: number): void {
  cover[at] = (cover[at] as number) + value
}

function boundsOf(contours: readonly Contour[]): {
  left: number
  top: number
  right: number
  bottom: number
} {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity]
  for (const contour of contours) {
    for (let at = 0; at < contour.length; at += 2) {
      const [x, y] = [contour[at] as number, contour[at + 1] as number]
      left = Math.min(left, x)
      right = Math.max(right, x)
      top = Math.min(top, y)
      bottom = Math.max(bottom, y)
    }
  }
  return { left, top, right, bottom }
}
