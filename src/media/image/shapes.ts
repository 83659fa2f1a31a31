/** Shapes, filled row by row. Uses only `+ - * /` and `Math.sqrt`, whose results are the same everywhere. */
import type { Colour, Raster } from './raster.ts'

/** The rows that a shape covers, and its spans in each row, as pairs of start and end, in pixels. */
interface Shape {
  readonly top: number
  readonly bottom: number
  spansAt(y: number): readonly number[]
}

/** A gradient from the top of the shape to its bottom. */
interface Paint {
  readonly top: Colour
  readonly bottom: Colour
}

export function ellipse(x: number, y: number, radiusX: number, radiusY: number): Shape {
  return {
    top: y - radiusY,
    bottom: y + radiusY,
    spansAt(row) {
      const up = (row - y) / radiusY
      const half = radiusX * Math.sqrt(Math.max(0, 1 - up * up))
      return [x - half, x + half]
    },
  }
}

/** The corners are x, y, x, y …. Areas enclosed twice are outside. */
export function polygon(corners: readonly number[]): Shape {
  const heights = corners.filter((_, at) => at % 2 === 1)
  return {
    top: Math.min(...heights),
    bottom: Math.max(...heights),
    spansAt(row) {
      const crossings: number[] = []
      for (let at = 0; at < corners.length; at += 2) {
        const next = at + 2 < corners.length ? at + 2 : 0
        const [x0, y0, x1, y1] = [corners[at], corners[at + 1], corners[next], corners[next + 1]] as [
          number,
          number,
          number,
          number,
        ]
        if (y0 <= row !== y1 <= row) crossings.push(x0 + ((row - y0) / (y1 - y0)) * (x1 - x0))
      }
      return crossings.sort((a, b) => a - b)
    },
  }
}

/**
 * Fills a shape with a gradient and a grain. A pixel belongs to the shape if its middle does. Pixels outside
 * the raster are skipped.
 */
export function fill({ width, height, rgba }: Raster, shape: Shape, { top, bottom }: Paint): void {
  const last = Math.min(height, Math.ceil(shape.bottom - 0.5))
  for (let y = Math.max(0, Math.ceil(shape.top - 0.5)); y < last; y++) {
    const share = (y + 0.5 - shape.top) / (shape.bottom - shape.top)
    const [red, green, blue] = top.map((from, at) =>
      Math.round(from + ((bottom[at] as number) - from) * share),
    ) as [number, number, number]
    const spans = shape.spansAt(y + 0.5)
    for (let span = 0; span + 1 < spans.length; span += 2) {
      const end = Math.min(width, Math.ceil((spans[span + 1] as number) - 0.5))
      for (let x = Math.max(0, Math.ceil((spans[span] as number) - 0.5)); x < end; x++) {
        const at = (y * width + x) * 4
        const lift = grainAt(x, y)
        rgba[at] = Math.min(255, red + lift)
        rgba[at + 1] = Math.min(255, green + lift)
        rgba[at + 2] = Math.min(255, blue + lift)
        rgba[at + 3] = 255
      }
    }
  }
}

// How much lighter than its neighbours a pixel is, like paper grain: one in 128 is lighter. Clients
// distinguish a real image from a stub by its size, and flat colours compress too well.
function grainAt(x: number, y: number): number {
  let value = Math.imul(x, 0x9e3779b1) ^ Math.imul(y, 0x85ebca77)
  value = Math.imul(value ^ (value >>> 15), 0x2c1b3c6d)
  value ^= value >>> 13
  return (value & 127) === 0 ? 6 + ((value >>> 8) & 7) : 0
}
