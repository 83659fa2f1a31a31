/**
 * Judges whether two recordings show the same. What was there before and is missing after counts like the
 * reverse. Ids, times and texts are ignored.
 */
import type * as z from 'zod'
import { grouped, isFields } from '../engine/fields.ts'
import type { Exchange } from '../exchange/exchange.ts'
import { counted } from '../text/printable.ts'
import { wordsAt } from './contract/schema-places.ts'
import { hasKey, type JudgedCall, mediaTypeOf, sortRecording } from './judged-calls.ts'
import { type KeyedCall, keyed, requestText } from './same-request.ts'
import { formOf, type Place, type Shape, shapeOf, type Values, valuesOf } from './shape.ts'

export interface Difference {
  readonly operations: readonly string[]
  readonly what: 'status' | 'added' | 'removed' | 'type' | 'values' | 'header' | 'end'
  /** A pointer, with `*` for any item; of a stream after the name of the event; the name of a header. */
  readonly place: string
  readonly before: string
  readonly after: string
  /** Requests that show it, with their places in the recordings. */
  readonly requests: readonly { readonly request: string; readonly before: string; readonly after: string }[]
}

export interface RecordingDiff {
  readonly version: 1
  readonly differences: readonly Difference[]
  /** What may be a coincidence, and what was not compared. */
  readonly notes: readonly string[]
  /** The number of operations. */
  readonly compared: number
  /** Why the recordings were not compared: the gateway was not available in one of them. */
  readonly outage?: string
}

interface Found extends Pick<Difference, 'what' | 'place' | 'before' | 'after'> {
  readonly calls: readonly [before: JudgedCall, after: JudgedCall]
  /** Set if it may be a coincidence. */
  readonly mayBeChance?: boolean
}

type Sorted = Awaited<ReturnType<typeof sortRecording>>

export async function diffRecordings(
  before: readonly Exchange[],
  after: readonly Exchange[],
): Promise<RecordingDiff> {
  const sorted = [await sortRecording(before), await sortRecording(after)] as const
  const outage = outageOf(sorted[0], 'first') ?? outageOf(sorted[1], 'second')
  if (outage !== undefined) return { version: 1, differences: [], notes: [], compared: 0, outage }
  const areKeysShown = sorted.every(({ calls }) => calls.some(hasKey))
  const [all = [], allAfter = []] = sorted.map(({ calls }) => keyed(calls, areKeysShown))
  const [a, b] = [all.filter(isComparable), allAfter.filter(isComparable)]
  const found = [...compareRequests(a, b), ...compareResponses(a, b)]
  const notes = found.filter(({ mayBeChance }) => mayBeChance === true).map(inWords)
  return {
    version: 1,
    differences: together(found.filter(({ mayBeChance }) => mayBeChance !== true)),
    notes: [
      ...new Set(notes),
      ...notCompared(sorted[0].others, all, allAfter, 'first'),
      ...notCompared(sorted[1].others, allAfter, all, 'second'),
    ],
    compared: comparedOperations(a, b),
  }
}

// A rate limit is a coincidence.
const isComparable = ({ response }: JudgedCall): boolean => response.status !== 429

const operationOf = ({ route }: JudgedCall): string => route.endpoint.operation

function inWords({ calls, what, place, before, after }: Found): string {
  return `${operationOf(calls[1])}: ${what} ${place}: ${before} → ${after}`
}

/** What only one of two recordings shows; nothing if both show the same, or one shows nothing. */
function changed(what: Found['what'], place: string, a: Values, b: Values): Found[] {
  const gone = [...a.keys()].filter((value) => !b.has(value))
  const fresh = [...b.keys()].filter((value) => !a.has(value))
  const [before, after] = [gone.length > 0 ? gone : [...a.keys()], fresh.length > 0 ? fresh : [...b.keys()]]
  const calls = [a.get(before[0] ?? ''), b.get(after[0] ?? '')] as const
  if (gone.length + fresh.length === 0 || calls[0] === undefined || calls[1] === undefined) return []
  return [{ what, place, before: listed(before), after: listed(after), calls: [calls[0], calls[1]] }]
}

const listed = (values: Iterable<string>): string => [...values].toSorted().join(', ')

const areDisjoint = (a: Values, b: Values): boolean => ![...a.keys()].some((value) => b.has(value))

/** Equal requests are compared; others with all that have the same fields, if nothing is the same. */
function compareRequests(a: readonly KeyedCall[], b: readonly KeyedCall[]): Found[] {
  const [same, alike] = [grouped(b, ({ same }) => same), grouped(b, ({ alike }) => alike)]
  const known = new Set(a.map((call) => call.same))
  const isPaired = (call: KeyedCall): boolean => same.has(call.same) && known.has(call.same)
  return [
    ...[...grouped(a, (call) => call.same)].flatMap(([key, calls]) =>
      compareOutcomes(calls, same.get(key) ?? []),
    ),
    ...[...grouped(a, (call) => call.alike)].flatMap(([key, calls]) => {
      const after = alike.get(key) ?? []
      if (calls.every(isPaired) && after.every(isPaired)) return []
      return areDisjoint(valuesOf(calls, statusIn), valuesOf(after, statusIn))
        ? compareOutcomes(calls, after)
        : []
    }),
  ]
}

const statusIn = ({ response }: JudgedCall): string => String(response.status)

/** Statuses, media types, and the type and code of errors, on which clients branch. */
function compareOutcomes(a: readonly JudgedCall[], b: readonly JudgedCall[]): Found[] {
  const compare = (what: Found['what'], place: string, valueIn: (call: JudgedCall) => string | undefined) =>
    changed(what, place, valuesOf(a, valueIn), valuesOf(b, valueIn))
  return [
    ...compare('status', 'status', statusIn),
    ...compare('header', 'content-type', ({ response }) => mediaTypeOf(response) || undefined),
    ...['type', 'code'].flatMap((field) =>
      compare('values', `/error/${field}`, (call) => errorIn(call, field)),
    ),
  ]
}

function errorIn({ json }: JudgedCall, field: string): string | undefined {
  const error = isFields(json) ? json['error'] : undefined
  const value = isFields(error) ? error[field] : undefined
  return value === undefined || value === null ? undefined : String(value)
}

/** The responses of one form to requests with the same fields. Errors look alike for every request. */
function compareResponses(a: readonly KeyedCall[], b: readonly KeyedCall[]): Found[] {
  const groupOf = (call: KeyedCall): string => {
    const form = formOf(call)
    return `${form === 'rejection' ? operationOf(call) : call.alike} ${form}`
  }
  const others = grouped(b, groupOf)
  return [...grouped(a, groupOf)].flatMap(([key, calls]) => {
    const after = others.get(key)
    if (after === undefined) return []
    const [requests, same] = [calls, after].map((all) => listed(new Set(all.map((call) => call.same))))
    return compareShapes(shapeOf(calls), shapeOf(after), requests === same)
  })
}

/** A field that only some responses have is optional, unless the requests were the same. */
function compareShapes(a: Shape, b: Shape, areSameRequests: boolean): Found[] {
  const found = changed('end', 'end', a.ends, b.ends)
  for (const at of new Set([...a.places.keys(), ...b.places.keys()])) {
    const [was, is] = [a.places.get(at), b.places.get(at)]
    const [isAlways, areAlways] = [a.isAlways(at), b.isAlways(at)]
    if (was !== undefined && is !== undefined && (isAlways === areAlways || !areSameRequests))
      found.push(...compareValues(at, was, is, a.schema))
    else found.push(...presenceChanged(at, a, b, isAlways || areAlways))
  }
  return found
}

function presenceChanged(at: string, a: Shape, b: Shape, isDifference: boolean): Found[] {
  const [was, is] = [a.places.get(at), b.places.get(at)]
  const { parent, isHeader, types } = (was ?? is) as Place
  const [other, shape] = was === undefined ? [a, b] : [b, a]
  const holder = other.places.get(parent)
  // A missing field is one difference, without its children.
  if (holder === undefined || holder.types.has('null') || at.endsWith('/*')) return []
  const isAdded = was === undefined || (is !== undefined && !a.isAlways(at))
  const shown = listed([...types.keys()].filter((type) => type !== 'null')) || 'null'
  const [call] = shape.places.get(at)?.types.values() ?? []
  const [counterpart] = holder.types.values()
  if (call === undefined || counterpart === undefined) return []
  const calls = was === undefined ? ([counterpart, call] as const) : ([call, counterpart] as const)
  const [before, after] = isAdded ? ['absent', shown] : [shown, 'absent']
  const kind = isAdded ? 'added' : 'removed'
  return [
    {
      what: isHeader ? 'header' : kind,
      place: at.replace(/^header /, ''),
      before,
      after,
      calls,
      mayBeChance: !isDifference,
    },
  ]
}

/** Types, and values that the contract lists: those depend on the request and the time. */
function compareValues(at: string, was: Place, is: Place, schema: z.ZodType | undefined): Found[] {
  const types = ({ types: all }: Place): Values => new Map([...all].filter(([type]) => type !== 'null'))
  const changedTypes = changed('type', at, types(was), types(is))
  if (changedTypes.length > 0) return changedTypes
  const known = new Set((schema && wordsAt(schema, was.pointer))?.map(String))
  const isUnknown = (value: string): boolean => !known.has(value)
  const hasUnknown = [...was.words.keys(), ...is.words.keys()].some(
    (value) => isUnknown(value) && !(was.words.has(value) && is.words.has(value)),
  )
  if (!hasUnknown && !areDisjoint(was.words, is.words)) return []
  return changed('values', at, was.words, is.words).map((one) => ({ ...one, mayBeChance: !hasUnknown }))
}

/** A difference that several operations share is listed once, before those of fewer operations. */
function together(found: readonly Found[]): Difference[] {
  const alike = grouped(found, ({ calls: _, ...what }) => JSON.stringify(what))
  return [...alike.values()]
    .map((all): Difference => {
      const [{ what, place, before, after }] = all as [Found]
      const operations = [...new Set(all.map(({ calls }) => operationOf(calls[1])))]
      const requests = all.map(({ calls: [first, second] }) => ({
        request: requestText(second),
        before: first.exchange.source ?? '',
        after: second.exchange.source ?? '',
      }))
      const distinct = new Map(requests.map((one) => [`${one.before} ${one.after}`, one]))
      return { operations, what, place, before, after, requests: [...distinct.values()] }
    })
    .toSorted((one, other) => other.operations.length - one.operations.length)
}

/** If every request of the contract got 5xx or no response, or was rejected for its key or its rate. */
function outageOf({ calls, others }: Sorted, which: string): string | undefined {
  const keyed = inContract(calls).filter((call) => call.response.status !== 401 || hasKey(call))
  const statuses = new Set(keyed.map(({ response }) => String(response.status)))
  if (others.some(isSilent)) statuses.add('no response')
  const isDown = [...statuses].every((status) => !/^[1-4]/.test(status) || status === '429')
  if (!isDown || statuses.size === 0 || (statuses.size === 1 && statuses.has('429'))) return undefined
  return `the gateway was not available in the ${which} recording (${[...statuses].join(', ')})`
}

/** Other requests count only if there are no such ones: `check` itself requests the list of models. */
function inContract<Call extends JudgedCall>(calls: readonly Call[]): readonly Call[] {
  const own = calls.filter(({ route }) => route.endpoint.extension === undefined)
  return own.length > 0 ? own : calls
}

const isSilent = ({ reason }: Sorted['others'][number]): boolean => reason === 'no response'

/** The requests that were not compared, with the reason. */
function notCompared(
  others: Sorted['others'],
  own: readonly KeyedCall[],
  other: readonly KeyedCall[],
  which: string,
): string[] {
  const alike = new Set(other.map((call) => call.alike))
  const reasons = [
    [own.filter((call) => !isComparable(call)).length, 'rate-limited (429)'],
    [others.filter(isSilent).length, 'without a response'],
    [
      own.filter((call) => !alike.has(call.alike)).length,
      'without a request with the same fields in the other recording',
    ],
  ] as const
  return reasons.flatMap(([count, reason]) =>
    count === 0 ? [] : [`not compared: ${counted(count, 'request')} of the ${which} recording, ${reason}`],
  )
}

/** The number of operations with responses to compare. */
function comparedOperations(a: readonly KeyedCall[], b: readonly KeyedCall[]): number {
  const [first, second] = [a, b].map((calls) => new Set(calls.map(({ alike }) => alike)))
  const isCompared = ({ alike }: KeyedCall): boolean =>
    first?.has(alike) === true && second?.has(alike) === true
  return new Set(
    inContract([...a, ...b])
      .filter(isCompared)
      .map(operationOf),
  ).size
}
