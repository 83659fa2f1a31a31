/** Letters as outlines. A character that the font lacks becomes a box with its code point. */

import { fromBase64 } from '../../engine/bytes.ts'
import { type Contour, curveTo, reversed, roundedRectangle } from './outline.ts'

/** The glyph of one character, or of one with its marks. */
export interface Letter {
  /** How far the next one is away, in ems. */
  readonly advance: number
  /** Its outlines with the origin (on the base line) at `x`, `y`. `size` is that of an em; all in pixels. */
  outlines(x: number, y: number, size: number): Contour[]
}

export interface Font {
  letterOf(point: number): Letter
}

/** How many steps an em has in the data (tools/make-font.mjs). */
const em = 512

export async function loadFont(): Promise<Font> {
  const { letters } = await import('../data/font.ts')
  const known = readLetters(fromBase64(letters))
  const digits = Array.from('0123456789ABCDEF', (digit) => known.get(digit.charCodeAt(0)) as Letter)
  return { letterOf: (point) => known.get(point) ?? numberedBox(point, digits) }
}

/**
 * One contour in steps: where it begins, and its pieces. Those of four numbers are curves: control point
 * first.
 */
type Pieces = readonly (readonly number[])[]

function readLetters(bytes: Uint8Array): Map<number, Letter> {
  let at = 0
  const natural = (): number => {
    let value = 0
    for (let factor = 1; ; factor *= 128) {
      const byte = bytes[at++] as number
      value += (byte & 127) * factor
      if (byte < 128) return value
    }
  }
  const signed = (value: number): number => (value % 2 === 0 ? value / 2 : -(value + 1) / 2)
  const letters = new Map<number, Letter>()
  const count = natural()
  for (let point = 0; letters.size < count; ) {
    point += natural()
    const advance = natural() / em
    const contours: Pieces[] = []
    let [x, y] = [0, 0]
    const moved = (dx: number): [number, number] => [(x += dx), (y += signed(natural()))]
    for (let left = natural(); left > 0; left--) {
      let pieces = natural()
      const contour: number[][] = [moved(signed(natural()))]
      while (--pieces > 0) {
        const first = natural()
        const curved = first % 2 === 1
        const point = moved(signed(Math.floor(first / 2)))
        contour.push(curved ? [...point, ...moved(signed(natural()))] : point)
      }
      contours.push(contour)
    }
    letters.set(point, {
      advance,
      outlines: (x, y, size) => contours.map((contour) => outlineOf(contour, x, y, size / em)),
    })
  }
  return letters
}

function outlineOf(pieces: Pieces, x: number, y: number, scale: number): Contour {
  const line: number[] = []
  for (const piece of pieces) {
    // Fonts count upwards.
    const [a = 0, b = 0, c, d] = piece.map((value, index) =>
      index % 2 === 0 ? x + value * scale : y - value * scale,
    )
    if (c === undefined || d === undefined) line.push(a, b)
    else curveTo(line, a, b, c, d)
  }
  return line
}

// As browsers do: two prompts in a script that the font lacks can still be told apart.
function numberedBox(point: number, digits: readonly Letter[]): Letter {
  const text = point.toString(16).padStart(point > 0xffff ? 6 : 4, '0')
  const perRow = text.length / 2
  const pace = 0.28
  const advance = perRow * pace + 0.26
  return {
    advance,
    outlines(x, y, size) {
      const line = Math.max(1, size / 24)
      const box = {
        x: x + 0.06 * size,
        y: y - 0.82 * size,
        width: (advance - 0.12) * size,
        height: 0.98 * size,
      }
      const inside = roundedRectangle(
        box.x + line,
        box.y + line,
        box.width - 2 * line,
        box.height - 2 * line,
        size / 16,
      )
      const shown = Array.from(
        text,
        (digit, index) =>
          digits[Number.parseInt(digit, 16)]?.outlines(
            x + (0.14 + (index % perRow) * pace) * size,
            y - (index < perRow ? 0.4 : -0.04) * size,
            size * 0.46,
          ) ?? [],
      )
      return [
        roundedRectangle(box.x, box.y, box.width, box.height, size / 12),
        reversed(inside),
        ...shown.flat(),
      ]
    },
  }
}
