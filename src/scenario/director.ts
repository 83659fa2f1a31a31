/**
 * Makes the plan of a call. Everything that can change what a call gets (scenario rules, reserved values)
 * goes through here, so that no endpoint ever asks why.
 */

import { addRuleTrace, type RuleTrace, summarizeValue } from '../engine/rule-trace.ts'
import type { World } from '../engine/world.ts'
import { defaultPlan, type Plan } from '../protocol/plan.ts'
import { type Answer, type Rule, type RuleBook, statesAfter } from './compile/rules.ts'
import type { RuleFacts } from './facts.ts'
import { type IgnoredWord, reservedPlan } from './reserved/plan.ts'

export interface Director {
  /** Before the key is looked at: rules that refuse so early, else reserved values. */
  plan(facts: RuleFacts): Plan
  /** Once the call is valid: the rules. `planned` is what was planned before; a rule has the last word. */
  ruled(planned: Plan, facts: RuleFacts): Plan
  /** Replaces all rules; their counts and the named states belong to each session and are kept. */
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
  return {
    plan(facts) {
      const list = book?.rules(facts.operation)
      const early =
        list?.some(({ moment }) => moment === 'early') === true
          ? askRules(list, 'early', facts, false, directing)
          : undefined
      return early ?? reservedPlan(facts, ignored) ?? defaultPlan
    },
    ruled(planned, facts) {
      const list = book?.rules(facts.operation)
      if (list === undefined) return planned
      const found = askRules(list, 'valid', facts, planned.rule !== undefined, directing)
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

/**
 * Asks rules in their order; the first that answers decides. Rules that count go on counting behind it: "the
 * second call" means the same whichever rule answered the first.
 */
function askRules(
  rules: readonly Rule[],
  moment: Rule['moment'],
  facts: RuleFacts,
  answered: boolean,
  directing: Directing,
): Plan | undefined {
  let plan: Plan | undefined
  for (const rule of rules) {
    const decided = answered || plan !== undefined
    if (rule.moment !== moment || (decided && rule.counts === undefined)) continue
    const answer = answerOf(rule, facts, decided, directing)
    if (answer === undefined) continue
    plan = { ...answer.plan(facts), rule: rule.id, decidedBy: `rule ${rule.id}` }
    for (const [name, value] of statesAfter(answer, facts)) facts.world.states.set(name, value)
  }
  return plan
}

/** What a rule answers; undefined where it does not, and the trace of the call says why. */
function answerOf(rule: Rule, facts: RuleFacts, decided: boolean, directing: Directing): Answer | undefined {
  const { notes } = facts.world
  const { id, conditions, counts, countsSaid, times } = rule
  const trace = (outcome: RuleTrace['outcome'], more?: Partial<RuleTrace>): undefined => {
    const held = conditions.length
    addRuleTrace((facts.considered ??= []), { rule: id, outcome, held, of: held, ...more })
  }
  const failure = firstFailure(rule, facts, directing)
  if (failure !== undefined) return decided ? undefined : trace('differs', failure)
  const met = (notes.get(metName(id)) ?? 0) + 1
  notes.set(metName(id), met)
  if (counts !== undefined) {
    directing.evaluated++
    if (!counts(met)) return trace('count', { met, counts: countsSaid })
  }
  if (decided) return trace('behind')
  const before = notes.get(answeredName(id)) ?? 0
  if (times !== undefined && before >= times) return trace('times', { answered: before, times })
  const answer = rule.answer(before, facts)
  if (answer === undefined) return trace('ended', { answered: before })
  notes.set(answeredName(id), before + 1)
  trace('answered', {
    about: rule.about,
    ...(counts === undefined ? {} : { met, counts: countsSaid }),
    ...(answer.place === undefined ? {} : { place: answer.place }),
    answered: before + 1,
    ...(times === undefined ? {} : { times }),
  })
  return answer
}

/** The first condition that a call does not meet, with what differs. */
function firstFailure(
  { conditions }: Rule,
  facts: RuleFacts,
  directing: Directing,
): Partial<RuleTrace> | undefined {
  for (const [held, condition] of conditions.entries()) {
    directing.evaluated++
    const difference = condition.fails(facts)
    if (difference === undefined) continue
    const { path, expected, got } = difference
    return { held, field: condition.field, path, expected, got: summarizeValue(got) }
  }
  return undefined
}

/** How many calls a rule has answered in a session. */
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
