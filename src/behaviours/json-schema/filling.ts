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
  /** The facts of the prompt; while an item of its list is filled, those of the item. */
  facts: PromptFacts
  readonly fakes: Fakes
  /**
   * The kinds that the properties of the whole schema have: if there are `participants`, a plain `name` is
   * not a person's.
   */
  readonly kinds: ReadonlySet<string>
  /** The used parts of the prompt, in order. Discarding a value truncates it. */
  used: { readonly from: unknown; readonly at: number; readonly end: number; readonly part: string }[]
  /** The remaining searches for lists of objects in the prompt. */
  lists: number
  /** The remaining objects to fill from the prompt: nested lists can have thousands. */
  objects: number
  /** The number of values found in the facts. */
  found: number
  /** Whether to omit optional properties without a fact, as a model does in the arguments of a tool. */
  readonly sparing: boolean
  /** How often each clause is already being filled above this place. */
  readonly open: Map<number, number>
  readonly work: WorkBudget
  parts: number
  characters: number
  /** The array or object that is being filled, for the error if the value grows too large. */
  container: { readonly path: string; readonly keyword: string }
  /** Why the last value was not found. */
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
  /** The index of the value's array item; 0 outside of arrays. */
  readonly index: number
  readonly depth: number
  readonly random: Random
  /** Equal for this place in all items of the array; with `index`, it gives different strings. */
  readonly shared: Random
  /** The random source of the containing object, for siblings that belong together (first name, email). */
  readonly around: Random
  /** Whether to choose at random among all conforming values, not the best one: for second tries. */
  readonly byChance: boolean
  /** Whether to omit optional parts: the place recurs, or the value is already deep or large. */
  readonly lean: boolean
}

/** Below this level, each place gets its flattest value. */
export const DEEP = 24

/** An additional condition: unequal to other items, or not conforming to another branch. */
export type Accept = (value: JsonValue) => boolean
export const ANY: Accept = () => true

/** The result if no value was found. */
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

/** Counts the characters of a value. Throws if there are too many. */
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

/** Whether this shape is already being filled: filling it again would be recursion. */
export function isOpen(shape: ValueShape, { open }: Filling): boolean {
  if (shape.array === undefined && shape.object === undefined) return false
  return shape.clauses.some((clause) => (open.get(clause.id) ?? 0) > 0)
}
