/** Fills a shape with a value of one of its types, or with one of its listed values. */

import type { ArrayShape, ObjectShape, Property, SchemaNode, ValueShape } from './clause.ts'
import { fillNumber } from './fill-number.ts'
import { fillText } from './fill-text.ts'
import {
  ANY,
  addCharacters,
  DEEP,
  type Filling,
  type FillSite,
  type FillTask,
  failed,
  isOpen,
  NONE,
} from './filling.ts'
import { fitsNode, lengthFromPrompt, pairsFromPrompt, valuesFromPrompt } from './from-prompt/values.ts'
import { cloneJson, type JsonValue, jsonKey, TYPE } from './json-value.ts'
import { type Naming, namingOf } from './property-naming.ts'
import { LIMITS } from './schema-rejection.ts'

type JsonObject = { [key: string]: JsonValue }

/** An object of this shape, or `NONE`. */
function fillObject(task: FillTask): JsonObject | typeof NONE {
  const { shape, place, filling } = task
  const object = shape.object as ObjectShape
  filling.container = { path: shape.path, keyword: 'required' }
  const { byChance } = place
  const pairs = object.properties.length === 0 && !byChance ? givenPairs(object, filling) : undefined
  if (pairs !== undefined) return pairs
  const isInvented = byChance || place.index > 0 || filling.objects-- < 1
  const said = isInvented ? undefined : valuesFromPrompt(object, filling)
  const value: JsonObject = {}
  let count = 0
  const put = (name: string, node: SchemaNode, naming: Naming): boolean => {
    const given = said?.get(name)
    if (given !== undefined) filling.found++
    const item =
      given ?? (given === null ? null : filling.fill(node, within(object, name, naming, place), ANY))
    if (item === NONE) return false
    addCharacters(task, 'required', name.length)
    value[name] = item
    count++
    return true
  }

  const unsaid: string[] = []
  for (const { name, node, naming, required } of chosen(object, place, filling)) {
    const before = filling.found
    if (put(name, node, naming)) {
      if (!required && filling.found === before) unsaid.push(name)
    } else if (required) return NONE
  }
  // If a tool requires nothing, and the prompt has no values for it, all arguments are filled.
  if (filling.sparing && !byChance && unsaid.length < count)
    for (const name of unsaid.slice(Math.max(0, object.minProperties - count + unsaid.length))) {
      delete value[name]
      count--
    }
  // If there are too few properties, omitted ones are added, the flattest first, unless additional properties
  // are flatter.
  const addDeclared = (maxDepth: number): void => {
    const left = object.properties.filter(
      ({ name, node }) => !Object.hasOwn(value, name) && node.depth < Infinity,
    )
    for (const { name, node, naming } of left.sort((a, b) => a.node.depth - b.node.depth))
      if (count < object.minProperties && node.depth <= maxDepth) put(name, node, naming)
  }
  if (count < object.minProperties) addDeclared(object.extra.depth)
  const isMap =
    object.properties.length === 0 && object.extraGiven && object.extra.depth < Infinity && !place.lean
  const wanted = Math.max(object.minProperties, isMap ? Math.min(2, object.maxProperties) : 0)
  const isDeclared = (name: string): boolean => object.properties.some((property) => property.name === name)
  for (let attempt = 0; count < wanted && object.extra.depth < Infinity && attempt < wanted + 20; attempt++) {
    const name = extraName(attempt, place, filling)
    if (Object.hasOwn(value, name) || isDeclared(name)) continue
    if (!put(name, object.extra, namingOf(name)) && count >= object.minProperties) break
  }
  if (count < object.minProperties) addDeclared(Infinity)
  if (count >= object.minProperties) return value
  filling.obstacle ??= {
    path: shape.path,
    keyword: 'minProperties',
    what: `only ${count} properties could be filled; write at most ${count}, or allow additionalProperties`,
  }
  return NONE
}

/** The pairs in the prompt for an object without declared properties. */
function givenPairs(object: ObjectShape, filling: Filling): JsonObject | undefined {
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

/** Whether to omit a property: its value would recur, or the whole value is already large. */
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
 * The types in the order of the schema. For a recurring place, flat types come first and end the recursion.
 */
export function typesInOrder(shape: ValueShape, place: FillSite, again: boolean): readonly number[] {
  const { types, array, object } = shape
  if (types.length === 1) return types
  // An untyped `limit` is a number.
  if (types.length > 4 && !place.byChance && COUNTS.has(place.naming.kind ?? ''))
    return [...types].sort((one, other) => Number(isNumber(other)) - Number(isNumber(one)))
  const maxDepth = Math.max(LIMITS.depth - place.depth, shape.depth)
  const live = types.filter((type) => {
    const deep = type === TYPE.array ? array : type === TYPE.object ? object : { depth: 0 }
    return deep !== undefined && deep.depth <= maxDepth && deep.depth < Infinity
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

const COUNTS: ReadonlySet<string> = new Set('count index age year port latitude longitude'.split(' '))
const isNumber = (type: number): boolean => (type & (TYPE.integer | TYPE.fraction)) !== 0

/** A value of one type of the shape, or `NONE`. */
export function fillType(type: number, task: FillTask): JsonValue | typeof NONE {
  switch (type) {
    case TYPE.null:
      return task.accept(null) ? null : NONE
    case TYPE.boolean:
      return fillFlag(task)
    case TYPE.string:
      return fillText(task)
    case TYPE.array:
      return fillComposite(fillArray, task)
    case TYPE.object:
      return fillComposite(fillObject, task)
    default:
      return fillNumber(task)
  }
}

/**
 * An array or an object, retried at random until it is accepted. An example is used if the prompt has no
 * values.
 */
function fillComposite(make: typeof fillArray | typeof fillObject, task: FillTask): JsonValue | typeof NONE {
  const { shape, place, accept, filling } = task
  const before = filling.used.length
  const tries = accept !== ANY || shape.array?.unique === true ? TRIES : 1
  for (let attempt = 0; attempt < tries; attempt++) {
    const value = make(attempt === 0 ? task : anotherTry(task, attempt))
    if (value !== NONE && attempt === 0 && filling.used.length === before && !place.byChance) {
      const isAlike = (one: JsonValue): boolean =>
        typeof one === 'object' &&
        one !== null &&
        Array.isArray(one) === (make === fillArray) &&
        Object.keys(one).length > 0
      const example = shape.examples.find(isAlike)
      if (example !== undefined && accept(example)) return cloneJson(example)
    }
    if (value !== NONE && accept(value)) return value
    filling.used.length = before
  }
  return NONE
}

const anotherTry = (task: FillTask, attempt: number): FillTask => ({
  ...task,
  place: { ...task.place, byChance: true, random: task.place.random.fork(`try ${attempt}`) },
})

/** One of the listed values, or `NONE`. */
export function fillChoice(values: readonly JsonValue[], task: FillTask): JsonValue | typeof NONE {
  const { shape, place, accept } = task
  if (!place.byChance && values.length > 1) {
    const example = shape.examples.find(accept)
    if (example !== undefined && example !== null) return cloneJson(example)
  }
  const start = place.random.fork('enum').integer(0, values.length - 1)
  for (const nullToo of place.byChance ? [true] : [false, true]) {
    for (let i = 0; i < values.length; i++) {
      const value = values[(start + i) % values.length] as JsonValue
      if ((nullToo || value !== null) && accept(value)) return cloneJson(value)
    }
  }
  return shape.excluded.length > 0
    ? NONE
    : failed(task, 'enum', 'other items already use all values; write more values')
}

function fillFlag({ shape, place, accept }: FillTask): boolean | typeof NONE {
  const example = shape.examples.find((one) => typeof one === 'boolean')
  const first = place.byChance ? place.random.fork('flag').chance(1, 2) : (example ?? true)
  return [first, !first].find(accept) ?? NONE
}

/** An array of this shape, or `NONE`. */
function fillArray(task: FillTask): JsonValue[] | typeof NONE {
  const { shape, place, filling } = task
  const array = shape.array as ArrayShape
  filling.container = { path: shape.path, keyword: 'minItems' }
  const maxItems = maxFillable(array)
  if (array.minItems > maxItems)
    return failed(task, 'minItems', `only ${maxItems} items can be filled; write at most ${maxItems}`)
  const wanted = place.byChance ? undefined : lengthFromPrompt(place, filling)
  const requested = wanted && place.random.fork('length').integer(wanted.least, wanted.most)
  const usual = Math.max(array.minItems, requested ?? defaultLength(array, place, filling))
  const length = Math.min(maxItems, usual)
  const items: JsonValue[] = []
  const seen = new Set<string>()
  let allFromPrompt =
    requested === undefined && array.prefix.length === 0 && !place.lean && isFlat(array.rest)
  let fromPrompt = false
  const goesOn = (index: number): boolean =>
    index < length || (allFromPrompt && fromPrompt && index < Math.min(maxItems, 20))
  for (let index = 0; goesOn(index); index++) {
    const node = array.prefix[index] ?? array.rest
    // Only uniqueItems forbids equal items. Equal scalars look unnatural, and are the last resort.
    const distinct = array.unique || isFlat(node)
    const random = place.random.fork(String(index))
    const inner = { ...place, index, depth: place.depth + 1, random, shared: place.random, around: random }
    const before = filling.used.length
    let item = filling.fill(node, inner, distinct && index > 0 ? (value) => !seen.has(jsonKey(value)) : ANY)
    fromPrompt = filling.used.length > before
    // A list in the prompt is complete: no invented items are added.
    if (index > 0 && allFromPrompt && !fromPrompt && index >= array.minItems) break
    if (item === NONE && index >= array.minItems) break
    if (item === NONE && distinct && !array.unique) item = filling.fill(node, inner, ANY)
    if (item === NONE) {
      const what =
        `fewer than ${array.minItems} different items were found; write a smaller minItems or less ` +
        'restrictive items'
      return array.unique ? failed(task, 'uniqueItems', what) : NONE
    }
    allFromPrompt &&= fromPrompt
    if (distinct) seen.add(jsonKey(item))
    items.push(item)
  }
  return items
}

/** The maximum number of items: less than maxItems if some position has no value. */
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
