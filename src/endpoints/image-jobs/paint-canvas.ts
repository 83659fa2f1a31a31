/**
 * Coordinates on the canvas of upload-paint, rescaled to the size of the resulting image: integers within
 * bounds.
 */
import type { Rectangle } from '../../protocol/media.ts'
import type { Size } from './job-images.ts'

/** A polygon, with the size of the image that its coordinates refer to (contract 4.1). */
export interface Area {
  readonly width: number
  readonly height: number
  /** x and y alternate. */
  readonly points: readonly number[]
}

/** Pixels; far outside of any image. */
const maxCoordinate = 16_384
/**
 * Bounds of what a job keeps of its areas: a hand-drawn mask has hundreds of points, and a session keeps
 * thousands of jobs.
 */
const maxKept = { areas: 128, points: 512 } as const

/** The rectangle of the source, rescaled from the canvas to the image. */
export function rescaleRectangle(picture: Size, at: Rectangle, canvas: Size): Rectangle {
  const across = (value: number): number => rescale(value, picture.width, canvas.width)
  const down = (value: number): number => rescale(value, picture.height, canvas.height)
  return {
    x: across(at.x),
    y: down(at.y),
    width: Math.max(1, across(at.width)),
    height: Math.max(1, down(at.height)),
  }
}

/** The areas, rescaled to the image. Very large polygons are thinned out. */
export function paintedAreas(picture: Size, areas: readonly Area[]): readonly (readonly number[])[] {
  const kept = areas.slice(0, maxKept.areas)
  const total = kept.reduce((sum, { points }) => sum + points.length / 2, 0)
  const step = Math.max(1, Math.ceil(total / maxKept.points))
  return kept.map(({ width, height, points }) => {
    const corners = points.length / 2
    // A polygon needs three points.
    const every = Math.min(step, Math.max(1, Math.floor(corners / 3)))
    const polygon: number[] = []
    for (let corner = 0; corner < corners; corner += every)
      polygon.push(
        rescale(points[corner * 2] as number, picture.width, width),
        rescale(points[corner * 2 + 1] as number, picture.height, height),
      )
    return polygon
  })
}

function rescale(value: number, to: number, from: number): number {
  const place = to === from ? value : Math.round((value / from) * to)
  // Adding 0 turns -0 into 0, which matters where values are compared.
  return Math.min(maxCoordinate, Math.max(-maxCoordinate, place)) + 0
}
