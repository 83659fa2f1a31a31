/** Draws what a client sees as lanes of text over virtual time, in as many rows as fit the width. */
import { formatDuration } from '../engine/duration.ts'
import type { Paint, Style } from '../text/paint.ts'
import { asciiOnly, counted, escapeControls, wrap } from '../text/printable.ts'
import type { Point, Track, TrackLane } from './record.ts'

/** The characters for terminals with and without Unicode. `bar` is from empty to full. */
export interface Glyphs extends Readonly<Record<keyof typeof signs, string>> {
  /** A text without characters that move the cursor or that the terminal cannot show. */
  clean(text: string): string
}

/** With Unicode, and without. */
const signs = {
  line: ['─', '-'],
  tick: ['┬', '+'],
  event: ['▪', '*'],
  wait: ['┄', '.'],
  bar: ['▁▁▂▃▄▅▆▇█', '0123456789#'],
  bullet: ['•', '-'],
  broken: ['✗', 'x'],
  done: ['■', '#'],
  between: ['│', '|'],
} as const

function glyphs(column: 0 | 1, clean: Glyphs['clean']): Glyphs {
  const chosen = Object.entries(signs).map(([name, pair]) => [name, pair[column]])
  return { ...(Object.fromEntries(chosen) as Record<keyof typeof signs, string>), clean }
}

export const unicode = glyphs(0, escapeControls)
export const ascii = glyphs(1, (text) => asciiOnly(escapeControls(text).replaceAll('…', '...')))

export interface Drawing {
  readonly width: number
  readonly glyphs: Glyphs
  readonly paint: Paint
  readonly indent: string
}

/** The width of the names of lanes. */
const nameColumn = 10
/** The preferred widths of values: the first with which everything fits into one row. */
const roomy = [56, 40, 26, 18, 13] as const

/** A lane as it is drawn: its texts at their columns in a row, from left to right. */
interface Lane {
  readonly name: string
  segmentsIn(row: Row): readonly Segment[]
}

interface Segment {
  readonly column: number
  readonly text: string
  readonly style?: Style | undefined
}

export function drawTrack(track: Track, drawing: Drawing): string[] {
  const { indent, width, glyphs, paint } = drawing
  const room = width - indent.length - nameColumn
  const groups = groupsOf(track)
  const waits = waitsOf(track)
  const times = [0, ...groups.map(({ from }) => from), ...waits.map(({ from }) => from), track.end?.at ?? 0]
  const sorted = [...new Set([...track.changes, ...(track.end === undefined ? [] : times)])].sort(
    (a, b) => a - b,
  )
  const texts = track.lanes.flatMap(({ shows, points }) => (shows === 'values' ? points : []))
  const marksFor = (most: number): Mark[] =>
    sorted.map((at) => {
      const widths = texts.flatMap((point) => (point.at === at ? [glyphs.clean(point.text).length] : []))
      return { at, need: Math.min(room, Math.min(most, Math.max(formatDuration(at).length, ...widths)) + 2) }
    })
  const fits = (most: number): boolean => marksFor(most).reduce((sum, { need }) => sum + need, 0) <= room
  const notes: string[] = []
  const lanes = track.lanes.flatMap((lane) => {
    if (lane.shows === 'numbers') return numberLanes(lane, drawing)
    return lane.shows === 'events' ? eventsLane(lane, drawing) : valuesLane(lane, drawing, notes)
  })
  lanes.push(waitLane(waits, drawing), endLane(track, drawing))
  const lines = wrap(indent, headOf(track), width)
  for (const row of rowsOf(marksFor(roomy.find(fits) ?? 18), room)) {
    lines.push(...axisLines(row, drawing))
    for (const { name, segmentsIn } of lanes) {
      const segments = segmentsIn(row)
      if (segments.length > 0) lines.push(lineOf(name, segments, drawing))
    }
  }
  for (const note of [...notes, ...groups.map((group) => groupText(group, drawing))])
    lines.push(...wrap(`${indent}${glyphs.bullet} `, note, width).map((text) => paint('dim', text)))
  return lines
}

const endings: Readonly<Record<NonNullable<Track['end']>['how'], string>> = {
  completed: 'the stream is complete',
  'no-end-marker': 'the stream ends without its end marker',
  disconnected: 'the connection breaks',
  stalled: 'no more events arrive, and the connection stays open',
  aborted: 'the client disconnects',
  hang: 'no response ever arrives',
}

function headOf({ call, operation, lanes, end }: Track): string {
  if (end === undefined) {
    const answer = call?.status === 'broken' ? 'gets no response' : `returns ${call?.status}`
    const made = call === undefined ? '' : `${call.operation} ${answer}. `
    return `${made}A client that polls ${operation} sees:`
  }
  const events = lanes.flatMap(({ points }) => points)
  const count = events.filter(({ isComment }) => isComment !== true).length
  const status = call?.status === 'broken' ? '' : `${call?.status}, `
  const took = events.length === 0 ? '' : ` in ${formatDuration(end.at)}`
  return `${operation}: ${status}${counted(count, 'event')}${took}, then ${endings[end.how]}`
}

/** Shows a value when it changes, and again at the start of a row. What does not fit is noted. */
function valuesLane({ name, points }: TrackLane, { glyphs }: Drawing, notes: string[]): Lane {
  const textAt = (at: number): string => glyphs.clean(points.findLast((point) => point.at <= at)?.text ?? '')
  return {
    name,
    segmentsIn({ marks, width }) {
      const changes = marks.filter(({ at }, index) => textAt(at) !== textAt(marks[index - 1]?.at ?? -1))
      return changes.map(({ at, column }, index): Segment => {
        const room = (changes[index + 1]?.column ?? width + 1) - 1 - column
        const text = textAt(at)
        if ([...text].length <= room) return { column, text, style: styleOf(text) }
        notes.push(`${formatDuration(at)} ${name}: ${text}`)
        const end = glyphs.clean('…')
        const begin = [...text].slice(0, Math.max(0, room - end.length)).join('')
        return { column, text: begin + end, style: styleOf(text) }
      })
    },
  }
}

function styleOf(text: string): Style | undefined {
  if (/^(?:completed|succeeded)$/i.test(text)) return 'green'
  if (/^(?:failed|not found \(404\))$/i.test(text)) return 'red'
  return /^(?:running|in_progress)$/i.test(text) ? 'yellow' : undefined
}

/** A bar for a number in percent, and its values at the marks. */
function numberLanes({ name, points }: TrackLane, { glyphs }: Drawing): Lane[] {
  const levels = [...glyphs.bar]
  const full = levels.length - 1
  const textAt = (at: number): string => points.findLast((point) => point.at <= at)?.text ?? ''
  const levelAt = (at: number): string => {
    const text = textAt(at)
    const level = Math.floor((Number(text) / 100) * full)
    return text === '' ? ' ' : (levels[Math.max(0, Math.min(full, level))] as string)
  }
  const style = 'cyan'
  return [
    {
      name: name.replace('Percent', ''),
      segmentsIn({ width, timeAt }) {
        const text = Array.from({ length: width }, (_, column) => levelAt(timeAt(column))).join('')
        return [{ column: 0, text: text.trimEnd(), style }]
      },
    },
    {
      name: '',
      segmentsIn: ({ marks }) =>
        marks
          .filter(({ at }, index) => index === 0 || textAt(at) !== textAt(marks[index - 1]?.at ?? 0))
          .map(({ at, column }) => ({ column, text: textAt(at), style })),
    },
  ]
}

const eventStyles: Readonly<Record<string, Style>> = {
  text: 'green',
  tool: 'cyan',
  reasoning: 'magenta',
  refusal: 'yellow',
  image: 'green',
  raw: 'red',
  error: 'red',
}

/** A mark for each event, or their number where several share a column. */
function eventsLane({ name, points }: TrackLane, { glyphs }: Drawing): Lane {
  return {
    name,
    segmentsIn({ has, columnOf }) {
      const counts = new Map<number, number>()
      for (const { at } of points) if (has(at)) counts.set(columnOf(at), (counts.get(columnOf(at)) ?? 0) + 1)
      return [...counts].map(([column, count]) => {
        const several = count < 10 ? String(count) : '+'
        return { column, text: count === 1 ? glyphs.event : several, style: eventStyles[name] }
      })
    },
  }
}

function endLane({ end }: Track, { glyphs }: Drawing): Lane {
  return {
    name: 'over',
    segmentsIn({ has, columnOf, width }) {
      if (end === undefined || !has(end.at)) return []
      const column = Math.min(columnOf(end.at), width - 1)
      if (end.how === 'completed') return [{ column, text: glyphs.done, style: 'green' }]
      return [{ column, text: glyphs.broken, style: 'red' }]
    },
  }
}

interface Wait {
  readonly from: number
  readonly to: number
}

/** A pause this many times the median is shown as a wait. */
const waitFactor = 3

/** The pauses of a stream that are much longer than the median. */
function waitsOf({ lanes, end }: Track): Wait[] {
  if (end === undefined) return []
  const times = lanes.flatMap(({ points }) => points.map(({ at }) => at)).sort((a, b) => a - b)
  const gaps = [...times, end.at].map((to, index) => ({ from: times[index - 1] ?? 0, to }))
  const between = gaps.slice(1, -1).flatMap(({ from, to }) => (to > from ? [to - from] : []))
  const median = between.sort((a, b) => a - b)[Math.floor(between.length / 2)] ?? 0
  return gaps.filter(({ from, to }) => to - from > median * waitFactor && to - from >= 100)
}

function waitLane(waits: readonly Wait[], { glyphs }: Drawing): Lane {
  return {
    name: 'wait',
    segmentsIn: ({ has, columnOf, width }) =>
      waits.flatMap(({ from, to }) => {
        if (!has(from)) return []
        const column = columnOf(from) + 1
        const room = Math.max(1, (has(to) ? columnOf(to) : width) - column)
        const label = formatDuration(to - from)
        const middle = (room + label.length) >> 1
        const text = label.length > room ? '' : label.padStart(middle, glyphs.wait)
        return [{ column, text: text.padEnd(room, glyphs.wait), style: 'dim' as const }]
      }),
  }
}

/** Consecutive events of one lane. */
interface Group {
  readonly lane: string
  readonly from: number
  readonly points: Point[]
}

function groupsOf({ lanes, end }: Track): Group[] {
  if (end === undefined) return []
  const groups: Group[] = []
  const events = lanes.flatMap(({ name, points }) => points.map((point) => ({ lane: name, point })))
  for (const { lane, point } of events.sort((a, b) => (a.point.order ?? 0) - (b.point.order ?? 0))) {
    const last = groups.at(-1)
    if (last?.lane === lane) last.points.push(point)
    else groups.push({ lane, from: point.at, points: [point] })
  }
  return groups
}

function groupText({ lane, from, points }: Group, { glyphs }: Drawing): string {
  const to = points.at(-1)?.at ?? from
  const until = to > from ? ` to ${formatDuration(to)}` : ''
  const howMany = points.length > 1 ? ` (${points.length} events)` : ''
  const content = points.map(({ text }) => glyphs.clean(text)).filter((text) => text !== '')
  return `${formatDuration(from)}${until}  ${lane}${howMany}  ${content.join(glyphs.between)}`.trimEnd()
}

/** A time, with the minimum number of columns for its label. */
interface Mark {
  readonly at: number
  readonly need: number
}

/** A row of a drawing. Times and columns ascend. */
interface Row {
  readonly marks: readonly { readonly at: number; readonly column: number }[]
  readonly width: number
  /** Whether a time is in this row. */
  has(at: number): boolean
  columnOf(at: number): number
  /** The time that a column represents. */
  timeAt(column: number): number
}

function rowsOf(marks: readonly Mark[], width: number): Row[] {
  const rows: Mark[][] = []
  let used = Infinity
  for (const mark of marks) {
    if (used + mark.need > width) {
      rows.push([])
      used = 0
    }
    rows.at(-1)?.push(mark)
    used += mark.need
  }
  // The first time of the next row is the end of this one.
  return rows.map((row, index) => rowOf(row, rows[index + 1]?.[0]?.at, width))
}

/** Beyond what the labels need, columns are spread by the square roots of the times between the marks. */
function rowOf(marks: readonly Mark[], next: number | undefined, width: number): Row {
  const times = marks.map(({ at }) => at)
  if (next !== undefined) times.push(next)
  const weights = marks.map(({ at }, index) => Math.sqrt((times[index + 1] ?? at) - at))
  const total = weights.reduce((sum, weight) => sum + weight, 0) || 1
  const free = width - marks.reduce((sum, { need }) => sum + need, 0)
  const columns: number[] = []
  let column = 0
  for (const [index, { need }] of marks.entries()) {
    columns.push(column)
    column += need + Math.floor((free * (weights[index] as number)) / total)
  }
  if (next !== undefined) columns.push(column)
  return {
    marks: marks.map(({ at }, index) => ({ at, column: columns[index] as number })),
    width,
    has: (at) => at >= (times[0] ?? 0) && at < (next ?? Infinity),
    columnOf: (at) => Math.floor(interpolate(at, times, columns)),
    timeAt: (place) => interpolate(place, columns, times),
  }
}

/** The place among `to` that corresponds to a place among `from`; beyond the ends, the nearest end. */
function interpolate(place: number, from: readonly number[], to: readonly number[]): number {
  const index = Math.max(
    0,
    from.findLastIndex((start) => start <= place),
  )
  const [start = 0, end = start] = from.slice(index, index + 2)
  const [first = 0, last = first] = to.slice(index, index + 2)
  return end === start ? first : first + ((last - first) * Math.max(0, place - start)) / (end - start)
}

/** The times above a line with a tick for each. */
function axisLines({ marks, width }: Row, { indent, glyphs, paint }: Drawing): string[] {
  const times: Segment[] = []
  let scale = glyphs.line.repeat(width)
  let free = 0
  for (const { at, column } of marks) {
    if (column < free) continue
    const text = formatDuration(at)
    times.push({ column, text })
    free = column + text.length + 1
    scale = scale.slice(0, column) + glyphs.tick + scale.slice(column + 1)
  }
  const begin = indent + ' '.repeat(nameColumn)
  return [begin + textOf(times), begin + scale].map((line) => paint('dim', line.trimEnd()))
}

function lineOf(name: string, segments: readonly Segment[], { indent, paint }: Drawing): string {
  return `${indent}${paint('dim', name.padEnd(nameColumn))}${textOf(segments, paint)}`.trimEnd()
}

function textOf(segments: readonly Segment[], paint?: Paint): string {
  let line = ''
  let end = 0
  for (const { column, text, style } of segments) {
    line += ' '.repeat(Math.max(0, column - end))
    line += style === undefined || paint === undefined ? text : paint(style, text)
    end = column + [...text].length
  }
  return line
}
