/** The matchers of `expect(results)`, for the results of `tryFailures`. */
import { trialTextOf } from '../trial/report.ts'
import type { TrialResult } from '../trial/trial.ts'

interface Judgement {
  readonly pass: boolean
  message(): string
}

/** Names of expectations in sentences, with the results that they accept. */
const expectations = {
  toBeAcceptable: ['acceptable', ({ acceptable }: TrialResult) => acceptable],
  toHaveRecovered: ['recovered', ({ verdict }: TrialResult) => verdict === 'recovered'],
  toHaveGivenUp: ['given up', ({ verdict }: TrialResult) => verdict === 'gave up'],
} as const

export const trialMatchers = {
  toBeAcceptable: (received: unknown) => judge('toBeAcceptable', received),
  toHaveRecovered: (received: unknown) => judge('toHaveRecovered', received),
  toHaveGivenUp: (received: unknown) => judge('toHaveGivenUp', received),
}

function judge(matcher: keyof typeof expectations, received: unknown): Judgement {
  const results = resultsIn(received, matcher)
  const [name, isExpected] = expectations[matcher]
  return {
    pass: results.every(isExpected),
    message: () =>
      results.every(isExpected)
        ? `Expected at least one run that is not ${name}, but every run is.`
        : trialTextOf(results, name, isExpected),
  }
}

function resultsIn(received: unknown, matcher: string): readonly TrialResult[] {
  const results = (Array.isArray(received) ? received : [received]) as readonly unknown[]
  const isResult = (one: unknown): one is TrialResult => typeof Object(one).verdict === 'string'
  if (results.length > 0 && results.every(isResult)) return results
  let got: string = results.length === 0 ? 'none' : typeof received
  if (received instanceof Promise) got = 'a promise: await it'
  throw new TypeError(
    `${matcher} checks the results of tryFailures: expected a result or an array of results, got ${got}`,
  )
}

/** The matchers for results of `tryFailures`, of all runs or of one. */
export interface TrialMatchers {
  /** Expects every verdict to be acceptable. */
  toBeAcceptable(): void
  /** Expects the client to have succeeded in every run, with the results of the run without a failure. */
  toHaveRecovered(): void
  /** Expects the client to have failed in every run, soon, and without leaving anything behind. */
  toHaveGivenUp(): void
}

declare module 'vitest' {
  // biome-ignore lint/suspicious/noExplicitAny: vitest declares it with this parameter and default
  interface Matchers<T = any> extends TrialMatchers {}
}
