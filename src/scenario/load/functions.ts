/** Rules that are functions: taken out of an object, so that the rest is plain data, and put back. */

import { isFields } from '../../engine/fields.ts'
import type { RuleFunction } from '../../generated/scenario-input.ts'
import { notData } from '../../protocol/plain-data.ts'
import { maxMistakes } from '../../protocol/told-mistakes.ts'
import type { ScenarioMistake } from '../check/shape.ts'
import type { ScenarioSpec } from '../format/scenario.ts'

/** An object of the scenario format without its functions. */
export interface PlainScenario {
  readonly value: unknown
  /** The functions, by the number of their rule. */
  readonly functions: ReadonlyMap<number, RuleFunction>
  /** What is neither data nor a function that may be there. */
  readonly mistakes: readonly ScenarioMistake[]
}

/** The value must not hold itself. */
export function withoutFunctions(value: unknown): PlainScenario {
  const functions = new Map<number, RuleFunction>()
  let plain = value
  if (isFields(value) && Array.isArray(value['rules'])) {
    const rules = (value['rules'] as unknown[]).map((rule, index) => {
      if (!isFields(rule) || typeof rule['then'] !== 'function' || cannotAnswer(rule['then'])) return rule
      functions.set(index, rule['then'] as RuleFunction)
      return { ...rule, then: {} }
    })
    if (functions.size > 0) plain = { ...value, rules }
  }
  const mistakes = notDataIn(plain)
  return { value: mistakes.length === 0 ? plain : dataOf(plain), functions, mistakes }
}

/** The rules with the functions that answer for them. */
export function withFunctions(spec: ScenarioSpec, functions: PlainScenario['functions']): ScenarioSpec {
  if (functions.size === 0 || spec.rules === undefined) return spec
  return {
    ...spec,
    rules: spec.rules.map((rule, index) => {
      const ask = functions.get(index)
      return ask === undefined ? rule : { ...rule, ask }
    }),
  }
}

// Where a build has replaced the keyword, its first answer tells.
function cannotAnswer(written: object): boolean {
  return /^(?:Async|Generator)/.test(written.constructor.name)
}

const notAtOnce = [
  'an async function or a generator cannot answer: a rule answers at once. Read what it needs before, and',
  'give a plain function',
].join(' ')

/** A copy with nothing in the place of what is no data. */
function dataOf(value: unknown): unknown {
  if (notData(value) !== undefined) return null
  if (Array.isArray(value)) return value.map(dataOf)
  if (!isFields(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, dataOf(part)]))
}

function notDataIn(value: unknown): ScenarioMistake[] {
  const found: ScenarioMistake[] = []
  const open: { readonly value: unknown; readonly path: readonly PropertyKey[] }[] = [{ value, path: [] }]
  for (let one = open.pop(); one !== undefined && found.length <= maxMistakes; one = open.pop()) {
    const { value: here, path } = one
    const wrong = notData(here)
    if (wrong !== undefined) {
      const isThen = path.length === 3 && path[2] === 'then' && typeof here === 'function'
      found.push({
        path,
        message: isThen ? notAtOnce : `got ${wrong.what}: ${wrong.remedy}`,
        key: false,
      })
    } else if (here !== null && typeof here === 'object') {
      const inner = Array.isArray(here)
        ? here.map((item: unknown, index) => [index, item] as const)
        : Object.entries(here)
      for (const [name, item] of inner.reverse()) open.push({ value: item, path: [...path, name] })
    }
  }
  return found
}
