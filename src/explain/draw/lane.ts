/** The parts of drawings: characters, columns that represent times, and lines with text at columns. */
import { formatDuration } from '../../engine/duration.ts'
import { type Paint, plain } from '../../text/paint.ts'
import { asciiOnly, escapeControls } from '../../text/printable.ts'

/** The characters for terminals with and without Unicode. */
export interface Glyphs {
  readonly line: string
  readonly tick: string
  readonly event: string
  readonly wait: string
  /** From empty to full. */
  readonly bar: readonly string[]
  readonly bullet: string
  readonly broken: string
  readonly done: string
  readonly between: string
  /** A text without characters that move the cursor or that the terminal cannot show. */
  clean(text: string): string
}

export const unicode: Glyphs = {
  line: '─',
  tick: '┬',
  event: '▪',
  wait: '┄',
  bar: [...'▁▁▂▃▄▅▆▇█'],
  bullet: '•',
  broken: '✗',
  done: '■',
  between: '│',
  clean: escapeControls,
}

/** Bars are tens of percent. */
export const ascii: Glyphs = {
  line: '-',
  tick: '+',
  event: '*',
  wait: '.',
  bar: [...'0123456789#'],
  bullet: '-',
  broken: 'x',
  done: '#',
  between: '|',
  clean: (text) => asciiOnly(escapeControls(text).replaceAll('…', '...')),
}

export interface Drawing {
  readonly width: number
  readonly indent: string
  readonly glyphs: Glyphs
  readonly paint: Paint
}

/** The width of the names of lanes. */
export const nameColumn = 10

/** A time, with the minimum number of columns for its label. */
export interface Mark {
  readonly at: number
  readonly need: number
}

interface End {
  readonly at: number
  readonly column: number
}

/** A row of a drawing: times and their columns, both ascending. */
export interface Axis {
  readonly marks: readonly End[]
  readonly width: number
  columnOf(at: number): number
  /** The time that a column represents. */
  at(column: number): number
}

/** As many rows as necessary; the marks are in order of time. */
export function axesOf(marks: readonly Mark[], width: number): Axis[] {
  const rows: Mark[][] = []
  let used = Infinity
  for (const mark of marks) {
    const need = Math.min(mark.need, width)
    const row = rows.at(-1)
    if (row === undefined || used + need > width) {
      rows.push([mark])
      used = need
    } else {
      row.push(mark)
      used += need
    }
  }
  // The first value of the next row is the end of this one.
  return rows.map((row, index) => axisOf(row, rows[index + 1]?.[0]?.at, width))
}

function axisOf(row: readonly Mark[], next: number | undefined, width: number): Axis {
  const weights = row.map(({ at }, index) => Math.sqrt(Math.max(0, (row[index + 1]?.at ?? next ?? at) - at)))
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const free = width - row.reduce((sum, { need }) => sum + Math.min(need, width), 0)
  let column = 0
  const marks = row.map(({ at, need }, index) => {
    const here = { at, column }
    column +=
      Math.min(need, width) + (total === 0 ? 0 : Math.floor((free * (weights[index] as number)) / total))
    return here
  })
  const ends = next === undefined ? marks : [...marks, { at: next, column: Math.min(column, width) }]
  /** The end at or before a place, and the next one. */
  const around = (place: number, by: 'at' | 'column') => {
    const index = Math.max(
      0,
      ends.findLastIndex((end) => end[by] <= place),
    )
    const [from, to] = [ends[index] as End, ends[index + 1]]
    return { from, to: to !== undefined && to[by] > from[by] ? to : undefined }
  }
  return {
    marks,
    width,
    columnOf(at) {
      const { from, to } = around(at, 'at')
      if (to === undefined) return from.column
      const columns = to.column - from.column
      const passed = Math.floor((columns * (at - from.at)) / (to.at - from.at))
      return from.column + Math.min(passed, Math.max(0, columns - 1))
    },
    at(column) {
      const { from, to } = around(column, 'column')
      if (to === undefined) return from.at
      return from.at + ((to.at - from.at) * (column - from.column)) / (to.column - from.column)
    },
  }
}

export type Style = Parameters<Paint>[0]

export interface Lane {
  /** Writes a text at a column, and cuts it at `until` (the end of the line). Returns whether it fits. */
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

/** The time axis: times above a line with a tick for each. */
export function drawAxis(axis: Axis, indent: string, room: number, glyphs: Glyphs, paint: Paint): string[] {
  const times = createLane(room, '')
  const scale = createLane(room, '')
  scale.put(0, glyphs.line.repeat(room))
  let free = 0
  for (const { at, column } of axis.marks) {
    const text = formatDuration(at)
    if (column < free) continue
    if (times.put(column, text)) free = column + text.length + 1
    scale.put(column, glyphs.tick)
  }
  return [times, scale].map((lane) => paint('dim', drawLane('', lane, indent, plain)))
}

export function drawLane(name: string, lane: Lane, indent: string, paint: Paint): string {
  const label = name.padEnd(nameColumn).slice(0, Math.max(nameColumn, name.length + 1))
  return `${indent}${paint('dim', label)}${lane.draw(paint)}`.trimEnd()
}
