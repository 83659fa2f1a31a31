/**
 * The JSON Schemas of one call: read once, rejected with their path in the request, filled for each response.
 */
import { BoundedMap } from '../../engine/bounded-map.ts'
import type { Random } from '../../engine/random.ts'
import type { Facilities } from '../../protocol/endpoint.ts'
import { ApiError } from '../../protocol/errors.ts'
import type { PromptFacts } from '../prompt/facts.ts'
import type { SchemaNode, ValueShape } from './clause.ts'
import { conforms, spend } from './conforms.ts'
import type { Fakes } from './fakes.ts'
import { fillChoice, fillType, typesInOrder } from './fill-value.ts'
import {
  type Accept,
  ANY,
  DEEP,
  type Filling,
  type FillSite,
  type FillTask,
  failed,
  isOpen,
  NONE,
  tooLarge,
} from './filling.ts'
import { mentionedIn } from './from-prompt/fields.ts'
import { type JsonValue, TYPE } from './json-value.ts'
import { UNNAMED } from './property-naming.ts'
import { readSchema } from './read-schema.ts'
import { emptyRoom, LIMITS, SchemaRejection } from './schema-rejection.ts'

/** Fills a schema with a conforming value that uses the facts of the prompt. */
export type { JsonValue } from './json-value.ts'

/**
 * A value that conforms to the schema. The same node, facts and key of `random` give the same value.
 * A `sparing` value omits optional properties without facts.
 * Throws `SchemaRejection`, which names the keyword, if no conforming value of moderate size is found.
 */
export function fillSchema(
  node: SchemaNode,
  from: { random: Random; facts: PromptFacts; fakes: Fakes; sparing?: boolean },
): JsonValue {
  const filling: Filling = {
    facts: from.facts,
    fakes: from.fakes,
    kinds: node.kinds,
    used: [],
    found: 0,
    lists: 3,
    objects: 100,
    sparing: from.sparing ?? false,
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
    within: undefined,
    index: 0,
    depth: 0,
    random: from.random,
    shared: from.random,
    around: from.random,
    byChance: false,
    lean: false,
  }
  const value = fillNode(node, root, ANY, filling)
  if (value !== NONE) return value
  const { path, keyword, what } = filling.obstacle ?? {
    path: node.path,
    keyword: 'schema',
    what: 'no conforming value was found; write a less restrictive schema',
  }
  throw new SchemaRejection(path, keyword, what)
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
  for (const shape of shapesInOrder(node, here, filling)) {
    const value = fillShape({ shape, place: here, accept, filling })
    if (value !== NONE) return value
  }
  if (node.shapes.length === 0) filling.obstacle ??= node.obstacle
  return NONE
}

/** The shapes that have a value, in the order in which they are tried. */
function shapesInOrder(node: SchemaNode, place: FillSite, filling: Filling): readonly ValueShape[] {
  if (node.shapes.length === 1 && node.depth < Infinity) return node.shapes
  const maxDepth = Math.max(LIMITS.depth - place.depth, node.depth)
  const live = node.shapes.filter((shape) => shape.depth <= maxDepth && shape.depth < Infinity)
  if (live.length < 2) return live
  const random = place.random.fork('anyOf')
  const score = (shape: ValueShape): number => {
    if (place.depth > DEEP) return -shape.depth
    if (place.byChance) return random.next()
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

/** How often the prompt mentions the values or properties of a shape. */
function relevance(shape: ValueShape, filling: Filling): number {
  if (shape.values !== undefined) return mentionedIn(shape.values, filling.facts.own).length > 0 ? 2 : 0
  let points = 0
  for (const { node, naming, required } of shape.object?.properties ?? []) {
    const values = node.shapes.length === 1 ? node.shapes[0]?.values : undefined
    if (required && values !== undefined && mentionedIn(values, filling.facts.own).length > 0) points += 3
    else if (naming.words.some((word) => filling.facts.words.includes(word))) points += 1
  }
  return Math.min(points, 6)
}

function fillShape(outer: FillTask): JsonValue | typeof NONE {
  const { shape, filling } = outer
  spend(filling.work, shape)
  if (++filling.parts > LIMITS.parts)
    throw tooLarge(filling.container.path, filling.container.keyword, 'parts')
  const most = 2 * LIMITS.depth
  if (outer.place.depth > most)
    return failed(
      outer,
      '$ref',
      `the value would be nested more than ${most} levels deep; write a schema with less nesting`,
    )
  const { excluded } = shape
  const accept: Accept =
    excluded.length === 0
      ? outer.accept
      : (value) => outer.accept(value) && !excluded.some((branch) => conforms(branch, value, filling.work))
  const again = isOpen(shape, filling)
  const place = again && !outer.place.lean ? { ...outer.place, lean: true } : outer.place
  const task: FillTask = { shape, place, accept, filling }

  if (shape.values !== undefined) return fillChoice(shape.values, task)
  for (const { id } of shape.clauses) filling.open.set(id, (filling.open.get(id) ?? 0) + 1)
  const before = filling.used.length
  try {
    for (const type of typesInOrder(shape, place, again)) {
      const value = fillType(type, task)
      if (value !== NONE) return value
      filling.used.length = before
    }
  } finally {
    for (const { id } of shape.clauses) filling.open.set(id, (filling.open.get(id) as number) - 1)
  }
  if (excluded.length === 0) return NONE
  return failed(
    outer,
    'oneOf',
    'no value was found that matches exactly one branch; write branches that exclude each other, for ' +
      'example with a const property',
  )
}

export interface Schemas {
  /** The parsed schema at `path` in the request, cached. Throws a 400 for an unsupported schema. */
  node(schema: unknown, path: string): SchemaNode
  /** A conforming value. Throws a 400 for a schema that has none or is unsupported. */
  fill(
    schema: unknown,
    path: string,
    from: {
      readonly facts: PromptFacts
      readonly random: Random
      readonly fakes: Fakes
      readonly sparing?: boolean
    },
  ): JsonValue
}

/** A parsed schema and the number of its subschemas. */
interface Reading {
  readonly node: SchemaNode
  readonly count: number
}
/** The maximum characters in the cache, per schema and in total. */
const maxKept = { each: 20_000, all: 200_000 }

/** The schemas of a call, still unread. `shared` has those of earlier calls, by their JSON. */
export function createSchemas(shared: Facilities = {}): Schemas {
  const known = new Map<unknown, SchemaNode>()
  const room = emptyRoom()
  const kept = (shared.schemas ??= new BoundedMap({ size: maxKept.all })) as BoundedMap<Reading>

  const readNew = (schema: unknown): SchemaNode => {
    const text = JSON.stringify(schema) ?? ''
    const earlier = kept.use(text)
    if (earlier !== undefined && earlier.count <= room.left) {
      room.left -= earlier.count
      return earlier.node
    }
    const before = room.left
    const node = readSchema(schema, room)
    if (text.length <= maxKept.each) kept.set(text, { node, count: before - room.left }, text.length)
    return node
  }
  const node = (schema: unknown, path: string): SchemaNode => {
    const before = known.get(schema)
    if (before !== undefined) return before
    const read = rejectingAt(path, () => readNew(schema))
    known.set(schema, read)
    return read
  }
  return {
    node,
    fill(schema, path, from) {
      const read = node(schema, path)
      return rejectingAt(path, () => fillSchema(read, from))
    },
  }
}

function rejectingAt<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof SchemaRejection)) throw error
    // The message of a SchemaRejection begins with the path and keyword inside the schema.
    throw new ApiError('invalid_request_error', `Invalid schema at \`${path}\`: ${error.message}.`, {
      param: error.path === '' ? path : `${path}.${error.path}`,
    })
  }
}
