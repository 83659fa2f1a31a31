/**
 * How much of its generated input a property test tries: much of it in the thorough part of the suite, a
 * fixed share of it in `npm test`.
 */
import { inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** Whether much is tried, or little. */
    readonly thorough: boolean
    /** Of the input that property tests generate. */
    readonly seed: number
  }
}

/** A property tries this many inputs in the thorough part, and a twentieth of them in the fast one. */
export const runs = (thorough: number): { readonly numRuns: number } => ({ numRuns: count(thorough) })

/** RUNS=<number> tries so many times as much. */
const times = Number(process.env['RUNS'] ?? 1)

export function count(thorough: number): number {
  return Math.ceil(times * (inject('thorough') ? thorough : thorough / 20))
}

/** Milliseconds for a test that tries so much. */
export const timeout = 180_000 * times

/**
 * The first of many cases and a fifth of the others, another fifth with each seed. Which ones follows no
 * period, so that of rows and columns that are tried one after the other all have their turn.
 */
export function* some<T>(cases: Iterable<T>): Generator<T> {
  const start = inject('seed')
  let index = 0
  for (const one of cases) {
    const drawn = (Math.imul(index, 0x9e3779b1) + start) >>> 0 < 2 ** 32 / 5
    if (index++ === 0 || drawn) yield one
  }
}
