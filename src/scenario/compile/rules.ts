/** Compiled rules by operation: a call is never compared with the rules of other operations. */

import type { RuleFunction } from '../../generated/scenario-types.ts'
import type { Vocabulary } from '../../protocol/operations.ts'
import type { Plan } from '../../protocol/plan.ts'
import { faultNamed, faultsOf } from '../faults/all.ts'
import type { Fault } from '../faults/fault.ts'
import type { ThenSpec, WhenSpec } from '../format/rule.ts'
import type { RuleSpec } from '../format/scenario.ts'
import { type RuleCounts, ruleCallOf } from '../rule-call.ts'
import type { RuleFacts } from '../rule-outcomes.ts'
import { fillTemplates } from '../templates.ts'
import { compileAnswer, type HoldResponse } from './compile.ts'
import { type Condition, conditionsOf } from './conditions.ts'
import { answersOf, type CountedValue, countedBy, selectedOperations } from './select.ts'

/** The parts of faults that change a response, but do not replace it. */
const breakable: ReadonlySet<Fault['part'] | undefined> = new Set(['headers', 'body', 'stream'])

export interface Answer {
  plan(facts: RuleFacts): Plan
  readonly setFlags: Readonly<Record<string, string>> | undefined
  /** Its position in a sequence, from 1, and the length of the sequence; undefined without a sequence. */
  readonly place: { readonly at: number; readonly of: number } | undefined
  /** The error of the function that returned it; the plan rejects the call. */
  readonly error?: string
}

export interface Rule {
  readonly id: string
  /** The stage of the call at which it is evaluated. */
  readonly moment: 'early' | 'valid'
  readonly conditions: readonly Condition[]
  /** Whether the nth call that matches the conditions counts; undefined if all do. */
  readonly counts: ((matched: number) => boolean) | undefined
  /** The counts in words, for explanations: `nth 2`. */
  readonly countsShown: string
  /** Its operations in words, for explanations. */
  readonly about: string
  readonly times: number | undefined
  /** The value by which calls are counted; undefined if all calls are counted together. */
  readonly countedBy: ((facts: RuleFacts) => CountedValue) | undefined
  readonly isFunction: boolean
  /** Whether it contains only faults that leave a response to break. */
  readonly onlyBreaks: boolean
  /** The next response; undefined if there are no more, or if the function leaves the call to later rules. */
  answer(counts: RuleCounts, facts: RuleFacts): Answer | undefined
}

/** The response that a rule's function returned for an operation, or the error in it. */
export type ReadAnswer = (returned: unknown, operation: string) => ThenSpec | string

/** The rules of one operation, by the stage at which they are evaluated. */
export type OperationRules = Readonly<Record<Rule['moment'], readonly Rule[]>>

/** Rules in the order of their files. */
export interface RuleBook {
  /** The rules of an operation; undefined if there are none. */
  rules(operation: string): OperationRules | undefined
  readonly ids: readonly string[]
  has(id: string): boolean
  /** Whether a rule with nothing but faults of a response breaks the response of the next matching rule. */
  readonly areOverrides?: boolean
}

export interface RuleParts {
  readonly rules: readonly (RuleSpec & { readonly id: string })[]
  readonly flags: Readonly<Record<string, string>>
  readonly vocabulary: Vocabulary
  readonly readAnswer: ReadAnswer
  readonly hold: HoldResponse
}

export function createRuleBook({ rules, flags, vocabulary, readAnswer, hold }: RuleParts): RuleBook {
  const byOperation = new Map<string, Record<Rule['moment'], Rule[]>>()
  for (const written of rules) {
    const rule = compileRule(written, flags, { readAnswer, hold })
    for (const { endpoint } of selectedOperations(written, vocabulary)) {
      const list = byOperation.get(endpoint.operation) ?? { early: [], valid: [] }
      byOperation.set(endpoint.operation, list)
      list[rule.moment].push(rule)
    }
  }
  const ids = rules.map(({ id }) => id)
  const names = new Set(ids)
  return { rules: (operation) => byOperation.get(operation), ids, has: (id) => names.has(id) }
}

function compileRule(
  { id, when = {}, then, ask }: RuleSpec & { readonly id: string },
  flags: Readonly<Record<string, string>>,
  parts: Pick<RuleParts, 'readAnswer' | 'hold'>,
): Rule {
  return {
    id,
    moment: isEarly(then) ? 'early' : 'valid',
    conditions: conditionsOf(when, flags),
    counts: countsOf(when),
    countsShown: countsShown(when),
    about: [when.operation ?? 'any operation'].flat().join(' and '),
    times: when.times,
    countedBy: countedBy(when.per),
    isFunction: ask !== undefined,
    onlyBreaks: onlyBreaks(then),
    answer:
      ask === undefined ? answersOfData(id, then, parts.hold) : answersOfFunction(id, ask, flags, parts),
  }
}

/** Whether a response is decided before the key or the body is checked. */
export function isEarly(then: ThenSpec): boolean {
  return answersOf(then).some(
    ({ answer }) =>
      answer.error?.before !== undefined ||
      faultsOf(answer.fault).some(({ kind }) => faultNamed(kind)?.early === true),
  )
}

function onlyBreaks({ fault, ...rest }: ThenSpec): boolean {
  return (
    fault !== undefined &&
    Object.values(rest).every((field) => field === undefined) &&
    faultsOf(fault).every(({ kind }) => breakable.has(faultNamed(kind)?.part))
  )
}

function answersOfFunction(
  id: string,
  ask: RuleFunction,
  flags: Readonly<Record<string, string>>,
  { readAnswer, hold }: Pick<RuleParts, 'readAnswer' | 'hold'>,
): Rule['answer'] {
  return (counts, facts) => {
    let then: ThenSpec | string
    try {
      const random = facts.identity.fork(`rule ${id} function`)
      const returned: unknown = ask(ruleCallOf(facts, counts, flags), { random })
      if (returned === undefined) return undefined
      then = readAnswer(returned, facts.operation)
      if (typeof then !== 'string') return answersOfData(id, then, hold)(counts, facts)
    } catch (error) {
      then = error instanceof Error ? (error.stack ?? error.message) : String(error)
    }
    return wrongAnswer(id, then)
  }
}

/** The call is rejected with the error of the function: the test then shows it. */
function wrongAnswer(id: string, fault: string): Answer {
  const error = `the function in rule ${id} failed: ${fault}`
  const [message = ''] = error.split('\n    at ', 1)
  return {
    plan: () => ({ reject: { type: 'api_error', message, before: 'act' } }),
    setFlags: undefined,
    place: undefined,
    error,
  }
}

function answersOfData(id: string, then: ThenSpec, hold: HoldResponse): Rule['answer'] {
  const listed = answersOf(then)
  const answers = listed.map(({ answer }, index): Answer => {
    const { setFlags, ...rest } = answer
    return {
      plan: compileAnswer(rest, id, hold),
      setFlags,
      place: listed.length === 1 ? undefined : { at: index + 1, of: listed.length },
    }
  })
  return ({ answered }) => {
    if (answered < answers.length) return answers[answered]
    if (then.sequence === undefined || then.end === undefined || then.end === 'last') return answers.at(-1)
    return then.end === 'cycle' ? answers[answered % answers.length] : undefined
  }
}

/** The flags that a response sets, with values of the request filled in. */
export function flagsAfter({ setFlags }: Answer, facts: RuleFacts): readonly (readonly [string, string])[] {
  return setFlags === undefined ? [] : Object.entries(fillTemplates(setFlags, facts))
}

/** Whether the nth call that matches the conditions counts; undefined if all do. */
function countsOf({ nth, first, everyNth }: WhenSpec): Rule['counts'] {
  if ((nth ?? first ?? everyNth) === undefined) return undefined
  const wanted = nth === undefined ? undefined : [nth].flat()
  return (matched) =>
    (wanted === undefined || wanted.includes(matched)) &&
    (first === undefined || matched <= first) &&
    (everyNth === undefined || matched % everyNth === 0)
}

function countsShown({ per, ...when }: WhenSpec): string {
  const counts = (['nth', 'first', 'everyNth'] as const).flatMap((name) =>
    when[name] === undefined ? [] : `${name} ${[when[name]].flat().join(', ')}`,
  )
  return `${counts.join(', ')}${per === undefined ? '' : ` per ${per}`}`
}
