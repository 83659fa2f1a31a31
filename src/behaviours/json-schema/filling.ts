/** The state of filling one schema: the place, what has been used, the remaining budget. */
import type { Random } from '../../engine/random.ts'
import type { PromptFacts } from '../prompt/facts.ts'
import type { ObjectShape, Obstacle, SchemaNode, ValueShape } from './clause.ts'
import type { WorkBudget } from './conforms.ts'
import type { Fakes } from './fakes.ts'
import type { JsonValue } from './json-value.ts'
import type { Naming } from './property-naming.ts'
import { LIMITS, SchemaRejection } from './schema-rejection.ts'

export interface Filling {
  /** Of the prompt; while an item of a list in it is filled, of that item. */
  facts: PromptFacts
  readonly fakes: Fakes
  /**
   * The kinds of thing that the whole schema has properties for: a plain `name` leaves people to
   * `participants`.
   */
  readonly kinds: ReadonlySet<string>
  /** The used parts of the prompt, in order; truncated when a value is discarded. */
  used: { readonly from: unknown; readonly at: number; readonly end: number; readonly part: string }[]
  /** How many more lists of objects are looked for in the prompt. */
  lists: number
  /** How many more objects are filled from the prompt: lists in lists in lists have thousands. */
  objects: number
  /** How many values were found in the facts. */
  found: number
  /** Leave out optional properties for which nothing is found, as a model does in the arguments of a tool. */
  readonly sparing: boolean
  /** How often each clause is being filled above this place. */
  readonly open: Map<number, number>
  readonly work: WorkBudget
  parts: number
  characters: number
  /** The array or object that is being filled, to name when the value grows too large. */
  container: { readonly path: string; readonly keyword: string }
  /** The reason why the last value was not found. */
  obstacle: Obstacle | undefined
  fill(node: SchemaNode, place: FillSite, accept: Accept): JsonValue | typeof NONE
}

/** The place of a value. */
export interface FillSite {
  readonly naming: Naming
  /** The naming of the object or array that contains the value. */
  readonly parent: Naming
  /** The object that contains the value, or the array of which it is an item. */
  readonly within: ObjectShape | undefined
  /** The index of the item that the value is or belongs to; 0 outside of arrays. */
  readonly index: number
  readonly depth: number
  readonly random: Random
  /** The same for this place in all items of the array: together with `index` it gives different texts. */
  readonly shared: Random
  /** The random source of the containing object, for siblings that belong together (first name, email). */
  readonly around: Random
  /** Choose at random from everything that conforms, instead of what reads best: for second tries. */
  readonly byChance: boolean
  /** Leave out optional parts: the place recurs, or the value is deep or large already. */
  readonly lean: boolean
}

/** Beyond this many levels, only the least deep value of each place is filled. */
export const DEEP = 24

/** A further condition beside conforming: unequal to other items, not conforming to another branch. */
export type Accept = (value: JsonValue) => boolean
export const ANY: Accept = () => true

/** The result when no value was found. */
export const NONE = Symbol('no conforming value')

/** A shape to be filled at a place. */
export interface FillTask {
  readonly shape: ValueShape
  readonly place: FillSite
  readonly accept: Accept
  readonly filling: Filling
}

/** Records why no value was found for a shape. */
export function failed({ shape, filling }: FillTask, keyword: string, what: string): typeof NONE {
  filling.obstacle = { path: shape.path, keyword, what }
  return NONE
}

/** Counts the characters of a value; throws when they are too many. */
export function addCharacters({ shape, filling }: FillTask, keyword: string, count: number): void {
  filling.characters += count
  if (filling.characters > LIMITS.characters) throw tooLarge(shape.path, keyword, 'characters')
}

export const tooLarge = (path: string, keyword: string, unit: 'characters' | 'parts'): SchemaRejection =>
  new SchemaRejection(
    path,
    keyword,
    `the value would have more than ${LIMITS[unit]} ${unit === 'parts' ? 'items and properties' : unit}; ` +
      'write a schema for a smaller value',
  )

/** Whether this shape is being filled already, so that filling it again would be recursion. */
export function isOpen(shape: ValueShape, { open }: Filling): boolean {
  if (shape.array === undefined && shape.object === undefined) return false
  return shape.clauses.some((clause) => (open.get(clause.id) ?? 0) > 0)
}
