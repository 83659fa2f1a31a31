/** Fills a shape with a value of one of its types, or with one of its listed values. */
import { fillArray } from './fill-array.ts'
import { fillNumber } from './fill-number.ts'
import { fillObject } from './fill-object.ts'
import { fillText } from './fill-text.ts'
import { type Accept, DEEP, type Filling, type FillSite, fromFacts, NONE } from './filling.ts'
import { choiceFromPrompt } from './from-prompt/choices.ts'
import { flagFromPrompt } from './from-prompt/flags.ts'
import { cloneJson, type JsonValue } from './json-value.ts'
import { LIMITS } from './limits.ts'
import type { ValueShape } from './schema-node.ts'
import { TYPE } from './types.ts'

const TRIES = 30

/**
 * The types in the order of the schema; for a recurring place the flat ones first, so that recursion ends.
 */
export function typesInOrder(shape: ValueShape, place: FillSite, again: boolean): readonly number[] {
  const { types, array, object } = shape
  if (types.length === 1) return types
  // An untyped `limit` is a number.
  if (types.length > 4 && !place.byChance && COUNTS.has(place.naming.kind ?? ''))
    return [...types].sort((one, other) => Number(isNumber(other)) - Number(isNumber(one)))
  const maxDepth = Math.max(LIMITS.depth - place.depth, shape.depth)
  const live = types.filter((type) => {
    const depth =
      type === TYPE.array
        ? (array?.depth ?? Infinity)
        : type === TYPE.object
          ? (object?.depth ?? Infinity)
          : 0
    return depth <= maxDepth && depth < Infinity
  })
  if (place.byChance && place.depth <= DEEP)
    return live
      .map((type) => ({ type, at: place.random.fork(`type ${type}`).next() }))
      .sort((a, b) => a.at - b.at)
      .map(({ type }) => type)
  const isDeep = (type: number): boolean => type === TYPE.array || type === TYPE.object
  return again || place.depth > DEEP
    ? [...live.filter((type) => !isDeep(type)), ...live.filter(isDeep)]
    : live
}

const COUNTS: ReadonlySet<string> = new Set([
  'count',
  'index',
  'age',
  'year',
  'port',
  'latitude',
  'longitude',
])
const isNumber = (type: number): boolean => (type & (TYPE.integer | TYPE.fraction)) !== 0

export function fillType(
  type: number,
  shape: ValueShape,
  place: FillSite,
  accept: Accept,
  filling: Filling,
): JsonValue | typeof NONE {
  switch (type) {
    case TYPE.null:
      return accept === undefined || accept(null) ? null : NONE
    case TYPE.boolean:
      return fillFlag(shape, place, accept, filling)
    case TYPE.string:
      return fillText(shape, place, accept, filling)
    case TYPE.array:
    case TYPE.object:
      return fillComposite(type === TYPE.array ? fillArray : fillObject, type, shape, place, accept, filling)
    default:
      return fillNumber(shape, place, accept, filling)
  }
}

/**
 * An array or an object, retried at random until it is accepted. An example is used when the prompt gave
 * nothing.
 */
function fillComposite(
  make: typeof fillArray | typeof fillObject,
  type: number,
  shape: ValueShape,
  place: FillSite,
  accept: Accept,
  filling: Filling,
): JsonValue | typeof NONE {
  const before = filling.used.length
  const tries = accept !== undefined || shape.array?.unique === true ? TRIES : 1
  for (let attempt = 0; attempt < tries; attempt++) {
    const value = make(
      shape,
      attempt === 0 ? place : { ...place, byChance: true, random: place.random.fork(`try ${attempt}`) },
      filling,
    )
    if (value !== NONE && attempt === 0 && filling.used.length === before && !place.byChance) {
      const example = shape.examples.find(
        (one) =>
          typeof one === 'object' &&
          one !== null &&
          Array.isArray(one) === (type === TYPE.array) &&
          Object.keys(one).length > 0,
      )
      if (example !== undefined && (accept === undefined || accept(example))) return cloneJson(example)
    }
    if (value !== NONE && (accept === undefined || accept(value))) return value
    filling.used.length = before
  }
  return NONE
}

export function fillChoice(
  values: readonly JsonValue[],
  shape: ValueShape,
  place: FillSite,
  accept: Accept,
  filling: Filling,
): JsonValue | typeof NONE {
  const isAccepted = (value: JsonValue): boolean => accept === undefined || accept(value)
  const random = place.random.fork('enum')
  if (!place.byChance && values.length > 1) {
    const mentioned = fromFacts(filling, () => choiceFromPrompt(values, place.naming, filling, isAccepted))
    if (mentioned !== undefined) return cloneJson(mentioned)
    const example = shape.examples.find(isAccepted)
    if (example !== undefined && example !== null) return cloneJson(example)
  }
  const start = random.integer(0, values.length - 1)
  for (const nullToo of place.byChance ? [true] : [false, true]) {
    for (let i = 0; i < values.length; i++) {
      const value = values[(start + i) % values.length] as JsonValue
      if ((nullToo || value !== null) && isAccepted(value)) return cloneJson(value)
    }
  }
  filling.obstacle =
    shape.excluded.length > 0
      ? filling.obstacle
      : {
          path: shape.path,
          keyword: 'enum',
          what: 'none of its values is left to use here; write more values',
        }
  return NONE
}

function fillFlag(
  shape: ValueShape,
  place: FillSite,
  accept: Accept,
  filling: Filling,
): boolean | typeof NONE {
  const example = shape.examples.find((one) => typeof one === 'boolean')
  const first = place.byChance
    ? place.random.fork('flag').chance(1, 2)
    : (fromFacts(filling, () => flagFromPrompt(place.naming, filling.facts)) ?? example ?? true)
  for (const value of [first, !first]) if (accept === undefined || accept(value)) return value
  return NONE
}
