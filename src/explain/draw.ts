/** Draws what a client sees as lanes of text over virtual time. */
import { formatDuration } from '../engine/duration.ts'
import type { Paint, Style } from '../text/paint.ts'
import { counted, escapeControls, wrap } from '../text/printable.ts'
import type { Point, Track, TrackLane } from './record.ts'

export interface Drawing {
  readonly width: number
  readonly paint: Paint
  readonly indent: string
}

/** The width of the names of lanes. */
const nameColumn = 10
/** The columns that a value is given; longer ones are also noted below the drawing. */
const maxNeed = 24

/** A text at a column of a lane, from left to right. */
interface Segment {
  readonly column: number
  readonly text: string
  readonly style?: Style | undefined
}

export function drawTrack(track: Track, drawing: Drawing): string[] {
  const { indent, width, paint } = drawing
  const lanes = [...track.lanes, ...waitsOf(track)]
  const scale = scaleOf(track.changes, lanes, width - indent.length - nameColumn)
  const lines = [...wrap(indent, headOf(track), width), ...axisLines(scale, drawing)]
  const notes: string[] = []
  const add = (name: string, segments: readonly Segment[]): void => {
    if (segments.length === 0) return
    lines.push(`${indent}${paint('dim', name.padEnd(nameColumn))}${textOf(segments, paint)}`.trimEnd())
  }
  for (const lane of lanes) {
    if (lane.shows === 'events') {
      add(lane.name, eventSegments(lane, scale))
      notes.push(eventsText(lane))
    } else if (lane.shows === 'values') add(lane.name, valueSegments(lane, scale, notes))
    else {
      add(lane.name.replace('Percent', ''), barSegments(lane, scale))
      add('', valueSegments(atMarks(lane, scale), scale, notes))
    }
  }
  for (const note of notes) lines.push(...wrap(`${indent}• `, note, width).map((text) => paint('dim', text)))
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
  const status = call.status === 'broken' ? 'no response' : call.status
  if (end === undefined) return `${call.operation} returns ${status}. A client that polls ${operation} sees:`
  const count = lanes.flatMap(({ name, points }) => (name === 'comment' ? [] : points)).length
  const took = `${counted(count, 'event')} in ${formatDuration(end.at)}`
  return `${operation}: ${status}, ${took}, then ${endings[end.how]}`
}

const valueStyles: Readonly<Record<string, Style>> = {
  completed: 'green',
  succeeded: 'green',
  failed: 'red',
  'not found (404)': 'red',
  running: 'yellow',
  in_progress: 'yellow',
  '■': 'green',
  '✗': 'red',
}

/** Each value from its time on. What does not fit is noted. */
function valueSegments({ name, points }: TrackLane, scale: Scale, notes: string[]): Segment[] {
  return points.flatMap(({ at, text: value }, index) => {
    if (value === '') return []
    const text = escapeControls(value)
    const column = scale.columnOf(at)
    const next = points[index + 1]
    const room = next === undefined ? scale.times.length - column : scale.columnOf(next.at) - 1 - column
    const style = valueStyles[text.toLowerCase()]
    if ([...text].length > room) notes.push(`${formatDuration(at)} ${name}: ${text}`)
    else if (text.endsWith('┄')) return [{ column, text: text.padEnd(room, '┄'), style: 'dim' }]
    else return [{ column, text, style }]
    return room < 1 ? [] : [{ column, text: `${[...text].slice(0, room - 1).join('')}…`, style }]
  })
}

/** The values of a lane at the marks. */
function atMarks(lane: TrackLane, { marks }: Scale): TrackLane {
  const points = marks.map((at) => ({ at, text: valueAt(lane, at) }))
  return { ...lane, points: points.filter(({ text }, index) => text !== points[index - 1]?.text) }
}

const valueAt = ({ points }: TrackLane, at: number): string =>
  points.findLast((point) => point.at <= at)?.text ?? ''

/** A bar for a number in percent. */
function barSegments(lane: TrackLane, { times }: Scale): Segment[] {
  const levels = '▁▁▂▃▄▅▆▇█'
  const columns = times.map((time) => {
    const value = valueAt(lane, time)
    const level = Math.floor((Number(value) / 100) * 8)
    return value === '' ? ' ' : levels.charAt(Math.max(0, Math.min(8, level)))
  })
  return [{ column: 0, text: columns.join('').trimEnd(), style: 'cyan' }]
}

/** A mark for each event, or their number where several share a column. */
function eventSegments({ name, points }: TrackLane, { columnOf }: Scale): Segment[] {
  const counts = new Map<number, number>()
  for (const { at } of points) counts.set(columnOf(at), (counts.get(columnOf(at)) ?? 0) + 1)
  const style = name === 'error' || name === 'raw' ? 'red' : 'green'
  const marks = ' ▪23456789+'
  return [...counts].map(([column, count]) => ({ column, text: marks.charAt(Math.min(count, 10)), style }))
}

/** The pauses of at least a tenth of a stream, and its end. */
function waitsOf({ lanes, end }: Track): TrackLane[] {
  if (end === undefined) return []
  const waits: Point[] = []
  let last = 0
  const times = lanes.flatMap(({ points }) => points.map(({ at }) => at)).sort((a, b) => a - b)
  for (const at of [...times, end.at]) {
    if (at - last >= Math.max(100, end.at / 10))
      waits.push({ at: last, text: `┄┄${formatDuration(at - last)}┄┄` }, { at, text: '' })
    last = at
  }
  return [
    { name: 'wait', shows: 'values', points: waits },
    { name: 'over', shows: 'values', points: [{ at: end.at, text: end.how === 'completed' ? '■' : '✗' }] },
  ]
}

function eventsText({ name, points }: TrackLane): string {
  const [from = 0, to = from] = [points[0]?.at, points.at(-1)?.at]
  const until = to > from ? ` to ${formatDuration(to)}` : ''
  const howMany = points.length > 1 ? ` (${points.length} events)` : ''
  const content = points.map(({ text }) => escapeControls(text)).filter((text) => text !== '')
  return `${name}  ${formatDuration(from)}${until}${howMany}  ${content.join('│')}`.trimEnd()
}

/** Columns over time. */
interface Scale {
  /** The times that are named. */
  readonly marks: readonly number[]
  /** The time at which each column begins. */
  readonly times: readonly number[]
  columnOf(at: number): number
}

/** Beyond what the texts need, columns are spread by the square roots of the times between the marks. */
function scaleOf(changes: readonly number[], lanes: readonly TrackLane[], room: number): Scale {
  const named = lanes.flatMap(({ shows, points }) => (shows === 'events' ? points.slice(0, 1) : points))
  const values = lanes.flatMap(({ shows, points }) => (shows === 'values' ? points : []))
  const all = changes.length === 0 ? [0, ...named.map(({ at }) => at)] : changes
  const marks = [...new Set(all)].sort((a, b) => a - b).slice(0, room)
  const parts = marks.map((at, index) => {
    const texts = values.flatMap((point) => (point.at === at ? [point.text.length] : []))
    const need = Math.min(maxNeed, Math.max(formatDuration(at).length, ...texts)) + 2
    const duration = (marks[index + 1] ?? at + 1) - at
    return { at, need, duration, weight: Math.sqrt(duration) }
  })
  const needed = parts.reduce((sum, { need }) => sum + need, 0)
  const weights = parts.reduce((sum, { weight }) => sum + weight, 0)
  const times: number[] = []
  for (const { at, need, duration, weight } of parts) {
    const free = (Math.max(0, room - needed) * weight) / weights
    const columns = Math.max(1, Math.floor(need * Math.min(1, room / needed) + free))
    for (let column = 0; column < columns; column++) times.push(at + (duration * column) / columns)
  }
  const columnOf = (at: number): number => times.findLastIndex((time) => time <= at)
  return { marks, times, columnOf }
}

/** The times above a line with a tick for each; one without room for its label has neither. */
function axisLines({ marks, times, columnOf }: Scale, { indent, paint }: Drawing): string[] {
  const labels: Segment[] = []
  let line = ''
  let free = 0
  for (const at of marks) {
    const column = columnOf(at)
    if (column < free) continue
    const text = formatDuration(at)
    labels.push({ column, text })
    free = column + text.length + 1
    line = `${line.padEnd(column, '─')}┬`
  }
  const begin = indent + ' '.repeat(nameColumn)
  return [begin + textOf(labels, paint), begin + line.padEnd(times.length, '─')].map((text) =>
    paint('dim', text),
  )
}

function textOf(segments: readonly Segment[], paint: Paint): string {
  let line = ''
  let end = 0
  for (const { column, text, style } of segments) {
    line += ' '.repeat(Math.max(0, column - end))
    line += style === undefined ? text : paint(style, text)
    end = column + [...text].length
  }
  return line
}
