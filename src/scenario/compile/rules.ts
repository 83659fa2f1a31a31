/** Rules, ready to be asked: by operation, so that a call never meets the rules of others. */

import type { Vocabulary } from '../../protocol/operations.ts'
import type { Plan } from '../../protocol/plan.ts'
import { answersOf, selectedOperations } from '../check/reach.ts'
import type { RuleFacts } from '../facts.ts'
import { faultNamed } from '../faults/all.ts'
import type { RuleSpec } from '../format/scenario.ts'
import type { WhenSpec } from '../format/when.ts'
import { fillTemplates } from '../templates.ts'
import { compileAnswer } from './compile.ts'
import { type Condition, conditionsOf } from './conditions.ts'
import { faultsOf } from './fault.ts'

/** One answer: its plan, and the states it leads to. */
export interface Answer {
  plan(facts: RuleFacts): Plan
  readonly setState: Readonly<Record<string, string>> | undefined
  /** Which of how many it is, from 1, and what chose it; undefined where there is only this one. */
  readonly place: { readonly at: number; readonly of: number; readonly by: 'sequence' | 'chance' } | undefined
}

export interface Rule {
  readonly id: string
  /** When in the order of the call it is asked. */
  readonly moment: 'early' | 'valid'
  readonly conditions: readonly Condition[]
  /** Whether the nth call that meets the conditions counts; undefined when all do. */
  readonly counts: ((met: number) => boolean) | undefined
  /** The counts in words: `nth 2`. */
  readonly countsSaid: string
  /** Its operations in words. */
  readonly about: string
  readonly times: number | undefined
  /** The next answer after `answered`; undefined when the rule has no more. */
  answer(answered: number, facts: RuleFacts): Answer | undefined
}

/** The rules of a simulator. */
export interface RuleBook {
  /** In the order of the files; undefined when no rule is about the operation. */
  rules(operation: string): readonly Rule[] | undefined
  /** The ids of all rules. */
  readonly ids: readonly string[]
}

/** What is needed to make rules. */
export interface RuleParts {
  readonly rules: readonly (RuleSpec & { readonly id: string })[]
  readonly states: Readonly<Record<string, string>>
  readonly vocabulary: Vocabulary
}

export function createRuleBook({ rules, states, vocabulary }: RuleParts): RuleBook {
  const byOperation = new Map<string, Rule[]>()
  for (const written of rules) {
    const rule = compileRule(written, states)
    for (const operation of selectedOperations(written.when?.operation, written.then, vocabulary)) {
      const list = byOperation.get(operation) ?? []
      byOperation.set(operation, list)
      list.push(rule)
    }
  }
  return { rules: (operation) => byOperation.get(operation), ids: rules.map(({ id }) => id) }
}

function compileRule(
  { id, when = {}, then }: RuleSpec & { readonly id: string },
  states: Readonly<Record<string, string>>,
): Rule {
  const listed = answersOf(then)
  const by = then.weighted === undefined ? 'sequence' : 'chance'
  const answers = listed.map(({ answer }, index): Answer => {
    const { setState, ...rest } = answer
    return {
      plan: compileAnswer(rest, id),
      setState,
      place: listed.length === 1 ? undefined : { at: index + 1, of: listed.length, by },
    }
  })
  return {
    id,
    moment: answersOf(then).some(
      ({ answer }) =>
        answer.error?.before !== undefined ||
        faultsOf(answer.fault).some(({ kind }) => faultNamed(kind)?.early === true),
    )
      ? 'early'
      : 'valid',
    conditions: conditionsOf(when, states),
    counts: countsOf(when),
    countsSaid: countsSaid(when),
    about: [when.operation ?? 'any operation'].flat().join(' and '),
    times: when.times,
    answer(answered, { identity }) {
      if (then.weighted !== undefined)
        return answers[drawn(then.weighted, identity.fork(`rule ${id} weighted`).next())]
      if (answered < answers.length) return answers[answered]
      if (then.sequence === undefined || then.end === undefined || then.end === 'last') return answers.at(-1)
      return then.end === 'cycle' ? answers[answered % answers.length] : undefined
    },
  }
}

/** The states that an answer leads to, with values of the request filled in. */
export function statesAfter({ setState }: Answer, facts: RuleFacts): readonly (readonly [string, string])[] {
  return setState === undefined ? [] : Object.entries(fillTemplates(setState, facts))
}

/** Whether the nth call that meets the conditions counts; undefined when all do. */
export function countsOf({ nth, first, after, every }: WhenSpec): Rule['counts'] {
  if (nth === undefined && first === undefined && after === undefined && every === undefined) return undefined
  const wanted = nth === undefined ? undefined : typeof nth === 'number' ? [nth] : nth
  return (met) =>
    (wanted === undefined || wanted.includes(met)) &&
    (first === undefined || met <= first) &&
    (after === undefined || met > after) &&
    (every === undefined || (met - (after ?? 0)) % every === 0)
}

function countsSaid({ nth, first, after, every }: WhenSpec): string {
  const parts = [
    nth === undefined ? '' : `nth ${typeof nth === 'number' ? nth : nth.join(', ')}`,
    first === undefined ? '' : `first ${first}`,
    after === undefined ? '' : `after ${after}`,
    every === undefined ? '' : `every ${every}`,
  ]
  return parts.filter((part) => part !== '').join(', ')
}

function drawn(weighted: readonly { readonly weight: number }[], at: number): number {
  const total = weighted.reduce((sum, { weight }) => sum + weight, 0)
  let left = at * total
  for (const [index, { weight }] of weighted.entries()) {
    left -= weight
    if (left < 0) return index
  }
  return weighted.length - 1
}
