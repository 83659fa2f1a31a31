/** Events that a scenario breaks on purpose: they are not held against the gateway. */
import { matchesOperation } from '../scenario/check/reach.ts'
import type { ScenarioSpec } from '../scenario/format/scenario.ts'

/** Whether a rule for an operation orders a malformed event, or writes to the stream itself. */
export function breaksEvents({ rules = [] }: Pick<ScenarioSpec, 'rules'>, operation: string): boolean {
  return rules.some(
    ({ when, then }) =>
      ordersBroken(then) &&
      [when?.operation ?? '*'].flat().some((pattern) => matchesOperation(pattern, operation)),
  )
}

function ordersBroken(value: unknown): boolean {
  if (value === null || typeof value !== 'object') return false
  return Object.entries(value).some(
    ([name, part]) => name === 'raw' || (name === 'kind' && part === 'malformed-event') || ordersBroken(part),
  )
}
