/** Captions on images: a plate with the prompt on a few lines, and facts below. */
import type { Caption } from '../../protocol/media.ts'
import { drawLine, type Font, letterSide, shownText } from './font.ts'
import { type Colour, paint, type Raster } from './raster.ts'

const plate: Colour = [250, 250, 247]
const ink: Colour = [24, 28, 36]

const maxPromptLines = 4
const maxFactLines = 2
/** Prompts may have 32,000 characters; the rest is not read. */
const maxCharacters = 600

/** Writes a caption at the lower edge. An image without enough room has none, or only the prompt. */
export function drawCaption(raster: Raster, font: Font, { prompt, facts }: Caption): void {
  const scale = Math.max(1, Math.round(Math.min(raster.width, raster.height * 1.6) / 360))
  const side = letterSide * scale
  const lineHeight = side + 2 * scale
  const columns = Math.floor(raster.width / side) - 4
  const room = Math.floor((raster.height * 0.7) / lineHeight) - 2
  if (columns < 4 || room < 1) return
  const wrap = (text: string, maxLines: number): string[] =>
    wrapText(shownText(font, text.slice(0, maxCharacters)), columns, maxLines)
  const factLines = wrap(facts.join(' · '), Math.min(maxFactLines, room - 1))
  const lines = [...wrap(prompt, Math.min(maxPromptLines, room - factLines.length)), ...factLines]
  if (lines.length === 0) return
  const height = lines.length * lineHeight + side
  const top = raster.height - side - height
  paint(raster, { x: side, y: top, width: raster.width - 2 * side, height }, plate)
  for (const [place, line] of lines.entries()) {
    const y = top + Math.floor(side / 2) + place * lineHeight
    drawLine(raster, font, line, { x: 2 * side, y, scale, colour: ink })
  }
}

/** Breaks a text into lines of at most `columns` letters. Truncated text ends with dots. */
function wrapText(text: string, columns: number, maxLines: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    for (let rest = word; rest !== ''; rest = rest.slice(columns)) {
      const part = rest.slice(0, columns)
      const joined = `${lines.at(-1) ?? part} ${part}`
      if (lines.length > 0 && joined.length <= columns) lines[lines.length - 1] = joined
      else lines.push(part)
    }
  }
  if (lines.length <= maxLines) return lines
  const last = lines[maxLines - 1] ?? ''
  return [...lines.slice(0, Math.max(0, maxLines - 1)), `${last.slice(0, columns - 3)}...`].slice(0, maxLines)
}
