/**
 * Makes the plan of a call. Everything that can change what a call gets (reserved values now, scenario rules beside
 * them) goes through here, so that no endpoint ever asks why. Knows no wire format.
 */
import { defaultPlan, type Plan } from '../protocol/plan.ts'
import { reservedPlan, type CallFacts, type IgnoredWord } from './reserved.ts'

export interface Director {
  plan(facts: CallFacts): Plan
}

/** A director that knows the reserved values. `ignored` hears of words that look like one and do nothing. */
export function createDirector(ignored: (word: IgnoredWord) => void): Director {
  return {
    plan: (facts) => reservedPlan(facts, ignored) ?? defaultPlan,
  }
}
