/**
 * Captions on images: a plate with the prompt on a few lines, and facts below. An image without enough room
 * has no caption.
 */
import type { Caption } from '../../protocol/media.ts'
import { drawLetters, type Font, type Letter, lengthOf } from './font.ts'
import { type Colour, drawOnto, flat, type Raster } from './raster.ts'

const plate: Colour = [250, 250, 247]

/** In pixels. Smaller letters are unreadable. */
const minSize = 9
const maxLines = 4
/** Prompts may have 32,000 characters; the rest is not read. */
const maxCharacters = 600

/**
 * Writes a caption at the lower edge. The same caption looks the same on every image of the same size.
 * Clients write the prompts: no character may break the drawing.
 */
export function drawCaption(raster: Raster, font: Font, { prompt, facts }: Caption): void {
  const size = Math.max(minSize, Math.floor(Math.min(raster.width, raster.height * 1.6) / 23))
  const small = Math.max(minSize - 1, Math.floor(size * 0.72))
  const gap = Math.max(2, Math.floor(size * 0.6))
  const inner = raster.width - 4 * gap
  const maxHeight = Math.floor(raster.height * 0.62)
  const factLines = wrapText(font, facts.join(' · '), small, inner, 3)
  const heightFor = (lines: number, facts: number): number =>
    2 * gap +
    Math.ceil(lines * size * 1.28 + facts * small * 1.3) +
    (lines > 0 && facts > 0 ? Math.floor(gap / 2) : 0)
  let lines = maxLines
  while (lines > 0 && heightFor(lines, factLines.length) > maxHeight) lines--
  let shown = wrapText(font, prompt, size, inner, lines)
  let below = factLines
  // If the image is too low, the facts are omitted first.
  if (lines === 0 && heightFor(1, 0) <= maxHeight) {
    shown = wrapText(font, prompt, size, inner, 1)
    below = []
  } else if (lines === 0) below = heightFor(0, 1) <= maxHeight ? factLines.slice(0, 1) : []
  if (shown.length + below.length === 0 || inner < 3 * size) return

  const height = heightFor(shown.length, below.length)
  const top = raster.height - gap - height
  drawOnto(raster, flat(plate), { x: gap, y: top, width: raster.width - 2 * gap, height })
  const x = 2 * gap
  let y = top + gap
  for (const line of shown) {
    drawLetters(raster, line, { x, y: y + size, size })
    y += size * 1.28
  }
  if (shown.length > 0) y += Math.floor(gap / 2)
  for (const line of below) {
    drawLetters(raster, line, { x, y: y + small, size: small })
    y += small * 1.3
  }
}

/**
 * Breaks a text into lines of a width in pixels. Long words are broken, and truncated text ends with an
 * ellipsis.
 */
function wrapText(font: Font, text: string, size: number, width: number, maxLines: number): Letter[][] {
  const [lines, space, ellipsis]: [Letter[][], Letter, Letter] = [
    [],
    font.letterOf(0x20),
    font.letterOf(0x2026),
  ]
  if (maxLines === 0) return lines
  const isTooLong = (letters: readonly Letter[]): boolean => lengthOf(letters, size) > width
  let line: Letter[] = []
  let more = text.length > maxCharacters
  for (const word of wordsOf(text)) {
    let letters = word.map((point) => font.letterOf(point))
    const joined = line.length === 0 ? letters : [...line, space, ...letters]
    if (!isTooLong(joined)) {
      line = joined
      continue
    }
    if (line.length > 0) lines.push(line)
    while (isTooLong(letters) && lines.length < maxLines) {
      let fits = 1
      while (fits < letters.length && !isTooLong(letters.slice(0, fits + 1))) fits++
      lines.push(letters.slice(0, fits))
      letters = letters.slice(fits)
    }
    line = letters
    if (lines.length >= maxLines) {
      more ||= line.length > 0
      break
    }
  }
  if (line.length > 0 && lines.length < maxLines) lines.push(line)
  const last = lines.at(-1)
  if (more && last !== undefined) {
    while (last.length > 1 && isTooLong([...last, ellipsis])) last.pop()
    last.push(ellipsis)
  }
  return lines
}

const spaces = /[\u0000-\u0020\u007f\u0085\u00a0\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/g
const unseen = new RegExp(
  [
    '[\\u0080-\\u009f\\u00ad\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\ufe00-\\ufe0f\\ufeff',
    '\\u{e0000}-\\u{10ffff}\\u0300-\\u036f\\u0483-\\u0489\\u1ab0-\\u1aff\\u1dc0-\\u1dff',
    '\\u20d0-\\u20ff\\ufe20-\\ufe2f]',
  ].join(''),
  'gu',
)

// Removes controls, joiners, direction marks, and combining marks that NFC has not composed with their
// letter. The font has none of them, and a box for each would split words. By code point, because engines
// have different versions of Unicode.
function wordsOf(text: string): number[][] {
  const shown = text.slice(0, maxCharacters).toWellFormed().normalize('NFC')
  return shown
    .replace(spaces, ' ')
    .replace(unseen, '')
    .split(' ')
    .filter((word) => word !== '')
    .map((word) => Array.from(word, (character) => character.codePointAt(0) as number))
}
