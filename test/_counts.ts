/**
 * How much of its generated input a property test tries: much of it in the thorough part of the suite, a fixed
 * share of it in `npm test`.
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

export function count(thorough: number): number {
  return inject('thorough') ? thorough : Math.ceil(thorough / 20)
}

/**
 * The first of many cases and a share of the others: a fifth in the thorough part, another one with each seed,
 * and a hundredth in the fast one. Which ones follows no period, so that of rows and columns that are tried one
 * after the other all have their turn.
 */
export function* some<T>(cases: Iterable<T>, fast = 100): Generator<T> {
  const [start, share] = inject('thorough') ? [inject('seed'), 5] : [0, fast]
  let index = 0
  for (const one of cases) {
    const drawn = (Math.imul(index, 0x9e3779b1) + start) >>> 0 < 2 ** 32 / share
    if (index++ === 0 || drawn) yield one
  }
}
