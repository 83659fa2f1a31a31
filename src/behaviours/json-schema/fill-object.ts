/**
 * Fills an object: all declared properties in their order, fewer where recursion has to end or the prompt
 * says nothing of an optional argument, more where minProperties requires it.
 */
import { DEEP, type Filling, type FillSite, isOpen, NONE } from './filling.ts'
import { jsonFromPrompt, objectFromPrompt } from './from-prompt/json.ts'
import type { JsonValue } from './json-value.ts'
import { LIMITS } from './limits.ts'
import { type Naming, namingOf } from './property-naming.ts'
import type { ObjectShape, Property, SchemaNode, ValueShape } from './schema-node.ts'
import { SchemaRefusal } from './schema-refusal.ts'

/** An object of this shape, or `NONE`. */
export function fillObject(
  shape: ValueShape,
  place: FillSite,
  filling: Filling,
): { [key: string]: JsonValue } | typeof NONE {
  const object = shape.object as ObjectShape
  filling.container = { path: shape.path, keyword: 'required' }
  const whole = place.byChance ? undefined : objectFromPrompt(shape, filling)
  if (whole !== undefined) {
    filling.found++
    return whole
  }
  const value: { [key: string]: JsonValue } = {}
  let count = 0
  const put = (name: string, node: SchemaNode, property: Property | undefined): boolean => {
    const naming = property?.naming ?? namingOf(name)
    const inner = within(object, name, naming, place)
    const given = place.byChance ? undefined : jsonFromPrompt(name, naming, node, filling)
    if (given !== undefined) filling.found++
    const item = given ?? filling.fill(node, inner, undefined)
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
