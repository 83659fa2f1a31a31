/** Compares the responses of two recordings: bodies, headers, and how they ended. */
import type { RecordedCall } from '../judge-recording.ts'
import type { Responses, Shape } from './traffic.ts'

export interface Found {
  readonly operation: string
  readonly what: 'status' | 'added' | 'removed' | 'type' | 'values' | 'header' | 'end'
  /** A pointer, with `*` for any item; of a stream after the name of the event; the name of a header. */
  readonly place: string
  readonly before: string
  readonly after: string
  /** An example in each recording. */
  readonly calls: readonly [before: RecordedCall, after: RecordedCall]
}

export interface Compared {
  readonly differs: readonly Found[]
  readonly chance: readonly string[]
}

export function compareResponses(a: Responses, b: Responses): Compared {
  const found = [...endsOf(a, b)]
  const notes: string[] = []
  // Requests do not determine all headers and events.
  if (a.of === undefined) {
    found.push(...headersOf(a, b))
    notes.push(...eventsOf(a, b))
  }
  for (const [event, shape] of a.bodies) {
    const other = b.bodies.get(event)
    if (other === undefined) continue
    const { differs, chance } = compareShapes(shape, other, whereOf(a, b, event))
    found.push(...differs)
    if (a.of === undefined) notes.push(...chance)
  }
  return { differs: found, chance: notes }
}

function prefixOf({ form }: Responses, event: string): string {
  if (form === 'rejection') return 'rejection '
  if (form !== 'stream') return ''
  return event === '' ? 'event ' : `${event} `
}

export const list = (values: Iterable<unknown>): string => [...values].map(String).toSorted().join(', ')

function headersOf(a: Responses, b: Responses): Found[] {
  const common = commonOf(a, b)
  const names = [...new Set([...a.headers.keys(), ...b.headers.keys()])]
  return names.flatMap((place): Found[] => {
    const [before, after] = [a.headers.get(place), b.headers.get(place)]
    const has = (header: typeof before, all: number): string => {
      if (header === undefined) return 'absent'
      return header.count === all ? 'present' : 'sometimes'
    }
    const [was, is] = [has(before, a.count), has(after, b.count)]
    const one = { ...common, what: 'header', place } as const
    if (was === 'absent' || is === 'absent')
      return was !== is && was !== 'sometimes' && is !== 'sometimes'
        ? [{ ...one, before: was, after: is }]
        : []
    const values = [list(before?.values ?? []), list(after?.values ?? [])] as const
    return values[0] === values[1] ? [] : [{ ...one, before: values[0], after: values[1] }]
  })
}

/** Responses and streams with a new kind of end. */
function endsOf(a: Responses, b: Responses): Found[] {
  const [before, after] = [a.ends, b.ends]
  const fresh = [...after].filter((end) => !before.has(end))
  if (fresh.length === 0 || before.size === 0) return []
  return [{ ...commonOf(a, b), what: 'end', place: 'end', before: list(before), after: list(fresh) }]
}

const commonOf = ({ operation, first }: Responses, other: Responses) =>
  ({ operation, calls: [first, other.first] }) as const

interface Where {
  readonly common: Pick<Found, 'operation' | 'calls'>
  readonly prefix: string
  /** Whether a field is in every parent that either recording shows. */
  isAlways(shape: Shape, place: string): boolean
}

function whereOf(a: Responses, b: Responses, event: string): Where {
  const groups = new Map([a, b].map(({ bodies, of }) => [bodies.get(event), of?.bodies.get(event)]))
  return {
    common: commonOf(a, b),
    prefix: prefixOf(a, event),
    // A field that is missing from other responses is optional.
    isAlways: (shape, place) => (groups.get(shape) ?? shape).isAlways(place),
  }
}

function compareShapes(a: Shape, b: Shape, { common, prefix, isAlways }: Where): Compared {
  const { operation } = common
  const differs: Found[] = []
  const chance: string[] = []
  const lone = (place: string, in_: Shape, other: Shape, what: 'added' | 'removed'): void => {
    const parent = other.fields.get(place.slice(0, place.lastIndexOf('/')))
    // A missing field is one difference, without its children.
    if (parent === undefined || parent.types.has('null') || place.endsWith('/*')) return
    const shown = typesOf(in_, place) || 'null'
    const [before, after] = what === 'added' ? ['absent', shown] : [shown, 'absent']
    const which = what === 'added' ? 'second' : 'first'
    const [old, changed] = common.calls
    const shows = exampleOf(place, in_, other) ?? old
    const calls = what === 'added' ? ([old, shows] as const) : ([shows, changed] as const)
    if (isAlways(in_, place))
      differs.push({ operation, what, place: `${prefix}${place}`, before, after, calls })
    else chance.push(`${operation}: ${prefix}${place} is optional and appears only in the ${which} recording`)
  }
  for (const place of a.fields.keys()) if (!b.fields.has(place)) lone(place, a, b, 'removed')
  for (const place of b.fields.keys()) if (!a.fields.has(place)) lone(place, b, a, 'added')
  for (const [place, field] of a.fields) {
    const other = b.fields.get(place)
    if (other === undefined) continue
    const [before, after] = [typesOf(a, place), typesOf(b, place)]
    const at = { ...common, place: `${prefix}${place}` }
    // Null has no type.
    if (before !== after && before !== '' && after !== '')
      differs.push({ ...at, what: 'type', before, after, calls: examplesOf(place, a, b) ?? common.calls })
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
  list([...(shape.fields.get(place)?.types.keys() ?? [])].filter((type) => type !== 'null'))

/** The keys of one map only, with its name. */
export function onlyIn(a: ReadonlyMap<string, unknown>, b: ReadonlyMap<string, unknown>): [string, string][] {
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

/** The call that shows a type of a field that the other recording does not have, if there is one. */
function exampleOf(place: string, shape: Shape, other: Shape): RecordedCall | undefined {
  const types = [...(shape.fields.get(place)?.types ?? [])]
  const known = other.fields.get(place)?.types
  return (types.find(([type]) => known?.has(type) !== true) ?? types[0])?.[1]
}

function examplesOf(place: string, a: Shape, b: Shape): Found['calls'] | undefined {
  const [before, after] = [exampleOf(place, a, b), exampleOf(place, b, a)]
  return before === undefined || after === undefined ? undefined : [before, after]
}
