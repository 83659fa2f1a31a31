/** Warnings about valid scenarios: rules that no request reaches. */
import { isFields } from '../../engine/fields.ts'
import type { Operation, Vocabulary } from '../../protocol/operations.ts'
import { isOperators } from '../compile/match-value.ts'
import { isEarly } from '../compile/rules.ts'
import { isCounted, selectedOperations } from '../compile/select.ts'
import type { RuleSpec, ScenarioSpec } from '../format/scenario.ts'
import { type PlacedError, wrongValue } from './file-error.ts'

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
    const shadow = earlier.find((one) => covers(one, rule))
    if (shadow === undefined) {
      if (rule.isAlways) earlier.push(rule)
      continue
    }
    const place = shadow.from === rule.from ? shadow.name : `${shadow.name} in ${names[shadow.from]}`
    const message = `no request ever reaches this rule: ${place} matches all of its requests first`
    warnings.push({ ...wrongValue(['rules', rule.index], message), from: rule.from })
  }
  return warnings
}

interface PlacedRule {
  readonly name: string
  readonly from: number
  readonly index: number
  readonly operations: readonly Operation[]
  /** Its conditions, each with its place: `.body.user="ann"`. */
  readonly conditions: ReadonlySet<string>
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
    conditions: new Set(conditionsIn(conditions, '')),
    rejectsEarly: isEarly(then),
    isAlways: ask === undefined && then.end !== 'pass' && !isCounted(when),
  }
}

function* conditionsIn(value: unknown, place: string): Generator<string> {
  if (value === undefined) return
  if (!isFields(value) || isOperators(value)) yield `${place}=${JSON.stringify(value)}`
  else for (const [name, part] of Object.entries(value)) yield* conditionsIn(part, `${place}.${name}`)
}

/** Whether a rule matches all requests of a later one: it has no other conditions and no fewer operations. */
function covers(earlier: PlacedRule, { operations, conditions }: PlacedRule): boolean {
  return (
    [...earlier.conditions].every((condition) => conditions.has(condition)) &&
    operations.every((operation) => earlier.operations.includes(operation))
  )
}
