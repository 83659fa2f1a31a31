/**
 * Warnings about valid scenarios: rules that no call ever reaches, steps that expect nothing.
 */

import type { Vocabulary } from '../../protocol/operations.ts'
import type { RuleSpec, ScenarioSpec } from '../format/scenario.ts'
import type { Step } from '../format/steps.ts'
import { answersOf, selectedOperations } from './reach.ts'
import type { ScenarioMistake } from './shape.ts'
import { bareNames, foreignTemplates, strayErrors, strayFields, strayPictures } from './typos.ts'
import { createWiderRules } from './wider-rules.ts'

/** A warning with the number of its scenario. */
export type ScenarioWarning = ScenarioMistake & {
  readonly from: number
  /** True of a rule that never answers. */
  readonly unreachable?: true
}

/** Warnings about scenarios that are used together, in this order; `names` are theirs. */
export function warningsOf(
  scenarios: readonly ScenarioSpec[],
  names: readonly string[],
  vocabulary: Vocabulary,
): ScenarioWarning[] {
  const rules = scenarios.flatMap(({ rules: own = [] }, from) =>
    own.map((rule, index) => placed(rule, from, index, vocabulary)),
  )
  // Rules that refuse early are asked before all others, wherever they stand.
  const asked = [...rules.filter(({ early }) => early), ...rules.filter(({ early }) => !early)]
  const wider = createWiderRules(asked, ({ rule }) => rule.when ?? {})
  const unreachable = asked.flatMap((rule): ScenarioWarning[] => {
    const takers = rule.operations.map((operation) => {
      const taker = wider.find(rule.rule.when ?? {}, operation)
      // What takes a rule in takes in all that this rule would.
      if (taker === undefined && rule.always) wider.add(rule, operation)
      return taker
    })
    if (takers.length === 0 || takers.includes(undefined)) return []
    const by = [...new Set(takers)].map((taker) => calledRule(taker as PlacedRule, rule.from, names))
    const answer = `${by.join(' and ')} answer${by.length === 1 ? 's' : ''}`
    return [
      {
        path: ['rules', rule.index],
        key: false,
        from: rule.from,
        unreachable: true,
        message: `no call ever reaches this rule: ${answer} every call that it applies to`,
      },
    ]
  })
  const slips = scenarios.flatMap(({ rules: own = [], steps = [] }, from): ScenarioWarning[] =>
    [
      ...own.flatMap((rule, index) => [
        ...strayPictures(rule, ['rules', index]),
        ...foreignTemplates(rule.then, ['rules', index, 'then']),
        ...strayErrors(rule, ['rules', index]),
      ]),
      ...bareNames(steps, ['steps']),
      ...strayFields(steps, ['steps'], vocabulary.endpoint),
    ].map((one) => ({ ...one, from })),
  )
  return [
    ...unreachable,
    ...slips,
    ...scenarios.flatMap(({ steps = [] }, from) =>
      steps.length > 0 && !steps.some(expects)
        ? [
            {
              path: ['steps'],
              key: true,
              from,
              message: 'no step expects anything: a replay checks only that every call succeeds',
            },
          ]
        : [],
    ),
  ]
}

interface PlacedRule {
  readonly rule: RuleSpec
  readonly from: number
  readonly index: number
  readonly operations: readonly string[]
  readonly early: boolean
  /** Whether it answers every call that meets its conditions. */
  readonly always: boolean
}

function placed(rule: RuleSpec, from: number, index: number, vocabulary: Vocabulary): PlacedRule {
  const { nth, first, after, every, times } = rule.when ?? {}
  return {
    rule,
    from,
    index,
    operations: selectedOperations(rule.when, rule.then, vocabulary),
    early: answersOf(rule.then).some(({ answer }) => answer.error?.before !== undefined),
    always:
      [nth, first, after, every, times].every((count) => count === undefined) &&
      rule.then.end !== 'pass' &&
      rule.ask === undefined,
  }
}

function calledRule({ rule, from, index }: PlacedRule, seenFrom: number, names: readonly string[]): string {
  const called = rule.id === undefined ? `rule ${index + 1}` : JSON.stringify(rule.id)
  return from === seenFrom ? called : `${called} of ${names[from]}`
}

function expects(step: Step): boolean {
  if ('parallel' in step) return step.parallel.some(expects)
  return step.expect !== undefined || ('until' in step && step.until !== undefined)
}
