/**
 * Makes the plan of a call. Everything that can change a response (scenario rules, reserved values) passes
 * through here; endpoints only execute the plan.
 */

import { defined } from '../engine/fields.ts'
import type { Sandbox, ThingCounts } from '../engine/sandbox.ts'
import type { Endpoint } from '../protocol/endpoint.ts'
import { defaultPlan, type Plan } from '../protocol/plan.ts'
import type { Settings } from '../protocol/settings.ts'
import { type Answer, flagsAfter, type Rule, type RuleBook } from './compile/rules.ts'
import type { CountedValue } from './compile/select.ts'
import { type IgnoredWord, reservedPlan } from './reserved/plan.ts'
import { type Failure, firstFailure, type RuleFacts } from './rule-outcomes.ts'

export interface Director {
  /** Before the key is checked: rules that reject this early, otherwise reserved values. */
  plan(facts: RuleFacts): Plan
  /** Once the call is valid: the rules. `planned` is the plan so far; a rule overrides it. */
  ruled(planned: Plan, facts: RuleFacts): Plan
  /** Whether a call lacks the rule that `strict` requires. A reserved value counts as a rule. */
  lacksRule(plan: Plan, endpoint: Endpoint, settings: Settings): boolean
  /** Replaces all rules; their counts and the flags belong to each session and are kept. */
  use(books: readonly RuleBook[]): void
}

export interface Directing {
  /** Called with values that look reserved but have no effect. */
  ignored(word: IgnoredWord): void
  /** Called with errors of rule functions, and with reserved values that a rule overrides. */
  wrong(error: string): void
}

/** A director with the reserved values and books of rules, the first of which is evaluated first. */
export function createDirector(directing: Directing, first: readonly RuleBook[]): Director {
  const { ignored } = directing
  let books = first
  const evaluate = (moment: Rule['moment'], facts: RuleFacts, answered: boolean): Found => {
    let found: Found = nothingFound
    for (const book of books) {
      if (book.rules(facts.operation) === undefined) continue
      const isAnswered = answered || found.plan !== undefined
      const { plan, breaks } = evaluateRules(book, { moment, isAnswered }, facts, directing)
      if (plan !== undefined || breaks.length > 0)
        found = { plan: plan ?? found.plan, breaks: [...found.breaks, ...breaks] }
    }
    return found
  }
  return {
    plan: (facts) => evaluate('early', facts, false).plan ?? reservedPlan(facts, ignored) ?? defaultPlan,
    ruled(planned, facts) {
      const { plan, breaks } = evaluate('valid', facts, planned.rule !== undefined)
      const found = breaks.reduceRight(withFaultsOf, plan ?? planned)
      const { reserved } = planned
      if (found === planned || reserved === undefined) return found
      if (plan !== undefined)
        directing.wrong(`${reserved.written} had no effect: rule ${plan.rule} has precedence`)
      return { ...found, reserved }
    },
    lacksRule({ rule, decidedBy }, { method, open, continues }, { strict }) {
      if (!strict || rule !== undefined || decidedBy !== undefined) return false
      return method !== 'GET' && method !== 'DELETE' && open !== true && continues !== true
    },
    use(next) {
      books = next
    },
  }
}

interface Found {
  readonly plan: Plan | undefined
  /** The plans of faults that apply to the response, in evaluation order. */
  readonly breaks: readonly Plan[]
}

const nothingFound: Found = { plan: undefined, breaks: [] }

/** The planned response with the faults of an override, which is shown as its rule. */
function withFaultsOf(plan: Plan, { faults = [], rule, decidedBy }: Plan): Plan {
  const source = plan.decidedBy ?? decidedBy
  return {
    ...plan,
    ...defined({ rule, decidedBy: source }),
    faults: [...(plan.faults ?? []), ...faults],
  }
}

/**
 * Tries the rules in their order; the first that responds decides. Later rules with counts keep counting:
 * "the second call" means the same whichever rule matched the first.
 */
function evaluateRules(
  book: RuleBook,
  { moment, isAnswered }: { readonly moment: Rule['moment']; readonly isAnswered: boolean },
  facts: RuleFacts,
  directing: Directing,
): Found {
  const rules = book.rules(facts.operation)?.[moment] ?? []
  facts.considered.tried += rules.length
  let plan: Plan | undefined
  const breaks: Plan[] = []
  for (const rule of rules) {
    const decided = isAnswered || plan !== undefined
    const answer = answerOf(rule, facts, decided)
    if (answer === undefined) continue
    if (answer.error !== undefined) directing.wrong(answer.error)
    const decidedBy = { kind: 'rule', name: rule.id } as const
    const found = { ...answer.plan(facts), rule: rule.id, decidedBy }
    if (book.areOverrides === true && rule.onlyBreaks) breaks.push(found)
    else plan = found
    const changed = flagsAfter(answer, facts)
    if (changed.length > 0) facts.sandbox.flags = new Map([...facts.sandbox.flags, ...changed])
  }
  return { plan, breaks }
}

/** The response of a rule; undefined if it does not respond, with the reason in `considered`. */
function answerOf(rule: Rule, facts: RuleFacts, decided: boolean): Answer | undefined {
  const { considered, sandbox } = facts
  const { id, counts, countsShown, times } = rule
  const failure = firstFailure(rule, facts)
  if (failure !== undefined) return noteDifference(rule, failure, facts)
  if (sandbox.rulesOff?.has(id) === true) return considered.note(rule, 'off')
  if (decided && counts === undefined) return considered.note(rule, 'behind')
  const total = totalOf(sandbox, id)
  const value = rule.countedBy?.(facts)
  const own = value === undefined ? total : countsOfValue(sandbox, id, value)
  const about = value === undefined ? {} : { thing: value.shown }
  total.matched++
  if (own !== total) own.matched++
  const { matched, answered } = own
  if (counts?.(matched) === false)
    return considered.note(rule, 'count', { matched, counts: countsShown, ...about })
  if (decided) return considered.note(rule, 'behind')
  if (times !== undefined && answered >= times)
    return considered.note(rule, 'times', { answered, times, ...about })
  const answer = rule.answer({ matched, answered }, facts)
  if (answer === undefined)
    return considered.note(rule, rule.isFunction ? 'passed' : 'ended', { answered, ...about })
  total.answered++
  if (own !== total) own.answered++
  considered.note(rule, 'answered', {
    ...about,
    about: rule.about,
    byFunction: rule.isFunction || undefined,
    matched: counts && matched,
    counts: counts && countsShown,
    place: answer.place,
    answered: answered + 1,
    times,
  })
  return answer
}

function noteDifference(rule: Rule, failure: Failure, facts: RuleFacts): undefined {
  const { considered, sandbox } = facts
  const { times, countedBy, conditions } = rule
  const answered = answeredTimes(sandbox, rule.id)
  if (times === undefined || countedBy !== undefined || answered < times)
    return considered.differs(rule, failure)
  // No call gets its response any more: that matters more than how this one differs.
  const { held } = failure
  return considered.add({ rule: rule.id, outcome: 'times', held, of: conditions.length, answered, times })
}

function totalOf({ ruleTotals }: Sandbox, id: string): ThingCounts {
  const known = ruleTotals.get(id)
  if (known !== undefined) return known
  const counts = { matched: 0, answered: 0 }
  ruleTotals.set(id, counts)
  return counts
}

/** The count of a rule for one value, marked as the most recently used. */
function countsOfValue({ ruleCounts }: Sandbox, id: string, { name }: CountedValue): ThingCounts {
  const key = `${id} ${name}`
  const known = ruleCounts.use(key)
  if (known !== undefined) return known
  const counts = { matched: 0, answered: 0 }
  ruleCounts.set(key, counts)
  return counts
}

export function answeredTimes({ ruleTotals }: Pick<Sandbox, 'ruleTotals'>, id: string): number {
  return ruleTotals.get(id)?.answered ?? 0
}

/** How often calls of a session have matched a rule, and how often it has responded. */
export function usageOf({ ruleTotals }: Sandbox, rule: string): Readonly<ThingCounts> {
  const { matched = 0, answered = 0 } = ruleTotals.get(rule) ?? {}
  return { matched, answered }
}

/** A rule that is off neither answers nor counts. */
export function switchRule(sandbox: Sandbox, rule: string, enabled: boolean): void {
  const off = new Set(sandbox.rulesOff)
  if (enabled) off.delete(rule)
  else off.add(rule)
  sandbox.rulesOff = off.size === 0 ? undefined : off
}
