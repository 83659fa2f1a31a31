/**
 * How much of its generated input a property test tries: all of it in the thorough part of the suite, a fixed
 * share of it in `npm test`.
 */
import { inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** Whether everything is tried, or a share of it. */
    readonly thorough: boolean
    /** Of the input that property tests generate. */
    readonly seed: number
  }
}

/** A property tries this many inputs in the thorough part, and a tenth of them in the fast one. */
export const runs = (thorough: number): { readonly numRuns: number } => ({ numRuns: count(thorough) })

export function count(thorough: number): number {
  return inject('thorough') ? thorough : Math.ceil(thorough / 10)
}

/**
 * Every case in the thorough part; in the fast one the first, and a fortieth of the others. Which ones
 * follows no period, so that of rows and columns that are tried one after the other all have their turn.
 */
export function* some<T>(cases: Iterable<T>): Generator<T> {
  let index = 0
  for (const one of cases)
    if (inject('thorough') || Math.imul(index++, 0x9e3779b1) >>> 0 < 2 ** 32 / 40) yield one
}
