/** In what a request differs from a recorded one, field by field. */
import { isFields } from '../engine/fields.ts'
import { type RuleTrace, summarizeValue } from '../engine/rule-trace.ts'
import { bodyOf } from '../scenario/condition-facts.ts'
import { type ComparedRequest, comparedQuery, defaultsOf, type Omitted, without } from './play-request.ts'

/** How many fields of one request are looked at. */
const maxFields = 2000

interface Place {
  readonly field: string
  readonly path: readonly (string | number)[]
  readonly value: unknown
}

/** The difference of `got` from what was recorded; undefined when there is none that can be told. */
export function differenceFrom(
  recorded: ComparedRequest,
  got: ComparedRequest,
  omitted: Omitted,
  source: string,
): RuleTrace | undefined {
  const expected = placesOf(recorded, omitted)
  const actual = placesOf(got, omitted)
  let first: Pick<RuleTrace, 'field' | 'path' | 'expected' | 'got'> | undefined
  let held = 0
  for (const [name, { field, path, value }] of expected) {
    const other = actual.get(name)
    if (other !== undefined && other.value === value) held++
    else first ??= { field, path, expected: worded(value), got: summarizeValue(other?.value) }
  }
  let of = expected.size
  for (const [name, { field, path, value }] of actual) {
    if (expected.has(name)) continue
    of++
    first ??= { field, path, expected: 'nothing', got: summarizeValue(value) }
  }
  return first === undefined
    ? undefined
    : { rule: source, recorded: true, outcome: 'differs', held, of, ...first }
}

const worded = (value: unknown): string => JSON.stringify(summarizeValue(value))

/** The fields of a request that have no fields of their own, by name, in their order. */
function placesOf(request: ComparedRequest, omitted: Omitted): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>()
  const visit = (field: string, path: readonly (string | number)[], value: unknown): void => {
    if (places.size >= maxFields) return
    const isEmpty = value !== null && typeof value === 'object' && Object.keys(value).length === 0
    if (Array.isArray(value) && !isEmpty)
      for (const [at, item] of value.entries()) visit(field, [...path, at], item)
    else if (isFields(value) && !isEmpty)
      for (const [name, item] of Object.entries(value)) visit(field, [...path, name], item)
    else
      places.set(JSON.stringify([field, ...path]), {
        field,
        path,
        value: isEmpty ? JSON.stringify(value) : value,
      })
  }
  visit('path', [], request.params)
  visit('query', [], Object.fromEntries(comparedQuery(request.query, omitted)))
  visit('body', [], withoutDefaults(bodyOf(without(request.payload, omitted.body)), request))
  return places
}

// What says the same when it is left out does not decide.
function withoutDefaults(body: unknown, { route }: ComparedRequest): unknown {
  if (!isFields(body)) return body
  const defaults = defaultsOf(route)
  return Object.fromEntries(
    Object.entries(body).filter(
      ([name, value]) => !defaults.has(name) || (value !== null && value !== defaults.get(name)),
    ),
  )
}
