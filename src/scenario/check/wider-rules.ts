/**
 * Which earlier rule answers every call of a later one; found without comparing each rule with all others.
 */
import { isFields } from '../../engine/fields.ts'
import { isOperators } from '../compile/match-shape.ts'
import type { WhenSpec } from '../format/when.ts'

/** Rules, asked in this order, that answer every call that meets their conditions. */
export interface WiderRules<Rule> {
  add(rule: Rule, operation: string): void
  /** The first that answers every call of an operation that meets these conditions. */
  find(when: WhenSpec, operation: string): Rule | undefined
}

/** `all` are the rules that may be added or looked for. */
export function createWiderRules<Rule extends object>(
  all: readonly Rule[],
  whenOf: (rule: Rule) => WhenSpec,
): WiderRules<Rule> {
  const order = new Map(all.map((rule, index) => [rule, index]))
  const counts = new Map<string, number>()
  for (const rule of all)
    for (const part of partsOf(whenOf(rule))) counts.set(part, (counts.get(part) ?? 0) + 1)
  // A rule that takes another one in has no part that the other lacks: its rarest one finds it.
  const byPart = new Map<string, Rule[]>()
  const placeOf = (operation: string, part: string): string => `${operation} ${part}`
  return {
    add(rule, operation) {
      let rarest = ''
      for (const part of partsOf(whenOf(rule)))
        if (rarest === '' || (counts.get(part) ?? 0) < (counts.get(rarest) ?? 0)) rarest = part
      const place = placeOf(operation, rarest)
      const list = byPart.get(place)
      if (list === undefined) byPart.set(place, [rule])
      else list.push(rule)
    },
    find(when, operation) {
      let first: Rule | undefined
      for (const part of ['', ...partsOf(when)]) {
        const found = byPart.get(placeOf(operation, part))?.find((rule) => isWider(whenOf(rule), when))
        if (found !== undefined && (first === undefined || at(found) < at(first))) first = found
      }
      return first
    },
  }

  function at(rule: Rule): number {
    return order.get(rule) ?? 0
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
