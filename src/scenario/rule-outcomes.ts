/** What became of each rule for a call, for explanations. */

import type { Random } from '../engine/random.ts'
import { addRuleTrace, type RuleTrace, summarizeValue } from '../engine/rule-trace.ts'
import type { Sandbox } from '../engine/sandbox.ts'
import type { Operation } from '../protocol/operations.ts'
import type { Condition } from './compile/conditions.ts'
import type { Difference } from './compile/match-value.ts'
import type { ConditionFacts } from './condition-facts.ts'

/** The parts of a rule that explanations use. */
export interface EvaluatedRule {
  readonly id: string
  readonly conditions: readonly Pick<Condition, 'field' | 'fails'>[]
}

/** What became of the rules of a call. */
export class RuleOutcomes {
  /** How many rules there were for the operation. */
  tried = 0
  /** The nearest fifty. */
  readonly traces: RuleTrace[] = []

  note(
    rule: EvaluatedRule,
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
  differs(rule: EvaluatedRule, { held, field, path, expected, got }: Failure): undefined {
    const of = rule.conditions.length
    const value = summarizeValue(got)
    this.add({ rule: rule.id, outcome: 'differs', held, of, field, path, expected, got: value })
  }
}

export interface Failure extends Difference {
  readonly field: string
  readonly held: number
}

export function firstFailure({ conditions }: EvaluatedRule, facts: ConditionFacts): Failure | undefined {
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
  readonly considered: RuleOutcomes
}
