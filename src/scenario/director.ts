/**
 * Makes the plan of a call. Everything that can change what a call gets (scenario rules, reserved values)
 * goes through here, so that no endpoint ever asks why.
 */

import { addRuleTrace, type RuleTrace, summarizeValue } from '../engine/rule-trace.ts'
import type { World } from '../engine/world.ts'
import { defaultPlan, type Plan } from '../protocol/plan.ts'
import type { Condition } from './compile/conditions.ts'
import type { Difference } from './compile/match-shape.ts'
import { type Rule, type RuleBook, statesAfter } from './compile/rules.ts'
import type { RuleFacts } from './facts.ts'
import { type IgnoredWord, reservedPlan } from './reserved/plan.ts'

export interface Director {
  /** Before the key is looked at: rules that refuse so early, else reserved values. */
  plan(facts: RuleFacts): Plan
  /** Once the call is valid: the rules. `planned` is what was planned before; a rule has the last word. */
  ruled(planned: Plan, facts: RuleFacts): Plan
  /** Replaces all rules; their counts and the named states are each session's own and go on. */
  use(book: RuleBook | undefined): void
  /** How many rules there are. */
  readonly rules: number
}

/** What the directors of one simulator share. */
export interface Directing {
  /** Hears of words that look like a reserved one and do nothing. */
  ignored(word: IgnoredWord): void
  /** How many conditions of rules they have ever evaluated. */
  evaluated: number
}

/** A director that knows the reserved values. */
export function createDirector(directing: Directing, rules?: RuleBook): Director {
  const { ignored } = directing
  let book = rules

  // Rules that count go on counting behind the one that answers: "the second call" is so whoever answered the
  // first.
  const ask = (
    list: readonly Rule[],
    moment: Rule['moment'],
    facts: RuleFacts,
    answered = false,
  ): Plan | undefined => {
    let plan: Plan | undefined
    let decided = answered
    const { notes, states } = facts.world
    for (const rule of list) {
      if (rule.moment !== moment || (decided && rule.counts === undefined)) continue
      let difference: Difference | undefined
      const failing = rule.conditions.findIndex(
        (condition) => (directing.evaluated++, (difference = condition.fails(facts)) !== undefined),
      )
      const tell = (outcome: RuleTrace['outcome'], more?: Partial<RuleTrace>): void =>
        addRuleTrace((facts.considered ??= []), {
          rule: rule.id,
          outcome,
          held: rule.conditions.length,
          of: rule.conditions.length,
          ...more,
        })
      if (failing >= 0) {
        const { path = [], expected = '', got } = difference ?? {}
        if (!decided)
          tell('differs', {
            held: failing,
            field: (rule.conditions[failing] as Condition).field,
            path,
            expected,
            got: summarizeValue(got),
          })
        continue
      }
      const met = (notes.get(metName(rule.id)) ?? 0) + 1
      notes.set(metName(rule.id), met)
      if (rule.counts !== undefined) {
        directing.evaluated++
        if (!rule.counts(met)) {
          tell('count', { met, counts: rule.countsSaid })
          continue
        }
      }
      if (decided) {
        tell('behind')
        continue
      }
      const before = notes.get(answeredName(rule.id)) ?? 0
      if (rule.times !== undefined && before >= rule.times) {
        tell('times', { answered: before, times: rule.times })
        continue
      }
      const answer = rule.answer(before, facts)
      if (answer === undefined) {
        tell('ended', { answered: before })
        continue
      }
      notes.set(answeredName(rule.id), before + 1)
      decided = true
      tell('answered', {
        about: rule.about,
        ...(rule.counts === undefined ? {} : { met, counts: rule.countsSaid }),
        ...(answer.place === undefined ? {} : { place: answer.place }),
        answered: before + 1,
        ...(rule.times === undefined ? {} : { times: rule.times }),
      })
      plan = { ...answer.plan(facts), rule: rule.id, decidedBy: `rule ${rule.id}` }
      for (const [name, value] of statesAfter(answer, facts)) states.set(name, value)
    }
    return plan
  }

  return {
    plan(facts) {
      const list = book?.rules(facts.operation)
      const early =
        list?.some(({ moment }) => moment === 'early') === true ? ask(list, 'early', facts) : undefined
      return early ?? reservedPlan(facts, ignored) ?? defaultPlan
    },
    ruled(planned, facts) {
      const list = book?.rules(facts.operation)
      if (list === undefined) return planned
      const found = ask(list, 'valid', facts, planned.rule !== undefined)
      if (found === undefined) return planned
      return planned.reservedModel === undefined ? found : { ...found, reservedModel: planned.reservedModel }
    },
    use(next) {
      book = next
    },
    get rules() {
      return book?.ids.length ?? 0
    },
  }
}

/** How often a rule has answered in a session. */
export function answeredTimes({ notes }: Pick<World, 'notes'>, id: string): number {
  return notes.get(answeredName(id)) ?? 0
}

/**
 * How often calls of a session have met a rule, and how often it has answered. Rules behind the one that
 * answers are met only where they count.
 */
export function usageOf({ notes }: World, rule: string): { readonly met: number; readonly answered: number } {
  return { met: notes.get(metName(rule)) ?? 0, answered: notes.get(answeredName(rule)) ?? 0 }
}

/** Forgets both: the rule is a new one. */
export function forgetUsage({ notes }: World, rule: string): void {
  notes.delete(metName(rule))
  notes.delete(answeredName(rule))
}

const metName = (id: string): string => `rule met ${id}`
const answeredName = (id: string): string => `rule answered ${id}`
