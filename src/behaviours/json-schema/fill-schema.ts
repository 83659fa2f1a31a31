/**
 * Fills a schema with a conforming value that takes over what the prompt says; knows nothing of chat, tools
 * or replies.
 */
import type { Random } from '../../engine/random.ts'
import { conforms, spend } from './conforms.ts'
import type { Fakes } from './fakes.ts'
import { fillArray } from './fill-array.ts'
import { fillNumber } from './fill-number.ts'
import { fillObject } from './fill-object.ts'
import { fillText } from './fill-text.ts'
import { type Accept, DEEP, type Filling, type FillSite, isOpen, NONE } from './filling.ts'
import { cloneJson, type JsonValue } from './json-value.ts'
import { LIMITS } from './limits.ts'
import { choiceFromPrompt, isMentioned } from './prompt/choices.ts'
import type { PromptFacts } from './prompt/facts.ts'
import { flagFromPrompt } from './prompt/numbers.ts'
import { UNNAMED } from './property-naming.ts'
import type { SchemaNode, ValueShape } from './schema-node.ts'
import { SchemaRefusal } from './schema-refusal.ts'
import { TYPE } from './types.ts'

export type { JsonValue } from './json-value.ts'

/**
 * A value that conforms to the schema. The same node, facts and key of `random` give the same value; `turn`
 * (0 unless given) counts draws over the same prompt, so that a second tool call takes the second city.
 * Throws `SchemaRefusal`, naming the keyword, when no conforming value is found or the value would be too
 * large.
 */
export function fillSchema(
  node: SchemaNode,
  from: { random: Random; facts: PromptFacts; fakes: Fakes; turn?: number },
): JsonValue {
  const filling: Filling = {
    facts: from.facts,
    fakes: from.fakes,
    kinds: node.kinds,
    turn: from.turn ?? 0,
    used: [],
    open: new Map(),
    work: { remaining: LIMITS.filling },
    parts: 0,
    characters: 0,
    container: { path: node.path, keyword: 'type' },
    obstacle: undefined,
    fill: (inner, place, accept) => fillNode(inner, place, accept, filling),
  }
  const root: FillSite = {
    naming: UNNAMED,
    parent: UNNAMED,
    index: 0,
    depth: 0,
    random: from.random,
    shared: from.random,
    around: from.random,
    wild: false,
    lean: false,
  }
  const value = fillNode(node, root, undefined, filling)
  if (value !== NONE) return value
  const { path, keyword, what } = filling.obstacle ?? {
    path: node.path,
    keyword: 'schema',
    what: 'no conforming value was found; write a less narrow schema',
  }
  throw new SchemaRefusal(path, keyword, what)
}

function fillNode(
  node: SchemaNode,
  place: FillSite,
  accept: Accept,
  filling: Filling,
): JsonValue | typeof NONE {
  const lean =
    place.lean ||
    place.depth > DEEP ||
    filling.parts > LIMITS.parts / 2 ||
    filling.characters > LIMITS.characters / 2
  const here = lean === place.lean ? place : { ...place, lean }
  for (const shape of inOrder(node, here, filling)) {
    const value = fillShape(shape, here, accept, filling)
    if (value !== NONE) return value
  }
  if (node.shapes.length === 0) filling.obstacle ??= node.obstacle
  return NONE
}

/** The shapes that have a value, the one to try first at the front. */
function inOrder(node: SchemaNode, place: FillSite, filling: Filling): readonly ValueShape[] {
  if (node.shapes.length === 1 && node.depth < Infinity) return node.shapes
  const most = Math.max(LIMITS.depth - place.depth, node.depth)
  const live = node.shapes.filter((shape) => shape.depth <= most && shape.depth < Infinity)
  if (live.length < 2) return live
  const random = place.random.fork('anyOf')
  const score = (shape: ValueShape): number => {
    if (place.depth > DEEP) return -shape.depth
    if (place.wild) return random.next()
    const again = place.lean && isOpen(shape, filling) ? -100 - shape.depth : 0
    return (
      again +
      (shape.types.length === 1 && shape.types[0] === TYPE.null ? -50 : 0) +
      relevance(shape, filling) +
      random.next() / 2
    )
  }
  return live
    .map((shape) => ({ shape, score: score(shape) }))
    .sort((a, b) => b.score - a.score)
    .map(({ shape }) => shape)
}

/**
 * How much the prompt speaks of a shape: of its values, of the values that tell it from others, of its
 * properties.
 */
function relevance(shape: ValueShape, filling: Filling): number {
  if (shape.values !== undefined) return isMentioned(shape.values, filling) ? 2 : 0
  let points = 0
  for (const { node, naming, required } of shape.object?.properties ?? []) {
    const values = node.shapes.length === 1 ? node.shapes[0]?.values : undefined
    if (required && values !== undefined && isMentioned(values, filling)) points += 3
    else if (naming.words.some((word) => filling.facts.words.includes(word))) points += 1
  }
  return Math.min(points, 6)
}

const TRIES = 30

function fillShape(
  shape: ValueShape,
  outer: FillSite,
  outerAccept: Accept,
  filling: Filling,
): JsonValue | typeof NONE {
  spend(filling.work, shape)
  if (++filling.parts > LIMITS.parts) {
    const { path, keyword } = filling.container
    throw new SchemaRefusal(
      path,
      keyword,
      `the value would have more than ${LIMITS.parts} parts; write a schema that asks for less`,
    )
  }
  if (outer.depth > 2 * LIMITS.depth) {
    filling.obstacle = {
      path: shape.path,
      keyword: '$ref',
      what: `the value would be nested more than ${2 * LIMITS.depth} levels deep; write a schema that can end sooner`,
    }
    return NONE
  }
  const { excluded } = shape
  const accept: Accept =
    excluded.length === 0
      ? outerAccept
      : (value) =>
          (outerAccept === undefined || outerAccept(value)) &&
          !excluded.some((branch) => conforms(branch, value, filling.work))
  const again = isOpen(shape, filling)
  const place = again && !outer.lean ? { ...outer, lean: true } : outer

  if (shape.values !== undefined) return fillChoice(shape.values, shape, place, accept, filling)
  for (const { id } of shape.clauses) filling.open.set(id, (filling.open.get(id) ?? 0) + 1)
  const before = filling.used.length
  try {
    for (const type of typesInOrder(shape, place, again)) {
      const value = fillType(type, shape, place, accept, filling)
      if (value !== NONE) return value
      filling.used.length = before
    }
  } finally {
    for (const { id } of shape.clauses) filling.open.set(id, (filling.open.get(id) as number) - 1)
  }
  if (excluded.length > 0)
    filling.obstacle = {
      path: shape.path,
      keyword: 'oneOf',
      what: 'no value was found for which exactly one branch holds; write branches that exclude each other, for example by a const property',
    }
  return NONE
}

/** As read; when the place came round again what is flat first, so that recursion ends. */
function typesInOrder(shape: ValueShape, place: FillSite, again: boolean): readonly number[] {
  const { types, array, object } = shape
  if (types.length === 1) return types
  const most = Math.max(LIMITS.depth - place.depth, shape.depth)
  const live = types.filter((type) => {
    const depth =
      type === TYPE.array
        ? (array?.depth ?? Infinity)
        : type === TYPE.object
          ? (object?.depth ?? Infinity)
          : 0
    return depth <= most && depth < Infinity
  })
  if (place.wild && place.depth <= DEEP)
    return live
      .map((type) => ({ type, at: place.random.fork(`type ${type}`).next() }))
      .sort((a, b) => a.at - b.at)
      .map(({ type }) => type)
  const isDeep = (type: number): boolean => type === TYPE.array || type === TYPE.object
  return again || place.depth > DEEP
    ? [...live.filter((type) => !isDeep(type)), ...live.filter(isDeep)]
    : live
}

function fillType(
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
 * An array or an object, tried again by chance while it is not accepted. An example is used when the prompt
 * gave nothing.
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
      attempt === 0 ? place : { ...place, wild: true, random: place.random.fork(`try ${attempt}`) },
      filling,
    )
    if (value !== NONE && attempt === 0 && filling.used.length === before && !place.wild) {
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

function fillChoice(
  values: readonly JsonValue[],
  shape: ValueShape,
  place: FillSite,
  accept: Accept,
  filling: Filling,
): JsonValue | typeof NONE {
  const good = (value: JsonValue): boolean => accept === undefined || accept(value)
  const random = place.random.fork('enum')
  if (!place.wild && values.length > 1) {
    const spoken = choiceFromPrompt(values, place.naming, filling, good)
    if (spoken !== undefined) return cloneJson(spoken)
    const example = shape.examples.find(good)
    if (example !== undefined && example !== null) return cloneJson(example)
  }
  const start = random.integer(0, values.length - 1)
  for (const nullToo of place.wild ? [true] : [false, true]) {
    for (let i = 0; i < values.length; i++) {
      const value = values[(start + i) % values.length] as JsonValue
      if ((nullToo || value !== null) && good(value)) return cloneJson(value)
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
  const first = place.wild
    ? place.random.fork('flag').chance(1, 2)
    : (flagFromPrompt(place.naming, filling.facts) ?? example ?? true)
  for (const value of [first, !first]) if (accept === undefined || accept(value)) return value
  return NONE
}
