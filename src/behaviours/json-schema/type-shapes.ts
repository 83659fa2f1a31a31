/** The shapes of the single types: bounds intersected, properties and items merged. */
import type { Clause } from './clause.ts'
import { spend, type WorkBudget } from './conforms.ts'
import { type NumberDraw, type NumberRange, numberDraw } from './number-range.ts'
import { patternWriter } from './pattern/write-text.ts'
import { namingOf } from './property-naming.ts'
import type { ArrayShape, ObjectShape, Obstacle, Property, SchemaNode, StringShape } from './schema-node.ts'
import { TYPE } from './types.ts'

/** What a shape needs from the reading of its schema. */
export interface ShapeContext {
  readonly work: WorkBudget
  /** The node of the clauses that apply at one place; created once per set of clauses. */
  node(clauses: readonly Clause[], path: string): SchemaNode
}

type Drop = (obstacle: Obstacle) => undefined

export function numberShape(
  clauses: readonly Clause[],
  whole: boolean,
  drop: Drop,
): { range: NumberRange; draw: NumberDraw } | undefined {
  let [min, max] = [-Infinity, Infinity]
  let [aboveMin, belowMax] = [false, false]
  const steps = whole ? [1] : []
  let blame = { path: '', keyword: 'minimum' }
  for (const clause of clauses) {
    if (clause.about !== 0 && (clause.about & TYPE.integer) !== 0)
      blame = { path: clause.path, keyword: numberKeyword(clause) }
    if (clause.minimum > min) [min, aboveMin] = [clause.minimum, false]
    if (clause.exclusiveMinimum >= min && clause.exclusiveMinimum !== -Infinity)
      [min, aboveMin] = [clause.exclusiveMinimum, true]
    if (clause.maximum < max) [max, belowMax] = [clause.maximum, false]
    if (clause.exclusiveMaximum <= max && clause.exclusiveMaximum !== Infinity)
      [max, belowMax] = [clause.exclusiveMaximum, true]
    if (clause.multipleOf !== undefined) steps.push(clause.multipleOf)
  }
  const range = { min, max, aboveMin, belowMax, steps }
  const draw = numberDraw(range)
  return draw === undefined
    ? drop({ ...blame, what: 'no number is left between the bounds; write bounds that leave one' })
    : { range, draw }
}

function numberKeyword(clause: Clause): string {
  if (clause.multipleOf !== undefined) return 'multipleOf'
  if (clause.exclusiveMinimum !== -Infinity) return 'exclusiveMinimum'
  if (clause.exclusiveMaximum !== Infinity) return 'exclusiveMaximum'
  return clause.minimum !== -Infinity ? 'minimum' : 'maximum'
}

export function stringShape(clauses: readonly Clause[], drop: Drop): StringShape | undefined {
  const { least, most, path } = sizes(clauses, 'minLength', 'maxLength')
  if (least > most)
    return drop({
      path,
      keyword: 'minLength',
      what: `no length is left between ${least} and ${most}; write minLength at most maxLength`,
    })
  const patterns = new Map(
    clauses.flatMap((clause) =>
      clause.pattern === undefined ? [] : [[clause.pattern.source, clause.pattern]],
    ),
  )
  const formats = [...new Set(clauses.flatMap((clause) => clause.format ?? []))]
  return {
    minLength: least,
    maxLength: most,
    formats,
    patterns: patterns.size === 0 ? undefined : patternWriter([...patterns.values()], least, most),
  }
}

export function arrayShape(
  clauses: readonly Clause[],
  path: string,
  reading: ShapeContext,
  drop: Drop,
): ArrayShape | undefined {
  const { least, most, path: at } = sizes(clauses, 'minItems', 'maxItems')
  if (least > most)
    return drop({
      path: at,
      keyword: 'minItems',
      what: `no length is left between ${least} and ${most}; write minItems at most maxItems`,
    })
  const prefixLength = clauses.reduce((length, clause) => Math.max(length, clause.prefixItems.length), 0)
  const prefix = Array.from({ length: prefixLength }, (_, index) => {
    spend(reading.work, { path }, clauses.length)
    return reading.node(
      clauses.flatMap((clause) => clause.prefixItems[index] ?? clause.items ?? []),
      `${path}.prefixItems.${index}`,
    )
  })
  const behind = clauses.flatMap((clause) => clause.items ?? [])
  return {
    minItems: least,
    maxItems: most,
    unique: clauses.some((clause) => clause.uniqueItems),
    prefix,
    rest: reading.node(behind, `${path}.items`),
    restGiven: behind.length > 0,
    depth: Infinity,
  }
}

export function objectShape(
  clauses: readonly Clause[],
  path: string,
  reading: ShapeContext,
  drop: Drop,
): ObjectShape | undefined {
  const { least, most, path: at } = sizes(clauses, 'minProperties', 'maxProperties')
  const required = new Set<string>()
  const names = new Set<string>()
  for (const clause of clauses) {
    if (clause.properties !== undefined) for (const name of clause.properties.keys()) names.add(name)
    for (const name of clause.required) required.add(name)
  }
  for (const name of required) names.add(name)
  if (least > most)
    return drop({
      path: at,
      keyword: 'minProperties',
      what: `no count is left between ${least} and ${most}; write minProperties at most maxProperties`,
    })
  if (required.size > most)
    return drop({
      path: at,
      keyword: 'maxProperties',
      what: `${required.size} properties are required; write at least ${required.size}`,
    })
  const speaking = clauses.filter(
    (clause) => clause.properties !== undefined || clause.additionalProperties !== undefined,
  )
  const properties: Property[] = []
  for (const name of names) {
    spend(reading.work, { path }, speaking.length + 1)
    const node = reading.node(
      speaking.flatMap((clause) => clause.properties?.get(name) ?? clause.additionalProperties ?? []),
      `${path}.properties.${name}`,
    )
    properties.push({ name, node, required: required.has(name), naming: namingOf(name) })
  }
  const extra = speaking.flatMap((clause) => clause.additionalProperties ?? [])
  return {
    properties,
    minProperties: least,
    maxProperties: most,
    extra: reading.node(extra, `${path}.additionalProperties`),
    extraGiven: extra.length > 0,
    depth: Infinity,
  }
}

type SizeKeyword = 'minLength' | 'maxLength' | 'minItems' | 'maxItems' | 'minProperties' | 'maxProperties'

function sizes(
  clauses: readonly Clause[],
  min: SizeKeyword,
  max: SizeKeyword,
): { least: number; most: number; path: string } {
  let [least, most, path] = [0, Infinity, '']
  for (const clause of clauses) {
    if (clause[min] > least) [least, path] = [clause[min], clause.path]
    if (clause[max] < most) [most, path] = [clause[max], clause.path]
  }
  return { least, most, path }
}
