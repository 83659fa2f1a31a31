/**
 * Makes the plan of a call. Everything that can change what a call gets (reserved values now, scenario rules beside
 * them) goes through here, so that no endpoint ever asks why. Knows no wire format.
 */
import { defaultPlan, type Plan } from '../protocol/plan.ts'
import { reservedPlan, type CallFacts } from './reserved.ts'

export interface Director {
  plan(facts: CallFacts): Plan
}

/** A director that knows the reserved values. */
export function createDirector(): Director {
  return {
    plan: (facts) => reservedPlan(facts) ?? defaultPlan,
  }
}
