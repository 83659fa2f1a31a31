/**
 * Places on the canvas of upload-paint, brought to the size of the picture that is made of it. Whole numbers
 * within bounds; knows nothing of pixels.
 */
import type { Rectangle } from '../../protocol/media.ts'
import type { Size } from './job-images.ts'

/** A polygon with the size of the picture that its coordinates belong to (contract 4.1). */
export interface Area {
  readonly width: number
  readonly height: number
  /** x and y in turn. */
  readonly points: readonly number[]
}

/** Beyond this, in pixels, nobody sees where something is: eight times the longest side. */
const maxCoordinate = 16_384
/**
 * What a job keeps of its areas: a mask that was drawn by hand has hundreds of points, and a session keeps
 * thousands of jobs.
 */
const maxKept = { areas: 128, points: 512 } as const

/** Where the source stands on a picture of a canvas. */
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

/** The areas on the picture. Of very many points every so many are left out. */
export function paintedAreas(picture: Size, areas: readonly Area[]): readonly (readonly number[])[] {
  const kept = areas.slice(0, maxKept.areas)
  const total = kept.reduce((sum, { points }) => sum + points.length / 2, 0)
  const step = Math.max(1, Math.ceil(total / maxKept.points))
  return kept.map(({ width, height, points }) => {
    const corners = points.length / 2
    // Three points make the smallest area.
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
  // Not minus zero: its text is that of zero, but it is told from zero where values are compared.
  return Math.min(maxCoordinate, Math.max(-maxCoordinate, place)) + 0
}
