/** Compiled rules by operation: a call is never compared with the rules of other operations. */

import type { RuleFunction } from '../../generated/scenario-types.ts'
import type { Vocabulary } from '../../protocol/operations.ts'
import type { Plan } from '../../protocol/plan.ts'
import type { RuleFacts } from '../asked-rules.ts'
import { faultNamed, faultsOf } from '../faults/all.ts'
import type { Fault } from '../faults/fault.ts'
import type { ThenSpec, WhenSpec } from '../format/rule.ts'
import type { RuleSpec } from '../format/scenario.ts'
import { type RuleCounts, ruleCallOf } from '../rule-call.ts'
import { fillTemplates } from '../templates.ts'
import { compileAnswer, type HoldResponse } from './compile.ts'
import { type Condition, conditionsOf } from './conditions.ts'
import { answersOf, selectedOperations, type Thing, thingOf } from './select.ts'

/** The parts of faults that change a response, but do not replace it. */
const breakable: ReadonlySet<Fault['part'] | undefined> = new Set(['headers', 'body', 'stream'])

export interface Answer {
  plan(facts: RuleFacts): Plan
  readonly setFlags: Readonly<Record<string, string>> | undefined
  /** Its position from 1, the number of responses, and what chose it; undefined if it is the only one. */
  readonly place: { readonly at: number; readonly of: number; readonly by: 'sequence' | 'chance' } | undefined
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
  /** The counts in words: `nth 2`. */
  readonly countsSaid: string
  readonly about: string
  readonly times: number | undefined
  /** The value by which calls are counted; undefined if all calls are counted together. */
  readonly thing: ((facts: RuleFacts) => Thing) | undefined
  readonly isFunction: boolean
  /** Whether it contains only faults that leave a response to break. */
  readonly onlyBreaks: boolean
  /** Set if its faults apply to the response of a later rule, or to the default one. */
  readonly isBreak?: boolean
  /** The next response; undefined if there are no more, or if the function leaves the call to later rules. */
  answer(counts: RuleCounts, facts: RuleFacts): Answer | undefined
}

/** The response that a rule's function returned for an operation, or the error in it. */
export type ReadAnswer = (returned: unknown, operation: string) => ThenSpec | string

/** The rules of one operation, by the stage at which they are evaluated. */
export type OperationRules = Readonly<Record<Rule['moment'], readonly Rule[]>>

/** Rules in the order of their files. */
export interface RuleBook {
  /** The rules of an operation. */
  rules(operation: string): readonly Rule[]
  /** The same by stage; undefined if there are none. */
  byMoment(operation: string): OperationRules | undefined
  readonly ids: readonly string[]
  has(id: string): boolean
}

export interface RuleParts {
  readonly rules: readonly (RuleSpec & { readonly id: string })[]
  readonly flags: Readonly<Record<string, string>>
  readonly vocabulary: Vocabulary
  readonly readAnswer: ReadAnswer
  readonly hold: HoldResponse
}

export function createRuleBook({ rules, flags, vocabulary, readAnswer, hold }: RuleParts): RuleBook {
  const byOperation = new Map<string, Rule[]>()
  for (const written of rules) {
    const rule = compileRule(written, flags, { readAnswer, hold })
    for (const { endpoint } of selectedOperations(written, vocabulary)) {
      const { operation } = endpoint
      const list = byOperation.get(operation) ?? []
      byOperation.set(operation, list)
      list.push(rule)
    }
  }
  return bookOf(
    rules.map(({ id }) => id),
    (operation) => byOperation.get(operation) ?? [],
  )
}

/**
 * The books of overrides as one: the rules of the first are evaluated first. A rule that contains only faults
 * of a response breaks the response of the rule that matches after it.
 */
export function overridesBook(books: readonly RuleBook[]): RuleBook {
  return bookOf(
    books.flatMap(({ ids }) => ids),
    (operation) =>
      books.flatMap((book) => book.rules(operation).map((rule) => ({ ...rule, isBreak: rule.onlyBreaks }))),
  )
}

function bookOf(ids: readonly string[], rules: RuleBook['rules']): RuleBook {
  const known = new Map<string, OperationRules | undefined>()
  let names: ReadonlySet<string> | undefined
  return {
    rules,
    byMoment(operation) {
      if (!known.has(operation)) known.set(operation, momentsOf(rules(operation)))
      return known.get(operation)
    },
    ids,
    has: (id) => (names ??= new Set(ids)).has(id),
  }
}

function momentsOf(rules: readonly Rule[]): OperationRules | undefined {
  if (rules.length === 0) return undefined
  return {
    early: rules.filter(({ moment }) => moment === 'early'),
    valid: rules.filter(({ moment }) => moment === 'valid'),
  }
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
    countsSaid: countsSaid(when),
    about: [when.operation ?? 'any operation'].flat().join(' and '),
    times: when.times,
    thing: thingOf(when.per),
    isFunction: ask !== undefined,
    onlyBreaks: onlyBreaks(then),
    answer: ask === undefined ? answersWritten(id, then, parts.hold) : answersAsked(id, ask, flags, parts),
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

function answersAsked(
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
      if (typeof then !== 'string') return answersWritten(id, then, hold)(counts, facts)
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

function answersWritten(id: string, then: ThenSpec, hold: HoldResponse): Rule['answer'] {
  const listed = answersOf(then)
  const by = then.weighted === undefined ? 'sequence' : 'chance'
  const answers = listed.map(({ answer }, index): Answer => {
    const { setFlags, ...rest } = answer
    return {
      plan: compileAnswer(rest, id, hold),
      setFlags,
      place: listed.length === 1 ? undefined : { at: index + 1, of: listed.length, by },
    }
  })
  return ({ answered }, { identity }) => {
    if (then.weighted !== undefined)
      return answers[drawn(then.weighted, identity.fork(`rule ${id} weighted`).next())]
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
function countsOf({ nth, first, skip, everyNth }: WhenSpec): Rule['counts'] {
  if (nth === undefined && first === undefined && skip === undefined && everyNth === undefined)
    return undefined
  const wanted = nth === undefined ? undefined : [nth].flat()
  return (matched) =>
    (wanted === undefined || wanted.includes(matched)) &&
    (first === undefined || matched <= first) &&
    (skip === undefined || matched > skip) &&
    (everyNth === undefined || (matched - (skip ?? 0)) % everyNth === 0)
}

function countsSaid({ per, ...when }: WhenSpec): string {
  const said = (['nth', 'first', 'skip', 'everyNth'] as const).flatMap((name) =>
    when[name] === undefined ? [] : `${name} ${[when[name]].flat().join(', ')}`,
  )
  return `${said.join(', ')}${per === undefined ? '' : ` per ${per}`}`
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
