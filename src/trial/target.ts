/** The requests of a healthy run that can fail. */
import { isFields, jsonIn } from '../engine/fields.ts'
import type { JournalEntry } from '../exchange/exchange.ts'
import type { Operation, Vocabulary } from '../protocol/operations.ts'

/** How a response is delivered: as a stream of events, or in one body. */
export type Delivery = 'stream' | 'body'

/** A request of the healthy run that can fail. */
export interface Target {
  readonly operation: Operation
  /** Its number among the requests for its operation, from 1. */
  readonly nth: number
  /** Its number among requests with the same delivery: among all, and among those that reach the rules. */
  readonly position: { readonly received: number; readonly checked: number }
  readonly delivery: Delivery
  /** The number of events of its stream; undefined for a response in one body. */
  readonly events: number | undefined
  /** Whether its response is JSON in one body. */
  readonly isJson: boolean
  /** The JSON of its response; undefined if it is not JSON or too long for the journal. */
  readonly body: unknown
  /** The path of a field with a value from a list, such as `choices.0.finish_reason`, and that value. */
  readonly choice: { readonly path: string; readonly value: string | number } | undefined
}

/**
 * The requests that succeeded, in order. The second request of an operation is a target only for failures
 * that do not apply to the first one, unless its response is delivered in another way.
 */
export function targetsOf(entries: readonly JournalEntry[], vocabulary: Vocabulary): readonly Target[] {
  const counts = new Map<string, number>()
  const count = (key: string): number => {
    const next = (counts.get(key) ?? 0) + 1
    counts.set(key, next)
    return next
  }
  return entries.flatMap((entry): Target[] => {
    const operation = entry.operation === undefined ? undefined : vocabulary.operation(entry.operation)
    if (operation === undefined || entry.operation === undefined) return []
    const delivery = deliveryOf(entry)
    const nth = count(entry.operation)
    const received = count(`${entry.operation} ${delivery}`)
    // A request with an invalid key or body is rejected before it reaches the rules.
    if (entry.cause.rulesAsked === false && entry.cause.rule === undefined) return []
    const checked = count(`${entry.operation} ${delivery} checked`)
    if (!hasSucceeded(entry)) return []
    const { events, body: { text } = {} } = entry.response ?? {}
    const body = events === undefined ? jsonIn(text) : undefined
    return [
      {
        operation,
        nth,
        position: { received, checked },
        delivery,
        events: events?.length,
        isJson: events === undefined && /^\s*[[{]/.test(text ?? ''),
        body,
        choice: choiceIn(body),
      },
    ]
  })
}

const hasSucceeded = ({ ended, response }: JournalEntry): boolean =>
  response !== undefined && response.status >= 200 && response.status < 400 && ended !== 'disconnected'

/** The delivery that the request asks for, which a rule can match. */
function deliveryOf({ request }: JournalEntry): Delivery {
  const body = jsonIn(request.body?.text)
  return isFields(body) && body['stream'] === true ? 'stream' : 'body'
}

const firstOf = <Item>(items: readonly (Item | undefined)[]): Item | undefined =>
  items.find((item) => item !== undefined)

/** The names of fields with a value from a list. */
const choiceNames = ['finish_reason', 'stop_reason', 'status', 'state']
const maxDepth = 3

function choiceIn(value: unknown, path: readonly string[] = []): Target['choice'] {
  if (value === null || typeof value !== 'object' || path.length > maxDepth) return undefined
  const fields = Object.entries(value as object)
  for (const [name, inner] of fields)
    if (choiceNames.includes(name) && (typeof inner === 'string' || typeof inner === 'number'))
      return { path: [...path, name].join('.'), value: inner }
  return firstOf(fields.map(([name, inner]) => choiceIn(inner, [...path, name])))
}
