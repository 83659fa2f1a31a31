/** Fills an array: as many items as the prompt asks for or lists, else two or three. */
import { DEEP, type Filling, type FillSite, isOpen, NONE } from './filling.ts'
import { itemsFromPrompt, lengthFromPrompt, partsFromPrompt } from './from-prompt/items.ts'
import { type JsonValue, jsonKey } from './json-value.ts'
import type { ArrayShape, SchemaNode, ValueShape } from './schema-node.ts'

/** An array of this shape, or `NONE`. */
export function fillArray(shape: ValueShape, place: FillSite, filling: Filling): JsonValue[] | typeof NONE {
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
  const given = place.byChance ? undefined : itemsFromPrompt(shape, place, wanted, filling)
  if (given !== undefined) return given
  const parts = place.byChance || place.lean ? [] : partsFromPrompt(array.rest, place, filling)
  const requested =
    parts.length > 1 ? parts.length : wanted && place.random.fork('length').integer(wanted.least, wanted.most)
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
    const { facts, used } = filling
    const part = parts.length > 1 ? parts[index] : undefined
    if (part !== undefined) {
      filling.facts = part
      filling.used = []
    }
    let item = filling.fill(
      node,
      inner,
      distinct && index > 0 ? (value) => !seen.has(jsonKey(value)) : undefined,
    )
    const fromPrompt = filling.used.length > before
    filling.facts = facts
    filling.used = used
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
