/**
 * Outlines of what is drawn: closed lines of straight pieces. Only `+ - * /` and `Math.sqrt` are used, which
 * the standard defines to the last bit.
 */

/** A closed line: x, y, x, y … in pixels. Whole numbers are between pixels, not in their middle. */
export type Contour = readonly number[]

/** How far a straight piece may be from its curve, in pixels. */
const tolerance = 0.1
const maxPieces = 48

/** Adds a curve (quadratic Bézier) from where the line ends. */
export function curveTo(line: number[], controlX: number, controlY: number, x: number, y: number): void {
  const fromX = line[line.length - 2] as number
  const fromY = line[line.length - 1] as number
  const [bendX, bendY] = [fromX - 2 * controlX + x, fromY - 2 * controlY + y]
  const bend = Math.sqrt(bendX * bendX + bendY * bendY)
  const pieces = Math.min(maxPieces, Math.max(1, Math.ceil(Math.sqrt(bend / (4 * tolerance)))))
  for (let piece = 1; piece < pieces; piece++) {
    const t = piece / pieces
    const [a, b, c] = [(1 - t) * (1 - t), 2 * t * (1 - t), t * t]
    line.push(a * fromX + b * controlX + c * x, a * fromY + b * controlY + c * y)
  }
  line.push(x, y)
}

// An eighth of a circle: cos 45°, and how far the curve's control point is out (tan 22.5°).
const diagonal = Math.SQRT1_2
const reach = 0.4142135623730951

// The eight points of a circle and the control point before each, from the right, clockwise on the screen.
const circle: readonly (readonly [number, number, number, number])[] = [
  [1, reach, diagonal, diagonal],
  [reach, 1, 0, 1],
  [-reach, 1, -diagonal, diagonal],
  [-1, reach, -1, 0],
  [-1, -reach, -diagonal, -diagonal],
  [-reach, -1, 0, -1],
  [reach, -1, diagonal, -diagonal],
  [1, -reach, 1, 0],
]

export function ellipse(x: number, y: number, radiusX: number, radiusY: number): Contour {
  const line = [x + radiusX, y]
  for (const [controlX, controlY, toX, toY] of circle)
    curveTo(line, x + controlX * radiusX, y + controlY * radiusY, x + toX * radiusX, y + toY * radiusY)
  return line
}

export function roundedRectangle(
  x: number,
  y: number,
  width: number,
  height: number,
  radius: number,
): Contour {
  const r = Math.min(radius, width / 2, height / 2)
  const [right, bottom] = [x + width, y + height]
  const line = [right, y + r, right, bottom - r]
  curveTo(line, right, bottom, right - r, bottom)
  line.push(x + r, bottom)
  curveTo(line, x, bottom, x, bottom - r)
  line.push(x, y + r)
  curveTo(line, x, y, x + r, y)
  line.push(right - r, y)
  curveTo(line, right, y, right, y + r)
  return line
}

/** Corners are given in hundredths of the radius. */
export function polygon(x: number, y: number, radius: number, corners: readonly number[]): Contour {
  return corners.map((value, index) => (index % 2 === 0 ? x : y) + (value * radius) / 100)
}

/** The same outline the other way round: inside another it is a hole. */
export function reversed(contour: Contour): Contour {
  const line: number[] = []
  for (let at = contour.length - 2; at >= 0; at -= 2)
    line.push(contour[at] as number, contour[at + 1] as number)
  return line
}
