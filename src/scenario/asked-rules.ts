/** What became of each rule for a call, for explanations. */

import type { Random } from '../engine/random.ts'
import { addRuleTrace, distance, type RuleTrace, summarizeValue } from '../engine/rule-trace.ts'
import type { Sandbox } from '../engine/sandbox.ts'
import type { Operation } from '../protocol/operations.ts'
import type { Condition } from './compile/conditions.ts'
import type { Difference } from './compile/match-value.ts'
import type { ConditionFacts } from './condition-facts.ts'

/** The parts of a rule that explanations use. */
export interface AskedRule {
  readonly id: string
  readonly conditions: readonly Pick<Condition, 'field' | 'fails' | 'differences'>[]
}

/** What became of the rules of a call. */
export class AskedRules {
  /** How many rules there were for the operation. */
  tried = 0
  /** The nearest fifty. */
  readonly traces: RuleTrace[] = []
  #nearest = Number.POSITIVE_INFINITY

  note(
    rule: AskedRule,
    outcome: Exclude<RuleTrace['outcome'], 'differs'>,
    more?: Partial<RuleTrace>,
  ): undefined {
    const held = rule.conditions.length
    this.add({ rule: rule.id, outcome, held, of: held, ...more })
  }

  add(trace: RuleTrace): undefined {
    addRuleTrace(this.traces, trace)
  }

  /** A condition of the rule does not hold. */
  differs(rule: AskedRule, failure: Failure, facts: ConditionFacts): undefined {
    const { held, field, path, expected, got } = failure
    const of = rule.conditions.length
    const trace = {
      rule: rule.id,
      outcome: 'differs',
      held,
      of,
      field,
      path,
      expected,
      got: summarizeValue(got),
    } as const
    // Only the closest one is shown with all its differences.
    const isNearest = distance(trace) < this.#nearest
    if (isNearest) this.#nearest = distance(trace)
    const others = isNearest ? differencesFrom(rule, held, facts) : []
    this.add(others.length === 0 ? trace : { ...trace, others })
  }
}

const maxOthers = 2

/** What else differs, from a condition on that differs. */
function differencesFrom(
  { conditions }: AskedRule,
  from: number,
  facts: ConditionFacts,
): NonNullable<RuleTrace['others']> {
  const others: NonNullable<RuleTrace['others']>[number][] = []
  for (const condition of conditions.slice(from))
    for (const { path, expected, got } of condition.differences(facts)) {
      others.push({ field: condition.field, path, expected, got: summarizeValue(got) })
      if (others.length > maxOthers) break
    }
  return others.slice(1, 1 + maxOthers)
}

export interface Failure extends Difference {
  readonly field: string
  readonly held: number
}

export function firstFailure({ conditions }: AskedRule, facts: ConditionFacts): Failure | undefined {
  for (const [held, condition] of conditions.entries()) {
    const difference = condition.fails(facts)
    if (difference !== undefined) return { ...difference, field: condition.field, held }
  }
  return undefined
}

/** A call as the director sees it. */
export interface RuleFacts extends ConditionFacts {
  readonly operation: string
  readonly route: Operation
  readonly identity: Random
  readonly sandbox: Sandbox
  readonly path?: string | undefined
  /** How often this same request has been seen, this time included. */
  readonly nth: number
  /** The outcome of each rule, for explanations. */
  readonly considered: AskedRules
}
