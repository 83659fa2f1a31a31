/** An invariant: a rule across fields, events or responses, with its source and a check. */
import type * as z from 'zod'
import { type Fields, isFields, jsonIn } from '../engine/fields.ts'
import { lastPart } from '../engine/pointer.ts'
import type { Route } from './router.ts'

/** The first place that violates an invariant. */
export interface Counterexample {
  /** Into the body or the event. */
  readonly pointer?: string
  readonly got: string
}

export interface Invariant<Subject> {
  readonly section: string
  /** The rule, as `expected` of a report. */
  readonly states: string
  readonly kind: ViolationKind
  /** `breaking` where the contract says it, `doubtful` where only clients rely on it. */
  readonly severity: Severity
  /** The first counterexample. A subject of another kind has none. */
  counterexample(subject: Subject): Counterexample | false | undefined
}

const invariantsOf =
  (severity: Severity) =>
  <Subject>(
    section: string,
    kind: ViolationKind,
    states: string,
    counterexample: Invariant<Subject>['counterexample'],
  ): Invariant<Subject> => ({ section, kind, states, severity, counterexample })

/** Stated by the contract. */
export const breaking = invariantsOf('breaking')

/** Left open by the contract; clients rely on it. */
export const doubtful = invariantsOf('doubtful')

/** The violations of invariants, one for each. */
export function judge<Subject>(
  invariants: readonly Invariant<Subject>[],
  subject: Subject,
  at: { readonly operation: string; readonly where: Violation['where'] },
): Violation[] {
  return invariants.flatMap(({ section, states, kind, severity, counterexample }) => {
    const found = counterexample(subject)
    if (!found) return []
    return [
      { ...at, section, pointer: found.pointer ?? '', kind, severity, expected: states, got: found.got },
    ]
  })
}

export function shown(value: unknown): string {
  if (value === undefined) return 'nothing'
  const text = JSON.stringify(value)
  return text.length > 80 ? `${text.slice(0, 79)}…` : text
}

/** Two values that should be equal. */
export const thenShown = (before: unknown, after: unknown): string => `${shown(before)}, then ${shown(after)}`

/** The first counterexample that a search over the entries of a list finds. */
export function firstCounterexample<Item>(
  items: readonly Item[],
  find: (item: Item, index: number) => Counterexample | false | undefined,
): Counterexample | undefined {
  for (const [index, item] of items.entries()) {
    const found = find(item, index)
    if (found) return found
  }
  return undefined
}

export const isJson = (text: string): boolean => jsonIn(text) !== undefined

/** A stream as its invariants see it: the events in order, parsed, with the request that asked for it. */
interface JudgedEvent {
  /** The name in its `event:` line. */
  readonly event: string | undefined
  readonly data: string
  /** Its data as JSON; undefined where it is none, as in an end marker. */
  readonly fields: Fields | undefined
}

export interface JudgedStream {
  /** The body of the request, as far as it was readable. */
  readonly request: Fields
  readonly events: readonly JudgedEvent[]
  /** Whether it is complete: not disconnected, no error event. */
  readonly whole: boolean
}

/** The type of an event: the SDKs read it from the data, and the line beside it must say the same. */
export const typeOf = ({ fields }: JudgedEvent): unknown => fields?.['type']

/** Whether an event reports an error, by which a stream ends. */
export const isError = ({ fields }: JudgedEvent): boolean =>
  fields !== undefined && (isFields(fields['error']) || fields['type'] === 'error')

/** Event 3, as people count. */
export const nth = (index: number): string => `event ${index + 1}`

/** Each event has an `event:` line, which names the type that its data gives. */
export const namesItsType = (
  head: Pick<Invariant<JudgedStream>, 'section' | 'states'>,
): Invariant<JudgedStream> => ({
  ...head,
  severity: 'doubtful',
  kind: 'format',
  counterexample: ({ events }) =>
    firstCounterexample(
      events,
      (event, index) =>
        event.fields !== undefined &&
        event.event !== typeOf(event) && {
          got: `${nth(index)} with the name ${shown(event.event)} and the type ${shown(typeOf(event))}`,
        },
    ),
})

/** A plain response as its invariants see it: the body, with the request that it answers. */
export interface JudgedAnswer {
  readonly endpoint: Route['endpoint']
  readonly params: Readonly<Record<string, string>>
  /** The body of the request: JSON, or the text fields of a form. */
  readonly request: Fields
  readonly response: Fields
}

const idIn = (name: unknown): string | undefined => (typeof name === 'string' ? lastPart(name) : undefined)

/** The id of what a response shows: its `id`, or the end of its `name`. */
export const shownId = ({ id, name }: Fields): string | undefined =>
  typeof id === 'string' ? id : idIn(name)

/** The id that a request polls, at the end of its path. */
export function askedId({ endpoint, params }: Pick<JudgedAnswer, 'endpoint' | 'params'>): string | undefined {
  return endpoint.job?.polls && params[/\{(\w+)\}$/.exec(endpoint.path)?.[1] ?? '']
}

export const violationKinds = [
  ...(['missing', 'type', 'value', 'extra'] as const),
  ...(['status', 'envelope', 'order', 'format'] as const),
]
export type ViolationKind = (typeof violationKinds)[number]

/**
 * `breaking`: a client that follows the contract can fail. `doubtful`: the contract is unclear, but clients
 * rely on it. `addition`: not in the contract; never counts.
 */
export type Severity = 'breaking' | 'doubtful' | 'addition'

/** A violation of the contract. */
export interface Violation {
  readonly operation: string
  /** Where docs/spec-coverage.md quotes the rule: `contract 2.3`, `wire-formats 2.4`. */
  readonly section: string
  readonly where: 'status' | 'headers' | 'body' | 'stream'
  /** A JSON pointer into the body or the event, to the first place of its kind; empty for the whole. */
  readonly pointer: string
  /** Which event of the stream, counted from 0: the first one of its kind. */
  readonly event?: number
  readonly kind: ViolationKind
  readonly severity: Severity
  readonly expected: string
  readonly got: string
}

/** A violation but for its operation: breaking, and of the whole, unless it says otherwise. */
export const violating = (
  section: string,
  what: Pick<Violation, 'where' | 'kind' | 'expected' | 'got'> & Partial<Violation>,
): Omit<Violation, 'operation'> => {
  const { where, pointer = '', kind, severity = 'breaking', expected, got } = what
  return { section, where, pointer, kind, severity, expected, got }
}

/** Whether a field has a value. */
export const isThere = (value: unknown): boolean => value !== undefined && value !== null

/** The value that a place shows. */
export const at = (pointer: string, value: unknown): Counterexample => ({ pointer, got: shown(value) })

/** The responses about one job, in chronological order. */
export type Lifecycle = readonly Fields[]

/** Where a response of each kind has its progress and outcome. */
export interface Course {
  readonly field: string
  /** 2: it has ended. Undefined for a state that is not in the contract. */
  stage(shows: Fields): number | undefined
  outcome(shows: Fields): unknown
}

/** The first two consecutive polls that contradict each other; polls without a known state are skipped. */
export function firstPair(
  lifecycle: Lifecycle,
  isShown: (shows: Fields) => boolean,
  find: (before: Fields, after: Fields) => Counterexample | false,
): Counterexample | undefined {
  const shows = lifecycle.filter(isShown)
  return firstCounterexample(shows.slice(1), (after, at) => {
    const counterexample = find(shows[at] as Fields, after)
    return counterexample && { ...counterexample, got: `${counterexample.got} (poll ${at + 1})` }
  })
}

export const changed = (field: string, before: Fields, after: Fields): Counterexample => ({
  pointer: `/${field}`,
  got: thenShown(before[field], after[field]),
})

export const ofCourse = ({ field, stage, outcome }: Course): Invariant<Lifecycle>[] => [
  doubtful('contract 3', 'order', 'a status that never moves backwards', (lifecycle) =>
    firstPair(
      lifecycle,
      (shows) => stage(shows) !== undefined,
      (before, after) => (stage(after) ?? 0) < (stage(before) ?? 0) && changed(field, before, after),
    ),
  ),
  doubtful('contract 3', 'order', 'a final status that never changes', (lifecycle) =>
    firstPair(
      lifecycle,
      (shows) => stage(shows) === 2,
      (before, after) =>
        outcome(before) !== outcome(after) && {
          pointer: `/${field}`,
          got: thenShown(outcome(before), outcome(after)),
        },
    ),
  ),
]

export const stays = (field: string): Invariant<Lifecycle> =>
  doubtful('contract 2.3', 'value', `the same ${field} in every response`, (lifecycle) =>
    firstPair(
      lifecycle,
      (shows) => shows[field] !== undefined && shows[field] !== null,
      (before, after) =>
        // The schema reports a wrong type.
        before[field] !== after[field] &&
        typeof before[field] === typeof after[field] &&
        changed(field, before, after),
    ),
  )

/** What the contract says about the responses of a group, beyond the schemas of its operations. */
export interface GroupRules {
  readonly group: string
  /** Of plain responses. */
  readonly answers?: readonly Invariant<JudgedAnswer>[]
  readonly streams?: readonly Invariant<JudgedStream>[]
  /** Of the responses about one job. */
  readonly lifecycle?: readonly Invariant<Lifecycle>[]
  /** The error body, if it is not the common one. */
  readonly errors?: () => z.ZodType
  /** An error inside a stream, if it differs from the body. */
  readonly streamErrors?: () => z.ZodType
  /** The code of an error, by its status. */
  readonly errorCodes?: Readonly<Record<number, number>>
  /** The media types of its files. */
  readonly files?: RegExp
}
