/** Letters as bitmaps. A character that is not in the font becomes a box with its code point. */
import { fromBase64 } from '../../engine/bytes.ts'
import { createRaster, drawOnto, flat, type Raster } from './raster.ts'

/** Pixels per em, rows per letter, and rows above the base line (tools/make-font.mjs). */
const [em, rows, baseline] = [32, 44, 35]
const ink = [24, 28, 36] as const
const paper = [250, 250, 247] as const

/** A letter on a transparent ground, as wide as the distance to the next letter. */
export type Letter = Raster

export interface Font {
  letterOf(point: number): Letter
}

export async function loadFont(): Promise<Font> {
  const { letters } = await import('../data/font.ts')
  const known = readLetters(fromBase64(letters))
  return { letterOf: (point) => known.get(point) ?? numberedBox(point, known) }
}

/** The width of letters at `size` pixels per em. */
export function lengthOf(letters: readonly Letter[], size: number): number {
  return letters.reduce((sum, { width }) => sum + width, 0) * (size / em)
}

export function drawLetters(
  raster: Raster,
  letters: readonly Letter[],
  { x, y, size }: { readonly x: number; readonly y: number; readonly size: number },
): void {
  const scale = size / em
  const top = Math.round(y - baseline * scale)
  let pen = x
  for (const letter of letters) {
    const left = Math.round(pen)
    pen += letter.width * scale
    const width = Math.max(1, Math.round(pen) - left)
    drawOnto(raster, letter, { x: left, y: top, width, height: Math.round(rows * scale) })
  }
}

/** Each letter: the distance to the previous code point (two bytes), its width, and its bits. */
function readLetters(bytes: Uint8Array): Map<number, Letter> {
  const letters = new Map<number, Letter>()
  let point = 0
  for (let at = 0; at < bytes.length; ) {
    point += ((bytes[at] as number) << 8) + (bytes[at + 1] as number)
    const letter = createRaster(bytes[at + 2] as number, rows)
    at += 3
    const pixels = letter.width * rows
    for (let pixel = 0; pixel < pixels; pixel++)
      if ((bytes[at + (pixel >> 3)] as number) & (0x80 >> (pixel & 7)))
        letter.rgba.set([...ink, 255], pixel * 4)
    at += Math.ceil(pixels / 8)
    letters.set(point, letter)
  }
  return letters
}

// As in browsers: two prompts in a script that is not in the font remain distinguishable.
function numberedBox(point: number, known: ReadonlyMap<number, Letter>): Letter {
  const text = point
    .toString(16)
    .toUpperCase()
    .padStart(point > 0xffff ? 6 : 4, '0')
  const perRow = text.length / 2
  const box = createRaster(perRow * 10 + 12, rows)
  drawOnto(box, flat(ink), { x: 2, y: 8, width: box.width - 4, height: 31 })
  drawOnto(box, flat(paper), { x: 4, y: 10, width: box.width - 8, height: 27 })
  Array.from(text, (digit, index) =>
    drawOnto(box, known.get(digit.charCodeAt(0)) as Letter, {
      x: 6 + (index % perRow) * 10,
      y: index < perRow ? 6 : 18,
      width: 10,
      height: 21,
    }),
  )
  return box
}
