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

/** Every case in the thorough part; in the fast one every tenth, beginning with the first. */
export function some<T>(cases: Iterable<T>): readonly T[] {
  const all = [...cases]
  return inject('thorough') ? all : all.filter((_, index) => index % 10 === 0)
}
