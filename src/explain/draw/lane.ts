/** One line of a drawing: texts at columns, each with its colour. */
import type { Paint } from '../../text/paint.ts'

export type Style = Parameters<Paint>[0]

export interface Lane {
  /**
   * Puts a text at a column; what does not fit before `until` (the end of the line) is cut. Returns whether
   * all of it is there.
   */
  put(column: number, text: string, style?: Style, until?: number): boolean
  /** The line with its colours, without spaces at the end. */
  draw(paint: Paint): string
}

export function createLane(width: number, ellipsis: string): Lane {
  const cells: { character: string; style: Style | undefined }[] = []
  return {
    put(column, text, style, until = width) {
      const room = Math.min(until, width) - column
      const characters = [...text]
      const whole = characters.length <= room
      const shown = whole
        ? characters
        : [...characters.slice(0, Math.max(0, room - ellipsis.length)), ...ellipsis].slice(
            0,
            Math.max(0, room),
          )
      for (const [index, character] of shown.entries()) cells[column + index] = { character, style }
      return whole
    },
    draw(paint) {
      let text = ''
      let run = ''
      let style: Style | undefined
      const flush = (): void => {
        text += style === undefined || run.trim() === '' ? run : paint(style, run)
        run = ''
      }
      for (const cell of Array.from(cells, (one) => one ?? { character: ' ', style: undefined })) {
        if (cell.style !== style) flush()
        style = cell.style
        run += cell.character
      }
      flush()
      return text.trimEnd()
    },
  }
}
