/**
 * What changed between two recordings: statuses, fields, types, values and headers, by operation.
 * Ids, timestamps and text are ignored, and so is what only one recording shows.
 */
import { grouped } from '../../engine/fields.ts'
import type { RecordedExchange } from '../../har/write-har.ts'
import type { Paint } from '../../text/paint.ts'
import { counted, escapeControls, wrap } from '../../text/printable.ts'
import { type Responses, type Shape, type Traffic, trafficOf } from './traffic.ts'

/** The differences by operation, the notes, and a summary. */
export function printDiff({ differences, notes, compared }: RecordingDiff, paint: Paint): string {
  const lines: string[] = []
  let heading: string | undefined
  for (const difference of merged(differences)) {
    const operations = difference.operations.join(', ')
    if (operations !== heading) lines.push(...wrap('', operations, width).map((line) => paint('bold', line)))
    heading = operations
    lines.push(...lineOf(difference, paint))
  }
  if (notes.length > 0)
    lines.push(paint('bold', 'notes'), ...notes.map((note) => `  ${escapeControls(note)}`))
  const [what, where] = [counted(differences.length, 'difference'), counted(compared, 'operation')]
  return `${[...lines, `${what} in ${where} present in both recordings`].join('\n')}\n`
}

/** Headers that were added or removed together are one line. */
function merged(differences: readonly Difference[]): Difference[] {
  const alike = grouped(differences, ({ place, ...one }) =>
    JSON.stringify(one.what === 'header' ? one : [one, place]),
  )
  return [...alike.values()].map((all) => ({
    ...(all[0] as Difference),
    place: all.map(({ place }) => place).join(', '),
  }))
}

const width = 100

const styles = {
  status: 'red',
  added: 'green',
  removed: 'red',
  type: 'yellow',
  values: 'yellow',
  header: 'yellow',
  end: 'red',
} as const

function lineOf({ what, place, before, after }: Difference, paint: Paint): string[] {
  const at = what === 'status' || what === 'end' ? '' : `${place}: `
  const text = what === 'added' ? after : what === 'removed' ? before : `${before} → ${after}`
  const [first = '', ...more] = wrap(`  ${what.padEnd(8)} `, escapeControls(at + text), width)
  return [first.replace(what, paint(styles[what], what)), ...more]
}

interface Difference {
  readonly operations: readonly string[]
  readonly what: 'status' | 'added' | 'removed' | 'type' | 'values' | 'header' | 'end'
  /** A pointer, with `*` for any item; of a stream after the name of the event; the name of a header. */
  readonly place: string
  readonly before: string
  readonly after: string
}

interface RecordingDiff {
  readonly version: 1
  readonly differences: readonly Difference[]
  /** Possible coincidences: slower responses, optional fields, operations in one recording only. */
  readonly notes: readonly string[]
  readonly compared: number
}

interface Found extends Omit<Difference, 'operations'> {
  readonly operation: string
}

export async function diffRecordings(
  before: readonly RecordedExchange[],
  after: readonly RecordedExchange[],
): Promise<RecordingDiff> {
  const [a, b] = [await trafficOf(before), await trafficOf(after)]
  const notes = new Set<string>()
  const errors = errorsOf(a, b)
  const found: Found[] = [...statusesOf(a, b), ...errors.differs]
  for (const note of errors.chance) notes.add(note)
  for (const [key, responses] of a.responses) {
    const others = b.responses.get(key)
    if (others === undefined) continue
    found.push(...headersOf(responses, others), ...endsOf(responses, others))
    for (const [event, shape] of responses.bodies) {
      const other = others.bodies.get(event)
      if (other === undefined) continue
      const where = { operation: responses.operation, prefix: prefixOf(responses, event) }
      const { differs, chance } = compareShapes(shape, other, where)
      found.push(...differs)
      for (const note of chance) notes.add(note)
    }
    for (const note of eventsOf(responses, others)) notes.add(note)
  }
  return {
    version: 1,
    differences: together(found, [...a.times.keys()]),
    notes: [...notes, ...slower(a, b), ...onlyOne(a, b)],
    compared: [...a.times.keys()].filter((operation) => b.times.has(operation)).length,
  }
}

/** A difference that several operations share is listed once, before those of fewer operations. */
function together(found: readonly Found[], order: readonly string[]): Difference[] {
  const alike = grouped(found, ({ operation: _, ...what }) => JSON.stringify(what))
  return [...alike.values()]
    .map((all): Difference => {
      const [{ operation: _, ...what }] = all as [Found]
      const seen = new Set(all.map(({ operation }) => operation))
      return { operations: order.filter((operation) => seen.has(operation)), ...what }
    })
    .toSorted(
      (x, y) =>
        y.operations.length - x.operations.length ||
        order.indexOf(x.operations[0] as string) - order.indexOf(y.operations[0] as string) ||
        x.operations.join().localeCompare(y.operations.join()),
    )
}

const prefixOf = ({ form }: Responses, event: string): string =>
  form === 'stream' ? (event === '' ? 'event ' : `${event} `) : form === 'rejection' ? 'rejection ' : ''

/** A rate limit is a coincidence. */
const chanceStatuses: readonly number[] = [429]

function statusesOf(a: Traffic, b: Traffic): Found[] {
  return [...a.statuses].flatMap(([asked, { operation, seen }]) => {
    const others = b.statuses.get(asked)?.seen
    if (others === undefined) return []
    const added = [...others].filter((status) => !seen.has(status) && !chanceStatuses.includes(status))
    if (added.length === 0) return []
    const gone = [...seen].filter((status) => !others.has(status))
    const [before, after] = [list(gone.length === 0 ? seen : gone), list(added)]
    return [{ operation, what: 'status', place: 'status', before, after } as const]
  })
}

/** Errors of requests with the same fields and status. Some values in common: a coincidence. */
function errorsOf(a: Traffic, b: Traffic): Compared {
  const differs: Found[] = []
  const chance: string[] = []
  for (const [key, { operation, place, seen }] of a.errors) {
    const others = b.errors.get(key)?.seen
    if (others === undefined) continue
    const fresh = [...others].filter((value) => !seen.has(value))
    if (fresh.length === 0) continue
    const [before, after] = [list(seen), list(fresh)]
    if (fresh.length === others.size) differs.push({ operation, what: 'values', place, before, after })
    else chance.push(`${operation}: ${place} was ${before}, now also ${after}`)
  }
  return { differs, chance }
}

const list = (values: Iterable<unknown>): string => [...values].map(String).toSorted().join(', ')

function headersOf(a: Responses, b: Responses): Found[] {
  const { operation } = a
  const names = [...new Set([...a.headers.keys(), ...b.headers.keys()])]
  return names.flatMap((place): Found[] => {
    const [before, after] = [a.headers.get(place), b.headers.get(place)]
    const has = (header: typeof before, all: number): string =>
      header === undefined ? 'absent' : header.count === all ? 'present' : 'sometimes'
    const [was, is] = [has(before, a.count), has(after, b.count)]
    const one = { operation, what: 'header', place } as const
    if (was === 'absent' || is === 'absent')
      return was !== is && was !== 'sometimes' && is !== 'sometimes'
        ? [{ ...one, before: was, after: is }]
        : []
    const values = [list(before?.values ?? []), list(after?.values ?? [])] as const
    return values[0] === values[1] ? [] : [{ ...one, before: values[0], after: values[1] }]
  })
}

/** Responses and streams with a new kind of end. */
function endsOf({ operation, ends: before }: Responses, { ends: after }: Responses): Found[] {
  const fresh = [...after].filter((end) => !before.has(end))
  if (fresh.length === 0 || before.size === 0) return []
  return [{ operation, what: 'end', place: 'end', before: list(before), after: list(fresh) }]
}

interface Compared {
  readonly differs: readonly Found[]
  readonly chance: readonly string[]
}

interface Where {
  readonly operation: string
  readonly prefix: string
}

function compareShapes(a: Shape, b: Shape, { operation, prefix }: Where): Compared {
  const differs: Found[] = []
  const chance: string[] = []
  const lone = (place: string, in_: Shape, other: Shape, what: 'added' | 'removed'): void => {
    const parent = other.fields.get(place.slice(0, place.lastIndexOf('/')))
    // A missing field is one difference, without its children.
    if (parent === undefined || parent.types.has('null') || place.endsWith('/*')) return
    const shown = typesOf(in_, place) || 'null'
    const [before, after] = what === 'added' ? ['absent', shown] : [shown, 'absent']
    const which = what === 'added' ? 'second' : 'first'
    if (in_.isAlways(place)) differs.push({ operation, what, place: `${prefix}${place}`, before, after })
    else chance.push(`${operation}: ${prefix}${place} is optional and appears only in the ${which} recording`)
  }
  for (const place of a.fields.keys()) if (!b.fields.has(place)) lone(place, a, b, 'removed')
  for (const place of b.fields.keys()) if (!a.fields.has(place)) lone(place, b, a, 'added')
  for (const [place, field] of a.fields) {
    const other = b.fields.get(place)
    if (other === undefined) continue
    const [before, after] = [typesOf(a, place), typesOf(b, place)]
    const at = { operation, place: `${prefix}${place}` }
    // Null has no type.
    if (before !== after && before !== '' && after !== '')
      differs.push({ ...at, what: 'type', before, after })
    else if (field.words.size > 0) {
      const [was, is] = [list(field.words), list(other.words)]
      const fresh = [...other.words].filter((word) => !field.words.has(word))
      const gone = [...field.words].filter((word) => !other.words.has(word))
      const [before, after] = [gone.length === 0 ? was : list(gone), list(fresh)]
      if (fresh.some((word) => !b.isKnown(place, word)))
        differs.push({ ...at, what: 'values', before, after })
      // Values of the contract: they depend on the request and the time.
      else if (fresh.length === other.words.size)
        chance.push(`${operation}: ${at.place} was ${was}, now ${is}`)
    }
  }
  return { differs, chance }
}

const typesOf = (shape: Shape, place: string): string =>
  list([...(shape.fields.get(place)?.types ?? [])].filter((type) => type !== 'null'))

/** The keys of one map only, with its name. */
function onlyIn(a: ReadonlyMap<string, unknown>, b: ReadonlyMap<string, unknown>): [string, string][] {
  const only = (one: typeof a, other: typeof a, which: string): [string, string][] =>
    [...one.keys()].flatMap((name) => (other.has(name) ? [] : [[name, which]]))
  return [...only(a, b, 'first'), ...only(b, a, 'second')]
}

/** Events in one of two streams only: they may depend on the model's output. */
const eventsOf = (a: Responses, b: Responses): string[] =>
  (a.form === 'stream' ? onlyIn(a.bodies, b.bodies) : []).map(
    ([event, which]) =>
      `${a.operation}: ${event === '' ? 'an unnamed event' : `the event ${event}`} appears only in the ` +
      `${which} recording`,
  )

/** Slower by this factor, and by this much. */
const noticeable = { factor: 2, milliseconds: 100 }

/** Rejections are faster than other responses: each form has its own median. */
function slower(a: Traffic, b: Traffic): string[] {
  return [...a.times].flatMap(([operation, forms]) =>
    [...forms].flatMap(([form, before]) => {
      const after = b.times.get(operation)?.get(form)
      if (after === undefined) return []
      const firstByte = increase('the time to the first byte', before.firstByte, after.firstByte)
      const end = increase('the time to the last byte', before.end, after.end)
      // The last byte of a stream is a separate matter.
      const all = firstByte === undefined || form === 'stream' ? [firstByte, end] : [firstByte]
      const texts = all.filter((text) => text !== undefined)
      const name = form === 'response' ? operation : `${operation} (${form}s)`
      return texts.length === 0 ? [] : [`${name}: ${texts.join('; ')}`]
    }),
  )
}

/** `the time to the first byte increased from 80 ms to 900 ms`; undefined if it is not noticeable. */
function increase(what: string, a: readonly number[], b: readonly number[]): string | undefined {
  const [before, after] = [median(a), median(b)]
  if (a.length === 0 || after <= before * noticeable.factor || after - before <= noticeable.milliseconds)
    return undefined
  return `${what} increased from ${Math.round(before)} ms to ${Math.round(after)} ms`
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

const onlyOne = (a: Traffic, b: Traffic): string[] =>
  onlyIn(a.times, b.times).map(([operation, which]) => `${operation}: appears only in the ${which} recording`)
