/** Draws a stream as lanes over virtual time, with its content. */
import { formatDuration } from '../../engine/duration.ts'
import { counted, wrap } from '../../text/printable.ts'
import { type EventLane, eventLanes, type SeenEvent, type StreamHistory } from '../record-stream.ts'
import { axesOf, createLane, type Drawing, drawAxis, drawLane, nameColumn, type Style } from './lane.ts'

/** Consecutive events of one lane. */
interface Group {
  readonly lane: EventLane
  readonly events: readonly SeenEvent[]
  readonly from: number
  readonly to: number
}

const endings: Readonly<Record<StreamHistory['ended'], string>> = {
  completed: 'the stream is complete',
  'no-end-marker': 'the stream ends without its end marker',
  disconnected: 'the connection breaks',
  stalled: 'no more events arrive, and the connection stays open',
  aborted: 'the client disconnects',
  hang: 'no response ever arrives',
}

/** A pause this many times the median is shown as a wait. */
const waitFactor = 3

export function drawStream(
  { operation, status, events, endedAt, ended }: StreamHistory,
  { width, indent, glyphs, paint }: Drawing,
): string[] {
  const { clean } = glyphs
  const room = width - indent.length - nameColumn
  const count = events.filter(({ comment }) => comment !== true).length
  const withStatus = status === 'broken' ? '' : `${status}, `
  const took = events.length === 0 ? '' : ` in ${formatDuration(endedAt)}`
  const head = `${operation}: ${withStatus}${counted(count, 'event')}${took}, then ${endings[ended]}`
  const groups = groupsOf(events)
  const waits = waitsOf(events, endedAt)
  const timestamps = [
    ...new Set([0, ...groups.map(({ from }) => from), ...waits.map(({ from }) => from), endedAt]),
  ].sort((a, b) => a - b)
  const marks = timestamps.map((at) => ({ at, need: formatDuration(at).length + 1 }))
  const lines = wrap(indent, head, width)
  for (const [index, axis] of axesOf(marks, room).entries()) {
    const begin = axis.marks[0]?.at ?? 0
    const next = axesOf(marks, room)[index + 1]?.marks[0]?.at ?? Infinity
    const inRow = (at: number): boolean => at >= begin && at < next
    lines.push(...drawAxis(axis, indent, room, glyphs, paint))
    for (const lane of eventLanes) {
      const own = events.filter((event) => event.lane === lane && inRow(event.at))
      if (own.length === 0) continue
      const drawn = createLane(room, '')
      const counts = new Map<number, number>()
      for (const { at } of own) counts.set(axis.columnOf(at), (counts.get(axis.columnOf(at)) ?? 0) + 1)
      for (const [column, count] of counts)
        drawn.put(column, count === 1 ? glyphs.event : count < 10 ? String(count) : '+', styles[lane])
      lines.push(drawLane(lane, drawn, indent, paint))
    }
    const pauses = waits.filter(({ from }) => inRow(from))
    if (pauses.length > 0) {
      const drawn = createLane(room, '')
      for (const { from, to } of pauses) {
        const [start, end] = [axis.columnOf(from) + 1, to < next ? axis.columnOf(to) : room]
        drawn.put(start, glyphs.wait.repeat(Math.max(1, end - start)), 'dim')
        const text = formatDuration(to - from)
        if (text.length <= end - start)
          drawn.put(start + Math.floor((end - start - text.length) / 2), text, 'dim')
      }
      lines.push(drawLane('wait', drawn, indent, paint))
    }
    if (inRow(endedAt)) {
      const drawn = createLane(room, '')
      drawn.put(
        Math.min(axis.columnOf(endedAt), room - 1),
        ended === 'completed' ? glyphs.done : glyphs.broken,
        ended === 'completed' ? 'green' : 'red',
      )
      lines.push(drawLane('over', drawn, indent, paint))
    }
  }
  for (const group of groups) {
    const { lane, from, to } = group
    const said = group.events.map((event) => clean(event.said)).filter((text) => text !== '')
    const count = group.events.length
    const when = `${formatDuration(from)}${to > from ? ` to ${formatDuration(to)}` : ''}`
    const howMany = count > 1 ? ` (${count} events)` : ''
    const text = said.length === 0 ? '' : `  ${said.join(glyphs.between)}`
    const summary = `${when}  ${lane}${howMany}${text}`
    lines.push(...wrap(`${indent}${glyphs.bullet} `, summary, width).map((text) => paint('dim', text)))
  }
  return lines
}

const styles: Readonly<Partial<Record<EventLane, Style>>> = {
  text: 'green',
  tool: 'cyan',
  reasoning: 'magenta',
  refusal: 'yellow',
  image: 'green',
  raw: 'red',
  error: 'red',
}

function groupsOf(events: readonly SeenEvent[]): Group[] {
  const groups: Group[] = []
  for (const event of events) {
    const last = groups.at(-1)
    if (last?.lane === event.lane)
      groups[groups.length - 1] = { ...last, events: [...last.events, event], to: event.at }
    else groups.push({ lane: event.lane, events: [event], from: event.at, to: event.at })
  }
  return groups
}

/** Pauses that are much longer than the median. */
function waitsOf(
  events: readonly SeenEvent[],
  endedAt: number,
): { readonly from: number; readonly to: number }[] {
  const timestamps = [0, ...events.map(({ at }) => at), endedAt]
  const gaps = timestamps.slice(1).map((to, index) => ({ from: timestamps[index] as number, to }))
  const between = gaps
    .slice(1, -1)
    .map(({ from, to }) => to - from)
    .filter((gap) => gap > 0)
    .sort((a, b) => a - b)
  const median = between[Math.floor(between.length / 2)] ?? 0
  return gaps.filter(({ from, to }) => to - from > median * waitFactor && to - from >= 100)
}
