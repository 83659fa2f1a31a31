/**
 * Warnings about valid scenarios: rules that no call ever reaches, steps that expect nothing.
 */

import * as z from 'zod'
import { isFields, listOf } from '../../engine/fields.ts'
import type { Vocabulary } from '../../protocol/operations.ts'
import { show } from '../../protocol/wording.ts'
import { isOperators } from '../compile/match-shape.ts'
import { answersOf, selectedOperations } from '../compile/select.ts'
import type { WhenSpec } from '../format/rule.ts'
import type { RuleSpec, ScenarioSpec } from '../format/scenario.ts'
import type { Step } from '../format/steps.ts'
import { type Path, type ScenarioMistake, wrongKey, wrongValue } from './mistake.ts'
import { unknownFields } from './steps.ts'

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
  const wider = new WiderRules(asked)
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
  return [
    ...unreachable,
    ...scenarios.flatMap(({ steps = [] }, from): ScenarioWarning[] =>
      [
        ...ignoredFields(steps, ['steps'], vocabulary.endpoint),
        ...(steps.length === 0 || steps.some(expects) ? [] : [noExpectation]),
      ].map((one) => ({ ...one, from })),
    ),
  ]
}

const noExpectation = wrongKey(
  ['steps'],
  'no step expects anything: a replay checks only that every call succeeds',
)

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

/** Which earlier rule answers every call of a later one; found without comparing each with all others. */
class WiderRules {
  /** How often each part is written: a rule that takes another in is found by its rarest one. */
  readonly #counts = new Map<string, number>()
  readonly #order: ReadonlyMap<PlacedRule, number>
  readonly #byPart = new Map<string, PlacedRule[]>()

  constructor(all: readonly PlacedRule[]) {
    this.#order = new Map(all.map((rule, index) => [rule, index]))
    for (const part of all.flatMap(({ rule }) => partsOf(rule.when ?? {})))
      this.#counts.set(part, this.#count(part) + 1)
  }

  add(rule: PlacedRule, operation: string): void {
    const parts = partsOf(rule.rule.when ?? {})
    const [rarest = ''] = parts.sort((a, b) => this.#count(a) - this.#count(b))
    const place = `${operation} ${rarest}`
    const list = this.#byPart.get(place)
    if (list === undefined) this.#byPart.set(place, [rule])
    else list.push(rule)
  }

  /** The first that answers every call of an operation that meets these conditions. */
  find(when: WhenSpec, operation: string): PlacedRule | undefined {
    const found = ['', ...partsOf(when)].flatMap(
      (part) =>
        this.#byPart.get(`${operation} ${part}`)?.find(({ rule }) => isWider(rule.when ?? {}, when)) ?? [],
    )
    return found.sort((a, b) => this.#at(a) - this.#at(b))[0]
  }

  #count(part: string): number {
    return this.#counts.get(part) ?? 0
  }

  #at(rule: PlacedRule): number {
    return this.#order.get(rule) ?? 0
  }
}

/** Each value in the conditions, with its place. */
function partsOf({ operation: _, per: __, ...when }: WhenSpec): string[] {
  return Object.entries(when).flatMap(([name, shape]) =>
    name === 'during' ? [`${name}=${JSON.stringify(shape)}`] : partsIn(shape, name),
  )
}

function partsIn(shape: unknown, place: string): string[] {
  if (!isFields(shape) || isOperators(shape)) return [`${place}=${JSON.stringify(shape)}`]
  return Object.entries(shape).flatMap(([name, inner]) => partsIn(inner, `${place}.${name}`))
}

/** Whether every call that meets the narrow conditions meets the wide ones as well. */
function isWider({ operation: _, per: __, ...wide }: WhenSpec, narrow: WhenSpec): boolean {
  return Object.entries(wide).every(([name, shape]) => {
    const other = (narrow as Readonly<Record<string, unknown>>)[name]
    // A window is not a shape.
    return other !== undefined && (name === 'during' ? same(shape, other) : takesIn(shape, other))
  })
}

function takesIn(wide: unknown, narrow: unknown): boolean {
  if (!isFields(wide) || !isFields(narrow) || isOperators(wide) || isOperators(narrow))
    return same(wide, narrow)
  return Object.entries(wide).every(
    ([name, inner]) => Object.hasOwn(narrow, name) && takesIn(inner, narrow[name]),
  )
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

/** Longer ones can only be milliseconds. */
const leastPlain = 100

/** Takes the value as it is written, and a schema whose durations are marked. */
export function bareDurations(written: unknown, schema: z.ZodType): ScenarioMistake[] {
  const found = new Map<string, ScenarioMistake>()
  search(schema, written, [], (path, value) =>
    found.set(
      JSON.stringify(path),
      wrongValue(path, `${value} is ${value} milliseconds: write ${value}ms, or ${value}s for seconds`),
    ),
  )
  return [...found.values()]
}

type Found = (path: Path, value: number) => void

function search(schema: unknown, value: unknown, path: Path, found: Found): void {
  if (value === undefined || value === null || typeof value === 'string') return
  if (!(schema instanceof z.ZodType)) return
  if (schema.meta()?.['$comment'] === 'duration') {
    if (typeof value === 'number' && value > 0 && value < leastPlain) found(path, value)
  } else if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodLazy
  )
    search(schema.unwrap(), value, path, found)
  else if (schema instanceof z.ZodPipe) search(schema.in, value, path, found)
  else if (schema instanceof z.ZodUnion)
    for (const option of schema.options) search(option, value, path, found)
  else if (schema instanceof z.ZodArray && Array.isArray(value))
    for (const [index, item] of value.entries()) search(schema.element, item, [...path, index], found)
  else if (schema instanceof z.ZodObject && isFields(value))
    for (const [name, part] of Object.entries(value)) search(schema.shape[name], part, [...path, name], found)
}

/** Fields of a call that its operation does not have: the service ignores them. */
function* ignoredFields(
  steps: readonly unknown[],
  path: Path,
  endpoint: Vocabulary['endpoint'],
): Generator<ScenarioMistake> {
  for (const [index, step] of steps.entries()) {
    if (!isFields(step)) continue
    yield* ignoredFields(listOf(step['parallel']), [...path, index, 'parallel'], endpoint)
    for (const { name, operation, nearest } of unknownFields(step, endpoint))
      if (nearest === undefined)
        yield wrongKey(
          [...path, index, 'with', name],
          `${operation} has no field ${show(name)}: it is sent, and the service ignores it`,
        )
  }
}
