/** An invariant: a rule across fields, events or responses, with its source and a check. */
import type * as z from 'zod'
import { type Fields, isFields, jsonIn } from '../engine/fields.ts'
import { lastPart } from '../engine/pointer.ts'
import type { Route } from './router.ts'

/**
 * Of a client: `error` violates the contract or bills twice, `warning` causes trouble in production, `hint`
 * is often intended. Of a gateway: `error` violates the contract, `warning` breaks typed clients although the
 * contract is open, `hint` is not in the contract and never counts.
 */
export type Severity = 'error' | 'warning' | 'hint'

/** How a response can violate the contract. */
export type ContractCode =
  | 'wrong-status'
  | 'wrong-envelope'
  | 'missing-value'
  | 'wrong-type'
  | 'wrong-value'
  | 'wrong-format'
  | 'wrong-order'
  | 'extra-field'

/** The first place that violates an invariant. */
export interface Counterexample {
  /** Into the body or the event. */
  readonly pointer?: string
  readonly got: string
}

export interface Invariant<Subject> {
  /** The rule, as `expected` of a report. */
  readonly states: string
  readonly code: ContractCode
  /** `error` where the contract says it, `warning` where only clients rely on it. */
  readonly severity: Severity
  /** The first counterexample. A subject of another kind has none. */
  counterexample(subject: Subject): Counterexample | false | undefined
}

const invariantsOf =
  (severity: Severity) =>
  <Subject>(
    code: ContractCode,
    states: string,
    counterexample: Invariant<Subject>['counterexample'],
  ): Invariant<Subject> => ({ code, states, severity, counterexample })

/** Stated by the contract. */
export const breaking = invariantsOf('error')

/** Left open by the contract; clients rely on it. */
export const doubtful = invariantsOf('warning')

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
export const namesItsType = (states: string): Invariant<JudgedStream> => ({
  states,
  severity: 'warning',
  code: 'wrong-format',
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

/** The id that a request polls: in its body where the operation says so, or else at the end of its path. */
export function polledId({ endpoint, params, request }: Omit<JudgedAnswer, 'response'>): string | undefined {
  const { kind, field } = endpoint.job?.polls ?? {}
  if (kind === undefined) return undefined
  if (field === undefined) return params[/\{(\w+)\}$/.exec(endpoint.path)?.[1] ?? '']
  return idIn(request[field])
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
  doubtful('wrong-order', 'a status that never moves backwards', (lifecycle) =>
    firstPair(
      lifecycle,
      (shows) => stage(shows) !== undefined,
      (before, after) => (stage(after) ?? 0) < (stage(before) ?? 0) && changed(field, before, after),
    ),
  ),
  doubtful('wrong-order', 'a final status that never changes', (lifecycle) =>
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
  doubtful('wrong-value', `the same ${field} in every response`, (lifecycle) =>
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
