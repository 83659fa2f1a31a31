/** Warnings about valid scenarios: rules that no request reaches, and saved names that no step uses. */
import { isFields } from '../../engine/fields.ts'
import type { Operation, Vocabulary } from '../../protocol/operations.ts'
import { isOperators } from '../compile/match-value.ts'
import { isEarly } from '../compile/rules.ts'
import { isCounted, selectedOperations } from '../compile/select.ts'
import type { RuleSpec, ScenarioSpec } from '../format/scenario.ts'
import type { Step } from '../format/steps.ts'
import { templatesIn, textsIn } from '../templates.ts'
import { type FileError, type PlacedError, wrongKey, wrongValue } from './finding.ts'
import { placedSteps, savedBy } from './steps.ts'

/** Rules beyond this number are not compared with each other. */
const maxCompared = 1000

/** Warnings about scenarios that are used together, in this order; `names` are their names. */
export function warningsOf(
  scenarios: readonly ScenarioSpec[],
  names: readonly string[],
  vocabulary: Vocabulary,
): PlacedError[] {
  const rules = scenarios
    .flatMap(({ rules: own = [] }, from) => own.map((rule, index) => placed(rule, from, index, vocabulary)))
    .slice(0, maxCompared)
  // Rules that reject early are tried before all others, wherever they are.
  const inOrder = rules.sort((a, b) => Number(b.rejectsEarly) - Number(a.rejectsEarly))
  const earlier: PlacedRule[] = []
  const warnings: PlacedError[] = []
  for (const rule of inOrder) {
    const { operations } = rule
    const shadow = earlier.find(
      (one) =>
        operations.every((operation) => one.operations.includes(operation)) &&
        isWithin(one.conditions, rule.conditions),
    )
    if (shadow === undefined) {
      if (rule.isAlways) earlier.push(rule)
      continue
    }
    const place = shadow.from === rule.from ? shadow.name : `${shadow.name} in ${names[shadow.from]}`
    const message = `no request ever reaches this rule: ${place} matches all of its requests first`
    warnings.push({ ...wrongValue(['rules', rule.index], message), from: rule.from })
  }
  for (const [from, { steps = [] }] of scenarios.entries())
    warnings.push(...unusedNames(steps).map((one) => ({ ...one, from })))
  return warnings
}

interface PlacedRule {
  readonly name: string
  readonly from: number
  readonly index: number
  readonly operations: readonly Operation[]
  readonly conditions: unknown
  readonly rejectsEarly: boolean
  /** Whether it responds to every request that meets its conditions. */
  readonly isAlways: boolean
}

function placed(rule: RuleSpec, from: number, index: number, vocabulary: Vocabulary): PlacedRule {
  const { when = {}, then, ask } = rule
  const { operation: _, per: __, ...conditions } = when
  return {
    name: rule.id === undefined ? `rule ${index + 1}` : JSON.stringify(rule.id),
    from,
    index,
    operations: selectedOperations(rule, vocabulary),
    conditions,
    rejectsEarly: isEarly(then),
    isAlways: ask === undefined && then.end !== 'pass' && !isCounted(when),
  }
}

/** Whether each value of a matcher is in another one, too: what the other matches, this one does. */
function isWithin(wide: unknown, narrow: unknown): boolean {
  if (!isFields(wide) || isOperators(wide)) return JSON.stringify(wide) === JSON.stringify(narrow)
  return Object.entries(wide).every(
    ([name, part]) => part === undefined || isWithin(part, isFields(narrow) ? narrow[name] : undefined),
  )
}

/** Names that a step saves and no step uses. */
function unusedNames(steps: readonly Step[]): FileError[] {
  const used = new Set(
    [...textsIn(steps, [])].flatMap(({ text }) => templatesIn(text).map((name) => name.split('.')[0])),
  )
  return placedSteps(steps, ['steps'])
    .flat()
    .flatMap(({ step, path }) =>
      savedBy(step)
        .filter((name) => !used.has(name))
        .map((name) => wrongKey([...path, 'save', name], 'no later step uses this name')),
    )
}
