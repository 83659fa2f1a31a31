/** Fills a shape with a value of one of its types, or with one of its listed values. */

import type { ArrayShape, ObjectShape, Property, SchemaNode, ValueShape } from './clause.ts'
import { fillNumber } from './fill-number.ts'
import { fillText } from './fill-text.ts'
import { type Accept, DEEP, type Filling, type FillSite, isOpen, NONE } from './filling.ts'
import { fitsNode, lengthFromPrompt, pairsFromPrompt, valuesFromPrompt } from './from-prompt/values.ts'
import { cloneJson, type JsonValue, jsonKey, TYPE } from './json-value.ts'
import { type Naming, namingOf } from './property-naming.ts'
import { LIMITS, SchemaRefusal } from './schema-refusal.ts'

/** An object of this shape, or `NONE`. */
function fillObject(
  shape: ValueShape,
  place: FillSite,
  filling: Filling,
): { [key: string]: JsonValue } | typeof NONE {
  const object = shape.object as ObjectShape
  filling.container = { path: shape.path, keyword: 'required' }
  const said = place.byChance || place.index > 0 ? undefined : valuesFromPrompt(object, filling)
  const value: { [key: string]: JsonValue } = {}
  const pairs = object.properties.length === 0 && !place.byChance ? givenPairs(object, filling) : undefined
  if (pairs !== undefined) return pairs
  let count = 0
  const put = (name: string, node: SchemaNode, property: Property | undefined): boolean => {
    const naming = property?.naming ?? namingOf(name)
    const inner = within(object, name, naming, place)
    const given = said?.get(name)
    if (given !== undefined) filling.found++
    const item = given === undefined ? filling.fill(node, inner, undefined) : given
    if (item === NONE) return false
    filling.characters += name.length
    if (filling.characters > LIMITS.characters)
      throw new SchemaRefusal(
        shape.path,
        'required',
        `the value would have more than ${LIMITS.characters} characters; write a schema that asks for less`,
      )
    value[name] = item
    count++
    return true
  }

  const unsaid: string[] = []
  for (const property of chosen(object, place, filling)) {
    const before = filling.found
    if (put(property.name, property.node, property)) {
      if (!property.required && filling.found === before) unsaid.push(property.name)
    } else if (property.required) return NONE
  }
  // Of a tool that requires nothing, and of which the prompt says nothing, all arguments are shown.
  if (filling.sparing && !place.byChance && unsaid.length < count)
    for (const name of unsaid.slice(Math.max(0, object.minProperties - count + unsaid.length))) {
      delete value[name]
      count--
    }
  // Properties left out at first are added after all when there are too few, the flattest first, unless
  // additional properties are flatter.
  const left =
    count >= object.minProperties
      ? []
      : object.properties
          .filter(({ name, node }) => !Object.hasOwn(value, name) && node.depth < Infinity)
          .sort((a, b) => a.node.depth - b.node.depth)
  for (const property of left) {
    if (count >= object.minProperties || property.node.depth > object.extra.depth) break
    put(property.name, property.node, property)
  }
  const isMap =
    object.properties.length === 0 && object.extraGiven && object.extra.depth < Infinity && !place.lean
  const wanted = Math.max(object.minProperties, isMap ? Math.min(2, object.maxProperties) : 0)
  for (let attempt = 0; count < wanted && object.extra.depth < Infinity && attempt < wanted + 20; attempt++) {
    const name = extraName(attempt, place, filling)
    if (
      !Object.hasOwn(value, name) &&
      !object.properties.some((property) => property.name === name) &&
      !put(name, object.extra, undefined) &&
      count >= object.minProperties
    )
      break
  }
  for (const property of left)
    if (count < object.minProperties && !Object.hasOwn(value, property.name))
      put(property.name, property.node, property)
  if (count >= object.minProperties) return value
  filling.obstacle ??= {
    path: shape.path,
    keyword: 'minProperties',
    what: `only ${count} properties could be filled; write at most that, or allow additionalProperties`,
  }
  return NONE
}

/** The pairs that the prompt gives for an object whose properties have no names. */
function givenPairs(object: ObjectShape, filling: Filling): { [key: string]: JsonValue } | undefined {
  const fitting = [...pairsFromPrompt(filling)].filter(([, value]) => fitsNode(object.extra, value, filling))
  if (fitting.length < Math.max(1, object.minProperties) || fitting.length > object.maxProperties)
    return undefined
  filling.found++
  return Object.fromEntries(fitting)
}

/** The place of a property's value. */
const within = (object: ObjectShape, name: string, naming: Naming, place: FillSite): FillSite => ({
  ...place,
  naming,
  parent: place.naming,
  within: object,
  depth: place.depth + 1,
  random: place.random.fork(name),
  shared: place.shared.fork(name),
  around: place.random,
})

/** The declared properties to fill, in their order. */
function chosen(
  { properties, maxProperties }: ObjectShape,
  place: FillSite,
  filling: Filling,
): readonly Property[] {
  let room = maxProperties
  if (room !== Infinity) for (const { required } of properties) if (required) room--
  return properties.filter(({ node, name, required }) => {
    if (required) return true
    if (node.depth === Infinity || room <= 0) return false
    const fits = place.byChance
      ? !place.lean && place.random.fork(`${name}?`).chance(1, 2)
      : place.depth <= DEEP && node.depth <= DEEP && !(place.lean && isEnding(node, filling))
    if (fits) room--
    return fits
  })
}

/** Whether a property is better left out: its value would recur, or the whole is large already. */
function isEnding(node: SchemaNode, filling: Filling): boolean {
  if (filling.parts > LIMITS.parts / 2 || filling.characters > LIMITS.characters / 2) return true
  return node.shapes.every((shape) => shape.depth === Infinity || isOpen(shape, filling))
}

function extraName(attempt: number, place: FillSite, { fakes }: Filling): string {
  const noun = fakes
    .word('noun', place.random.fork(`name ${attempt}`))
    .toLowerCase()
    .replace(/[^a-z]+/gu, '_')
  return attempt < 10 ? noun : `${noun}_${attempt}`
}

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
      return fillFlag(shape, place, accept)
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

function fillFlag(shape: ValueShape, place: FillSite, accept: Accept): boolean | typeof NONE {
  const example = shape.examples.find((one) => typeof one === 'boolean')
  const first = place.byChance ? place.random.fork('flag').chance(1, 2) : (example ?? true)
  for (const value of [first, !first]) if (accept === undefined || accept(value)) return value
  return NONE
}

/** An array of this shape, or `NONE`. */
function fillArray(shape: ValueShape, place: FillSite, filling: Filling): JsonValue[] | typeof NONE {
  const array = shape.array as ArrayShape
  filling.container = { path: shape.path, keyword: 'minItems' }
  const maxItems = maxFillable(array)
  if (array.minItems > maxItems) {
    filling.obstacle = {
      path: shape.path,
      keyword: 'minItems',
      what: `only ${maxItems} items can be filled; write at most that`,
    }
    return NONE
  }
  const wanted = place.byChance ? undefined : lengthFromPrompt(place, filling)
  const requested = wanted && place.random.fork('length').integer(wanted.least, wanted.most)
  const length = Math.min(
    maxItems,
    Math.max(array.minItems, requested ?? defaultLength(array, place, filling)),
  )
  const items: JsonValue[] = []
  const seen = new Set<string>()
  let allFromPrompt =
    requested === undefined && array.prefix.length === 0 && !place.lean && isFlat(array.rest)
  let fromPromptBefore = false
  for (
    let index = 0;
    index < length || (allFromPrompt && fromPromptBefore && index < Math.min(maxItems, 20));
    index++
  ) {
    const node = array.prefix[index] ?? array.rest
    // Only uniqueItems forbids equal items, but equal scalars read badly, so they are the last resort.
    const distinct = array.unique || isFlat(node)
    const random = place.random.fork(String(index))
    const inner = { ...place, index, depth: place.depth + 1, random, shared: place.random, around: random }
    const before = filling.used.length
    let item = filling.fill(
      node,
      inner,
      distinct && index > 0 ? (value) => !seen.has(jsonKey(value)) : undefined,
    )
    const fromPrompt = filling.used.length > before
    // What the prompt lists is the whole list: nothing invented is added.
    if (index > 0 && allFromPrompt && !fromPrompt && index >= array.minItems) break
    if (item === NONE && index >= array.minItems) break
    if (item === NONE && distinct && !array.unique) item = filling.fill(node, inner, undefined)
    if (item === NONE) {
      if (array.unique)
        filling.obstacle = {
          path: shape.path,
          keyword: 'uniqueItems',
          what:
            `fewer than ${array.minItems} different items were found; write a smaller minItems or wider ` +
            'items',
        }
      return NONE
    }
    allFromPrompt &&= fromPrompt
    fromPromptBefore = fromPrompt
    if (distinct) seen.add(jsonKey(item))
    items.push(item)
  }
  return items
}

/** The maximum number of items: less than maxItems when some position has no value. */
function maxFillable({ prefix, rest, maxItems }: ArrayShape): number {
  const dead = prefix.findIndex((node) => node.depth === Infinity)
  if (dead >= 0) return Math.min(maxItems, dead)
  return rest.depth === Infinity ? Math.min(maxItems, prefix.length) : maxItems
}

function defaultLength({ prefix, rest, minItems }: ArrayShape, place: FillSite, filling: Filling): number {
  if (place.byChance) return minItems + place.random.fork('length').integer(0, place.lean ? 0 : 3)
  if (prefix.length > 0) return prefix.length
  if (place.depth > DEEP || (place.lean && rest.shapes.every((shape) => isOpen(shape, filling))))
    return minItems
  if (place.lean) return Math.max(minItems, 1)
  return place.random.fork('length').integer(2, 3)
}

/** Whether all values of a node are scalars. */
function isFlat(node: SchemaNode): boolean {
  return node.shapes.every(
    (shape) => shape.values !== undefined || (shape.array === undefined && shape.object === undefined),
  )
}
