/** Letters of eight by eight pixels. */
import { fromBase64 } from '../../engine/bytes.ts'
import { type Colour, paint, type Raster } from './raster.ts'

/** Pixels per side of a letter. */
export const letterSide = 8

/** A row per byte, whose lowest bit is the leftmost pixel. */
type Letter = Uint8Array

/** The known letters by code point. */
export type Font = ReadonlyMap<number, Letter>

/** Shown for a character that the font lacks. */
const box: Letter = Uint8Array.of(0x00, 0x7e, 0x42, 0x42, 0x42, 0x42, 0x7e, 0x00)

export async function loadFont(): Promise<Font> {
  const { letters } = await import('../data/font.ts')
  const font = new Map<number, Letter>()
  for (const { from, rows } of letters) {
    const bytes = fromBase64(rows)
    for (let at = 0; at < bytes.length; at += letterSide)
      font.set(from + at / letterSide, bytes.subarray(at, at + letterSide))
  }
  return font
}

/** A text with one character for each shown letter: accents that the font lacks are dropped. */
export function shownText(font: Font, text: string): string {
  const visible = text.toWellFormed().normalize('NFC').replace(/\s+/g, ' ')
  const isKnown = (letter: string): boolean => font.has(letter.codePointAt(0) as number)
  return Array.from(visible.replace(/[\p{Cc}\p{Cf}\p{M}]/gu, ''), (letter) => {
    const plain = letter.normalize('NFD').charAt(0)
    if (isKnown(letter)) return letter
    return isKnown(plain) ? plain : '\u25a1'
  }).join('')
}

/** Draws a line of text from `shownText`, each pixel of a letter as a square of `scale` pixels. */
export function drawLine(
  raster: Raster,
  font: Font,
  text: string,
  at: { readonly x: number; readonly y: number; readonly scale: number; readonly colour: Colour },
): void {
  const { scale } = at
  for (let place = 0; place < text.length; place++) {
    const letter = font.get(text.charCodeAt(place)) ?? box
    for (let bit = 0; bit < letterSide * letterSide; bit++) {
      const column = bit % letterSide
      const row = Math.floor(bit / letterSide)
      if ((((letter[row] as number) >> column) & 1) === 0) continue
      const x = at.x + (place * letterSide + column) * scale
      paint(raster, { x, y: at.y + row * scale, width: scale, height: scale }, at.colour)
    }
  }
}
