/** Draws the history of a job, a video or an operation as lanes over virtual time. */
import { formatDuration } from '../../engine/duration.ts'
import { isFields } from '../../engine/fields.ts'
import { wrap } from '../../text/printable.ts'
import type { JobHistory, JobState } from '../record-job.ts'
import { formatValue } from '../yaml.ts'
import {
  type Axis,
  axesOf,
  createLane,
  type Drawing,
  drawAxis,
  drawLane,
  nameColumn,
  type Style,
} from './lane.ts'

/** The preferred width of a value at a mark; narrower if everything then fits into one row. */
const roomy = [56, 40, 26, 18, 13] as const

export function drawJob(
  { madeBy, seenBy, states, moving }: JobHistory,
  { width, indent, glyphs, paint }: Drawing,
): string[] {
  const { clean } = glyphs
  const names = laneNames(states)
  const values = (state: JobState, name: string): string => clean(valueWords(name, state, states))
  const room = width - indent.length - nameColumn
  const marksOf = (most: number) =>
    states.map((state) => ({
      at: state.at,
      need:
        Math.min(
          most,
          Math.max(formatDuration(state.at).length, ...names.map((name) => [...values(state, name)].length)),
        ) + 2,
    }))
  const most = roomy.find((one) => marksOf(one).reduce((sum, { need }) => sum + need, 0) <= room)
  const marks = marksOf(most ?? 18)
  const cut: string[] = []
  const lines = [...wrap(indent, `${submissionText(madeBy)}A client that polls ${seenBy} sees:`, width)]
  for (const axis of axesOf(marks, room)) {
    lines.push(...drawAxis(axis, indent, room, glyphs, paint))
    for (const name of names) {
      const lane = createLane(room, clean('…'))
      // A value is shown when it changes, and again at the start of a row.
      const shownAt = axis.marks.flatMap(({ at, column }, index) => {
        const position = states.findIndex((state) => state.at === at)
        const text = values(states[position] as JobState, name)
        const before = states[position - 1]
        return index > 0 && before !== undefined && values(before, name) === text
          ? []
          : [{ column, text, at }]
      })
      for (const [index, { column, text, at }] of shownAt.entries()) {
        const whole = lane.put(column, text, styleOf(text), (shownAt[index + 1]?.column ?? room + 1) - 1)
        if (!whole) cut.push(`${formatDuration(at)} ${name}: ${text}`)
      }
      lines.push(drawLane(name, lane, indent, paint))
    }
    for (const { field, seen } of moving)
      lines.push(...movingLanes(field, seen, axis, { indent, glyphs, paint }, room, states))
  }
  for (const note of cut)
    lines.push(...wrap(`${indent}${glyphs.bullet} `, note, width).map((text) => paint('dim', text)))
  return lines
}

function submissionText(madeBy: JobHistory['madeBy']): string {
  if (madeBy === 'given') return ''
  const { operation, answered } = madeBy
  return answered === 'broken' ? `${operation} gets no response. ` : `${operation} returns ${answered}. `
}

function movingLanes(
  field: string,
  seen: readonly { readonly at: number; readonly value: number }[],
  axis: Axis,
  { indent, glyphs, paint }: Pick<Drawing, 'indent' | 'glyphs' | 'paint'>,
  room: number,
  states: readonly JobState[],
): string[] {
  const bar = createLane(room, '')
  const numbers = createLane(room, '')
  const valueAt = (at: number): number | undefined =>
    states.findLast((state) => state.at <= at)?.notFound === true
      ? undefined
      : seen.findLast((one) => one.at <= at)?.value
  for (let column = 0; column < room; column++) {
    const value = valueAt(axis.at(column))
    if (value === undefined) continue
    const full = glyphs.bar.length - 1
    bar.put(
      column,
      glyphs.bar[Math.max(0, Math.min(full, Math.floor((value / 100) * full)))] as string,
      'cyan',
    )
  }
  let before: number | undefined
  for (const { at, column } of axis.marks) {
    const value = valueAt(at)
    if (value !== undefined && value !== before) numbers.put(column, String(value), 'cyan')
    before = value
  }
  return [drawLane(field.replace('Percent', ''), bar, indent, paint), drawLane('', numbers, indent, paint)]
}

/** The status, and all fields that change. */
function laneNames(states: readonly JobState[]): string[] {
  const there = states.filter(({ notFound }) => !notFound)
  const names = [...new Set(there.flatMap(({ fields }) => Object.keys(fields)))]
  return [
    'status',
    ...names.filter(
      (name) =>
        name !== 'status' && new Set(there.map(({ fields }) => JSON.stringify(fields[name]))).size > 1,
    ),
  ]
}

/** Parts that are not worth showing. */
const followed: readonly string[] = ['jobId', 'costAt']

function valueWords(name: string, { notFound, fields }: JobState, states: readonly JobState[]): string {
  if (notFound) return name === 'status' ? 'not found (404)' : ''
  const value = fields[name]
  if (value === null || value === undefined) return ''
  if (name === 'urls' && Array.isArray(value)) return value.length === 1 ? '1 url' : `${value.length} urls`
  if (name === 'error' && isFields(value))
    return [value['code'], value['message']].filter((part) => part !== undefined).join(': ')
  if (isFields(value)) {
    // The changed fields of an object.
    const parts = Object.entries(value).filter(
      ([part]) =>
        !followed.includes(part) &&
        new Set(
          states.map((state) =>
            JSON.stringify(
              (state.fields[name] as Readonly<Record<string, unknown>> | null | undefined)?.[part],
            ),
          ),
        ).size > 1,
    )
    if (parts.length > 0) return parts.map(([part, inner]) => `${part} ${formatValue(inner)}`).join(', ')
  }
  return typeof value === 'string' ? value : formatValue(value, 200)
}

function styleOf(text: string): Style | undefined {
  if (/^(?:completed|succeeded)$/i.test(text)) return 'green'
  if (/^(?:failed|not found \(404\))$/i.test(text)) return 'red'
  return /^(?:running|in_progress)$/i.test(text) ? 'yellow' : undefined
}
