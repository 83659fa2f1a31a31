/**
 * What became of the rules that a call met. Only what depends on the moment is noted while the call is
 * answered (counts, who answered); in what all others differ is worked out when somebody asks, from what the
 * journal keeps of the call.
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

/** What is told of a rule. */
export interface AskedRule {
  readonly id: string
  readonly conditions: readonly Pick<Condition, 'field' | 'fails'>[]
}

export class AskedRules implements ConsideredRules {
  tried = 0
  readonly #endpoint: Endpoint
  /** The call; gone once it has been released. */
  #facts: ConditionFacts | undefined
  /** What stays of it beside its body, which the journal keeps. */
  readonly #rest: Omit<ConditionFacts, keyof typeof unread>
  /** Rules in the order in which they were asked, and how many of the first were tried. */
  #lists: readonly { readonly rules: readonly AskedRule[]; readonly count: number }[] = none
  #noted: Map<AskedRule, RuleTrace> | undefined
  #settled: readonly RuleTrace[] | undefined
  /** What else comes near to the call: a recording. */
  near: ((facts: ConditionFacts) => RuleTrace | undefined) | undefined

  constructor(facts: ConditionFacts, endpoint: Endpoint) {
    const { key, query, headers, params, job, now, sandbox } = facts
    this.#endpoint = endpoint
    this.#facts = facts
    // States as they are now: a rule that answers may change them.
    const { flags, startedAt } = sandbox
    this.#rest = { key, query, headers, params, job, now, sandbox: { flags, startedAt } }
  }

  /** Rules were asked in their order; the first `count` were tried before one answered. */
  asked(rules: readonly AskedRule[], count: number): void {
    this.#lists = [...this.#lists, { rules, count }]
    this.tried += count
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

  /** Works out all traces while the call is there; they are kept. */
  settle(most = Number.POSITIVE_INFINITY): readonly RuleTrace[] {
    this.#settled ??= this.#traces({ ...unread, ...this.#facts, ...this.#rest }, most)
    return this.#settled
  }

  release(whole: boolean): void {
    // Bounded, since nobody has asked for it.
    if (!whole) this.settle(maxTraces)
    if (this.#settled !== undefined) {
      this.#lists = none
      this.#noted = undefined
      this.near = undefined
    }
    this.#facts = undefined
  }

  traces(request: string | undefined): readonly RuleTrace[] {
    if (this.#settled !== undefined) return this.#settled
    const payload = parseJournalBody(request) ?? unread.payload
    const { model = this.#rest.params['model'], prompt } = readBodyFacts(payload, this.#endpoint)
    return this.#traces({ ...this.#rest, payload, model, prompt }, Number.POSITIVE_INFINITY)
  }

  /** All traces, the nearest where there are many; `most` is how many rules that differ are looked at. */
  #traces(facts: ConditionFacts, most: number): readonly RuleTrace[] {
    const list: RuleTrace[] = []
    const noted = new Map(this.#noted)
    let looked = 0
    for (const { rules, count } of this.#lists)
      for (let at = 0; at < count && looked < most; at++) {
        const rule = rules[at] as AskedRule
        const trace = noted.get(rule) ?? differs(rule, facts)
        if (!noted.delete(rule)) looked++
        if (trace !== undefined) addRuleTrace(list, trace)
      }
    // Those that counted behind the one that answered.
    for (const trace of noted.values()) addRuleTrace(list, trace)
    const near = this.near?.(facts)
    if (near !== undefined) addRuleTrace(list, near)
    return list
  }
}

const none: readonly never[] = []
const unread = { payload: { kind: 'none' }, model: undefined, prompt: undefined } as const

function differs(rule: AskedRule, facts: ConditionFacts): RuleTrace | undefined {
  const failure = firstFailure(rule, facts)
  if (failure === undefined) return undefined
  const { held, field, path, expected, got } = failure
  const of = rule.conditions.length
  return { rule: rule.id, outcome: 'differs', held, of, field, path, expected, got: summarizeValue(got) }
}

interface Failure extends Difference {
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
  /** What became of the rules, for explanations; the director makes it where there are rules to ask. */
  considered: AskedRules | undefined
}
