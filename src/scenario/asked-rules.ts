/**
 * The outcome of each rule for a call. Only time-dependent facts (counts, which rule responded) are recorded
 * during the call. The differences of the other rules are computed on demand from the journal's copy of the
 * call.
 */

import type { Random } from '../engine/random.ts'
import {
  addRuleTrace,
  type ConsideredRules,
  maxTraces,
  type RuleTrace,
  summarizeValue,
} from '../engine/rule-trace.ts'
import type { Sandbox } from '../engine/sandbox.ts'
import { parseJournalBody } from '../protocol/canonical.ts'
import type { Endpoint } from '../protocol/endpoint.ts'
import type { Operation } from '../protocol/operations.ts'
import { readBodyFacts } from '../protocol/validate.ts'
import type { Condition } from './compile/conditions.ts'
import type { Difference } from './compile/match-value.ts'
import type { ConditionFacts } from './condition-facts.ts'

/** The parts of a rule that explanations use. */
export interface AskedRule {
  readonly id: string
  readonly conditions: readonly Pick<Condition, 'field' | 'fails' | 'differences'>[]
}

export class AskedRules implements ConsideredRules {
  tried = 0
  readonly #endpoint: Endpoint
  /** The call; undefined once it has been released. */
  #facts: ConditionFacts | undefined
  /** The parts of the call that are kept, apart from the body, which the journal keeps. */
  readonly #rest: Omit<ConditionFacts, keyof typeof unread>
  /** Rules in evaluation order. */
  #lists: readonly (readonly AskedRule[])[] = none
  #noted: Map<AskedRule, RuleTrace> | undefined
  #settled: readonly RuleTrace[] | undefined
  /** Another candidate that nearly matches the call: a recording. */
  near: ((facts: ConditionFacts) => RuleTrace | undefined) | undefined

  constructor(facts: ConditionFacts, endpoint: Endpoint) {
    const { key, query, headers, params, job, now, sandbox } = facts
    this.#endpoint = endpoint
    this.#facts = facts
    // As before the response: the matching rule may change the flags.
    const { flags, startedAt, rulesOff, ruleTotals } = sandbox
    this.#rest = {
      key,
      query,
      headers,
      params,
      job,
      now,
      sandbox: { flags, startedAt, rulesOff, ruleTotals },
    }
  }

  /** Rules in order. Those after the one that responded are evaluated when the traces are read. */
  asked(rules: readonly AskedRule[]): void {
    this.#lists = [...this.#lists, rules]
    this.tried += rules.length
  }

  note(
    rule: AskedRule,
    outcome: Exclude<RuleTrace['outcome'], 'differs'>,
    more?: Partial<RuleTrace>,
  ): undefined {
    this.#noted ??= new Map()
    if (this.#noted.size >= maxTraces && outcome !== 'answered') return
    const held = rule.conditions.length
    this.#noted.set(rule, { rule: rule.id, outcome, held, of: held, ...more })
  }

  get held(): number {
    return this.#settled?.length ?? (this.#noted?.size ?? 0) + 1
  }

  /** Computes and keeps all traces while the call is available. */
  settle(most = Number.POSITIVE_INFINITY): readonly RuleTrace[] {
    this.#settled ??= this.#traces({ ...unread, ...this.#facts, ...this.#rest }, -1, most)
    return this.#settled
  }

  release(whole: boolean): void {
    // Bounded, because the traces may never be read.
    if (!whole) this.settle(maxTraces)
    if (this.#settled !== undefined) {
      this.#lists = none
      this.#noted = undefined
      this.near = undefined
    }
    this.#facts = undefined
  }

  traces(request: string | undefined, seq: number): readonly RuleTrace[] {
    if (this.#settled !== undefined) return this.#settled
    const payload = parseJournalBody(request) ?? unread.payload
    const { model = this.#rest.params['model'], prompt } = readBodyFacts(payload, this.#endpoint)
    return this.#traces({ ...this.#rest, payload, model, prompt }, seq)
  }

  /**
   * All traces, or the nearest if there are many; `seq` is that of the call, or -1 for the current one, and
   * `most` the maximum number of differing rules to compare.
   */
  #traces(facts: ConditionFacts, seq: number, most = Number.POSITIVE_INFINITY): readonly RuleTrace[] {
    const list: RuleTrace[] = []
    const noted = new Map(this.#noted)
    let looked = 0
    let isDecided = false
    for (const rules of this.#lists)
      for (let at = 0; at < rules.length && looked < most; at++) {
        const rule = rules[at] as AskedRule
        const known: RuleTrace | undefined = noted.get(rule) ?? differs(rule, facts, seq)
        const trace = known ?? (isDecided ? behind(rule, facts) : undefined)
        if (trace?.outcome === 'answered') isDecided = true
        if (trace !== undefined) addRuleTrace(list, trace)
        if (!noted.delete(rule)) looked++
      }
    // Beyond `most`: rules with counts.
    for (const trace of noted.values()) addRuleTrace(list, trace)
    const near = this.near?.(facts)
    if (near !== undefined) addRuleTrace(list, near)
    return list
  }
}

const none: readonly never[] = []
const unread = { payload: { kind: 'none' }, model: undefined, prompt: undefined } as const

function behind({ id, conditions }: AskedRule, { sandbox }: ConditionFacts): RuleTrace {
  const of = conditions.length
  return { rule: id, outcome: sandbox.rulesOff?.has(id) === true ? 'off' : 'behind', held: of, of }
}

function differs(rule: AskedRule, facts: ConditionFacts, seq: number): RuleTrace | undefined {
  const failure = firstFailure(rule, facts)
  if (failure === undefined) return undefined
  const { held, field, path, expected, got } = failure
  const of = rule.conditions.length
  // No call gets its response any more: that matters more than how this one differs.
  const { usedUpBy, answered = 0 } = facts.sandbox.ruleTotals?.get(rule.id) ?? {}
  if (usedUpBy !== undefined && (seq < 0 || usedUpBy < seq))
    return { rule: rule.id, outcome: 'times', held, of, answered, times: answered }
  const others = differencesFrom(rule, held, facts)
  return {
    ...{ rule: rule.id, outcome: 'differs', held, of, field, path, expected },
    got: summarizeValue(got),
    ...(others.length === 0 ? {} : { others }),
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

interface Failure extends Difference {
  readonly field: string
  readonly held: number
}

function firstFailure({ conditions }: AskedRule, facts: ConditionFacts): Failure | undefined {
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
  /** The outcome of each rule, for explanations; the director creates it if there are rules to evaluate. */
  considered: AskedRules | undefined
}
