/**
 * What one filling of a schema carries along: where it stands, what it has used up, what it may still spend.
 */
import type { Random } from '../../engine/random.ts'
import type { WorkBudget } from './conforms.ts'
import type { Fakes } from './fakes.ts'
import type { JsonValue } from './json-value.ts'
import type { PromptFacts } from './prompt/facts.ts'
import type { Naming } from './property-naming.ts'
import type { Obstacle, SchemaNode, ValueShape } from './schema-node.ts'

export interface Filling {
  readonly facts: PromptFacts
  readonly fakes: Fakes
  /**
   * Kinds of thing that the whole schema has properties for: a plain `name` leaves people to `participants`.
   */
  readonly kinds: ReadonlySet<string>
  /** How many draws over the same prompt came before: the second takes the second city. */
  readonly turn: number
  /** What was taken from the prompt so far, in order; cut back when a value is given up. */
  readonly used: string[]
  /** How often each clause is open above the present place. */
  readonly open: Map<number, number>
  readonly work: WorkBudget
  parts: number
  characters: number
  /** The array or object that is being filled, to be named when the value grows too large. */
  container: { readonly path: string; readonly keyword: string }
  /** Why the latest value could not be found. */
  obstacle: Obstacle | undefined
  fill(node: SchemaNode, place: FillSite, accept: Accept): JsonValue | typeof NONE
}

/** Where a value goes. */
export interface FillSite {
  readonly naming: Naming
  /** Of the object, or the array, that the value stands in. */
  readonly parent: Naming
  /** Position of the item that the value is or stands in; 0 outside of arrays. */
  readonly index: number
  readonly depth: number
  readonly random: Random
  /** The same for this place in all items of the array: with `index` it makes texts that differ. */
  readonly shared: Random
  /**
   * Of the object that the value stands in: siblings that belong together (first name, email) draw from it.
   */
  readonly around: Random
  /** Draw by chance from all that conforms instead of choosing what reads best: for second tries. */
  readonly byChance: boolean
  /** Leave out what would go on: the place came round again, or the value is deep or large already. */
  readonly lean: boolean
}

/** Beyond this many levels only the least deep value of each place is filled. */
export const DEEP = 24

/**
 * Whether a value will do beyond conforming: not equal to another item, not held by another branch.
 * Undefined: every value will.
 */
export type Accept = ((value: JsonValue) => boolean) | undefined

/** No value was found. */
export const NONE = Symbol('no conforming value')

/** Whether filling stands inside this shape already, so that filling it once more would be recursion. */
export function isOpen(shape: ValueShape, { open }: Filling): boolean {
  if (shape.array === undefined && shape.object === undefined) return false
  return shape.clauses.some((clause) => (open.get(clause.id) ?? 0) > 0)
}
