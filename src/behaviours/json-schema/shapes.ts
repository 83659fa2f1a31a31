/** Merges clauses that apply together into one shape. */
import type {
  Alternative,
  ArrayShape,
  Clause,
  ObjectShape,
  Obstacle,
  Property,
  SchemaNode,
  StringShape,
  ValueShape,
} from './clause.ts'
import { conforms, spend, type WorkBudget } from './conforms.ts'
import { formatWriter } from './formats.ts'
import { isModestJson, type JsonValue, jsonKey, TYPE } from './json-value.ts'
import { type NumberDraw, type NumberRange, numberDraw } from './number-range.ts'
import { namingOf } from './property-naming.ts'
import { patternWriter } from './write-pattern.ts'

/** The shape of an alternative, or the contradiction that prevents one. */
export function shapeOf(
  { clauses, excluded, types }: Alternative,
  path: string,
  reading: ShapeContext,
): ValueShape | Obstacle {
  const nothing: ValueShape = {
    path,
    clauses,
    excluded,
    types: NONE,
    values: undefined,
    number: undefined,
    string: undefined,
    array: undefined,
    object: undefined,
    description: clauses.find(({ description }) => description !== undefined)?.description,
    examples: examplesOf(clauses, reading.work),
    depth: Infinity,
  }
  const listing = shortestListing(clauses)
  if (listing !== undefined) {
    const conforming = (strict: boolean): JsonValue[] =>
      listing.values.filter((value) =>
        clauses.every((clause) => conforms(clause, value, reading.work, strict)),
      )
    const exact = conforming(true)
    const values = exact.length > 0 ? exact : conforming(false)
    if (values.length > 0) return { ...nothing, values }
    return {
      path: listing.path,
      keyword: listing.keyword,
      what: 'no listed value conforms to the rest of the schema; write at least one conforming value',
    }
  }

  const obstacles: Obstacle[] = []
  let remaining = types
  const shaped = <Shape>(type: number, make: (drop: Drop) => Shape | undefined): Shape | undefined => {
    if ((remaining & type) === 0) return undefined
    return make((obstacle) => {
      remaining &= ~type
      obstacles.push(obstacle)
      return undefined
    })
  }
  const whole = (types & TYPE.fraction) === 0
  const parts = {
    number: shaped(TYPE.integer | TYPE.fraction, (drop) => numberShape(clauses, whole, drop)),
    string: shaped(TYPE.string, (drop) => stringShape(clauses, drop)),
    array: shaped(TYPE.array, (drop) => arrayShape(clauses, path, reading, drop)),
    object: shaped(TYPE.object, (drop) => objectShape(clauses, path, reading, drop)),
  }
  if (remaining === 0) return obstacles[0] as Obstacle
  return { ...nothing, ...parts, types: typeOrder(clauses, remaining) }
}

function examplesOf(clauses: readonly Clause[], work: WorkBudget): readonly JsonValue[] {
  let conforming: JsonValue[] | undefined
  for (const clause of clauses) {
    for (const value of clause.examples) {
      if (isModestJson(value) && clauses.every((other) => conforms(other, value, work, true)))
        (conforming ??= []).push(value)
    }
  }
  return conforming ?? NONE
}

const NONE: readonly never[] = []

function shortestListing(
  clauses: readonly Clause[],
): { values: readonly JsonValue[]; keyword: string; path: string } | undefined {
  let best: { values: readonly JsonValue[]; keyword: string; path: string } | undefined
  for (const clause of clauses) {
    for (const { keyword, values } of clause.listings)
      if (best === undefined || values.length < best.values.length)
        best = { values, keyword, path: clause.path }
  }
  if (best === undefined || best.values.length < 2) return best
  return { ...best, values: [...new Map(best.values.map((value) => [jsonKey(value), value])).values()] }
}

/**
 * The order in which types are tried: as written; otherwise those that keywords apply to, or strings first.
 * Null is last.
 */
function typeOrder(clauses: readonly Clause[], types: number): readonly number[] {
  if ((types & (types - 1)) === 0 || types === (TYPE.integer | TYPE.fraction))
    return [types === TYPE.integer ? TYPE.integer | TYPE.fraction : types]
  const written = clauses.flatMap((clause) => clause.named)
  const about = clauses.reduce((all, clause) => all | clause.about, 0)
  const mentioned = [TYPE.object, TYPE.array, TYPE.integer, TYPE.string].filter(
    (type) => (about & type) !== 0,
  )
  const defaultOrder = [TYPE.string, TYPE.object, TYPE.array, TYPE.integer, TYPE.boolean]
  const order = new Set<number>()
  for (const wanted of [
    ...(written.length > 0 ? written : mentioned),
    ...defaultOrder,
    TYPE.fraction,
    TYPE.null,
  ]) {
    const type = (wanted & (TYPE.integer | TYPE.fraction)) === 0 ? wanted : TYPE.integer | TYPE.fraction
    if ((type & types) !== 0 && type !== TYPE.null) order.add(type)
  }
  if ((types & TYPE.null) !== 0) order.add(TYPE.null)
  return [...order]
}

/** The parts of reading a schema that a shape needs. */
interface ShapeContext {
  readonly work: WorkBudget
  /** The node of the clauses that apply at one place; created once per set of clauses. */
  node(clauses: readonly Clause[], path: string): SchemaNode
}

type Drop = (obstacle: Obstacle) => undefined

function numberShape(
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
    ? drop({ ...blame, what: 'no number satisfies the bounds; write wider bounds' })
    : { range, draw }
}

function numberKeyword(clause: Clause): string {
  if (clause.multipleOf !== undefined) return 'multipleOf'
  if (clause.exclusiveMinimum !== -Infinity) return 'exclusiveMinimum'
  if (clause.exclusiveMaximum !== Infinity) return 'exclusiveMaximum'
  return clause.minimum !== -Infinity ? 'minimum' : 'maximum'
}

function stringShape(clauses: readonly Clause[], drop: Drop): StringShape | undefined {
  const size = sizeOf(clauses, ['minLength', 'maxLength'], drop)
  if (size === undefined) return undefined
  const { least, most } = size
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
    formatWriters: formats.map((format) => formatWriter(format, least, most)),
    patterns: patterns.size === 0 ? undefined : patternWriter([...patterns.values()], least, most),
  }
}

function arrayShape(
  clauses: readonly Clause[],
  path: string,
  reading: ShapeContext,
  drop: Drop,
): ArrayShape | undefined {
  const size = sizeOf(clauses, ['minItems', 'maxItems'], drop)
  if (size === undefined) return undefined
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
    minItems: size.least,
    maxItems: size.most,
    unique: clauses.some((clause) => clause.uniqueItems),
    prefix,
    rest: reading.node(behind, `${path}.items`),
    depth: Infinity,
  }
}

function objectShape(
  clauses: readonly Clause[],
  path: string,
  reading: ShapeContext,
  drop: Drop,
): ObjectShape | undefined {
  const size = sizeOf(clauses, ['minProperties', 'maxProperties'], drop)
  if (size === undefined) return undefined
  const required = new Set<string>()
  const names = new Set<string>()
  for (const clause of clauses) {
    if (clause.properties !== undefined) for (const name of clause.properties.keys()) names.add(name)
    for (const name of clause.required) required.add(name)
  }
  for (const name of required) names.add(name)
  if (required.size > size.most)
    return drop({
      path: size.path,
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
    minProperties: size.least,
    maxProperties: size.most,
    extra: reading.node(extra, `${path}.additionalProperties`),
    extraGiven: extra.length > 0,
    depth: Infinity,
  }
}

type SizeKeyword = 'minLength' | 'maxLength' | 'minItems' | 'maxItems' | 'minProperties' | 'maxProperties'

interface Size {
  readonly least: number
  readonly most: number
  /** The last schema that sets it. */
  readonly path: string
}

/** The size that all clauses allow. */
function sizeOf(
  clauses: readonly Clause[],
  [min, max]: readonly [SizeKeyword, SizeKeyword],
  drop: Drop,
): Size | undefined {
  let [least, most, path] = [0, Infinity, '']
  for (const clause of clauses) {
    if (clause[min] > least) [least, path] = [clause[min], clause.path]
    if (clause[max] < most) [most, path] = [clause[max], clause.path]
  }
  if (least <= most) return { least, most, path }
  const what = `the minimum ${least} exceeds the maximum ${most}; write a ${min} of at most ${max}`
  return drop({ path, keyword: min, what })
}
