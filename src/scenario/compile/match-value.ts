/**
 * Compares a value with a matcher of a scenario file and finds the differences: a scalar must be equal, an
 * object must be part of the value, a list must be the whole list, and operators must match.
 */

import { type Pattern, readPattern } from '../../behaviours/pattern.ts'
import { lazy } from '../../engine/fields.ts'
import { operatorWords } from '../values.ts'

export interface Difference {
  readonly path: readonly (string | number)[]
  /** In words: `a value containing "sunset"`, `at least 3`. */
  readonly expected: string
  readonly got: unknown
}

/** How strings are compared: headers, queries and form fields are always strings. */
export interface Comparing {
  /** A number or boolean also matches its string form. */
  readonly texts?: boolean
  /** A string may end in `*`. */
  readonly endings?: boolean
  /** Compiles a `regex`, and caches it if a matcher is used more than once. */
  readonly pattern?: (source: string) => Pattern
}

export function rememberedPatterns(): (source: string) => Pattern {
  let known: Map<string, Pattern> | undefined
  return (source) => {
    known ??= new Map()
    const pattern = known.get(source) ?? readPattern(source)
    known.set(source, pattern)
    return pattern
  }
}

const words = lazy((): ReadonlySet<string> => new Set(operatorWords()))
const longestMatched = 1_000_000

/** Whether an object has operators instead of fields. */
export function isOperators(shape: unknown): shape is Readonly<Record<string, unknown>> {
  if (shape === null || typeof shape !== 'object' || Array.isArray(shape)) return false
  const keys = Object.keys(shape)
  return keys.length > 0 && keys.every((key) => words().has(key))
}

export function meets(shape: unknown, value: unknown, how: Comparing = {}): boolean {
  return differences(shape, value, how).next().done === true
}

export function* differences(
  shape: unknown,
  value: unknown,
  how: Comparing = {},
  path: readonly (string | number)[] = [],
): Generator<Difference, undefined> {
  if (isOperators(shape)) {
    for (const [word, wanted] of Object.entries(shape)) {
      const { holds, inWords } = matching[word] as Operator
      if (!holds(wanted, value, how))
        yield { path, expected: inWords(JSON.stringify(wanted), wanted), got: value }
    }
    return
  }
  if (Array.isArray(shape)) {
    if (!Array.isArray(value)) {
      yield { path, expected: `a list of ${shape.length}`, got: value }
      return
    }
    if (value.length !== shape.length) yield { path, expected: `a list of ${shape.length}`, got: value }
    for (const [index, item] of shape.entries())
      if (index < value.length) yield* differences(item, value[index], how, [...path, index])
    return
  }
  if (shape !== null && typeof shape === 'object') {
    if (value === null || typeof value !== 'object' || Array.isArray(value)) {
      yield { path, expected: 'an object', got: value }
      return
    }
    for (const [name, item] of Object.entries(shape))
      yield* differences(
        item,
        Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined,
        how,
        [...path, name],
      )
    return
  }
  if (!equal(shape, value, how)) yield { path, expected: JSON.stringify(shape) ?? 'nothing', got: value }
}

function equal(shape: unknown, value: unknown, { texts, endings }: Comparing): boolean {
  if (Object.is(shape, value)) return true
  if (
    texts === true &&
    typeof value === 'string' &&
    (typeof shape === 'number' || typeof shape === 'boolean')
  )
    return String(shape) === value
  return (
    endings === true &&
    typeof shape === 'string' &&
    shape.endsWith('*') &&
    typeof value === 'string' &&
    value.startsWith(shape.slice(0, -1))
  )
}

interface Operator {
  holds(wanted: unknown, value: unknown, how: Comparing): boolean
  /** The expectation in words; `text` is the wanted value as JSON. */
  inWords(text: string, wanted: unknown): string
}

const comparison = (word: string, holds: (value: number, wanted: number) => boolean): Operator => ({
  holds(wanted, value, how) {
    const number = numberOf(value, how)
    return number !== undefined && holds(number, wanted as number)
  },
  inWords: (text) => `${word} ${text}`,
})

const matching: Readonly<Record<string, Operator>> = {
  equals: { holds: same, inWords: (text) => text },
  not: { holds: (wanted, value, how) => !meets(wanted, value, how), inWords: (text) => `not ${text}` },
  contains: {
    holds: (wanted, value, how) =>
      typeof value === 'string'
        ? value.includes(String(wanted))
        : Array.isArray(value) && value.some((item) => equal(wanted, item, how)),
    inWords: (text) => `a value containing ${text}`,
  },
  startsWith: {
    holds: (wanted, value) => typeof value === 'string' && value.startsWith(String(wanted)),
    inWords: (text) => `a string starting with ${text}`,
  },
  endsWith: {
    holds: (wanted, value) => typeof value === 'string' && value.endsWith(String(wanted)),
    inWords: (text) => `a string ending with ${text}`,
  },
  regex: {
    holds: (wanted, value, { pattern = readPattern }) =>
      typeof value === 'string' && pattern(String(wanted)).matches(value.slice(0, longestMatched)),
    inWords: (_, wanted) => `a string matching /${String(wanted)}/`,
  },
  gt: comparison('more than', (value, wanted) => value > wanted),
  gte: comparison('at least', (value, wanted) => value >= wanted),
  lt: comparison('less than', (value, wanted) => value < wanted),
  lte: comparison('at most', (value, wanted) => value <= wanted),
  exists: {
    holds: (wanted, value) => (value !== undefined) === wanted,
    inWords: (_, wanted) => (wanted === true ? 'any value' : 'no value'),
  },
  anyOf: {
    holds: (wanted, value, how) => (wanted as readonly unknown[]).some((one) => meets(one, value, how)),
    inWords: (text) => `one of ${text}`,
  },
  some: {
    holds: (wanted, value, how) => Array.isArray(value) && value.some((item) => meets(wanted, item, how)),
    inWords: (text) => `a list with an item matching ${text}`,
  },
  length: {
    holds: (wanted, value, how) =>
      (typeof value === 'string' || Array.isArray(value)) && meets(wanted, value.length, how),
    inWords: (text) => `a length of ${text}`,
  },
}

function numberOf(value: unknown, { texts }: Comparing): number | undefined {
  if (typeof value === 'number') return value
  return texts === true && typeof value === 'string' && /^-?\d+(?:\.\d+)?$/.test(value)
    ? Number(value)
    : undefined
}

// The whole value, operator names included.
function same(wanted: unknown, value: unknown, how: Comparing): boolean {
  if (wanted === null || typeof wanted !== 'object') return equal(wanted, value, { ...how, endings: false })
  if (value === null || typeof value !== 'object' || Array.isArray(wanted) !== Array.isArray(value))
    return false
  const names = Object.keys(wanted)
  return (
    names.length === Object.keys(value).length &&
    names.every(
      (name) =>
        Object.hasOwn(value, name) &&
        same((wanted as Record<string, unknown>)[name], (value as Record<string, unknown>)[name], how),
    )
  )
}
