/**
 * Reads a JSON Schema (2020-12, the keywords of docs/decisions/structured-output.md) into a graph for
 * filling.
 */
import type { Clause } from './clause.ts'
import type { WorkBudget } from './conforms.ts'
import { emptyRoom, LIMITS, type SchemaRoom } from './limits.ts'
import { readClauses } from './read-clauses.ts'
import type { Obstacle, SchemaNode, ValueShape } from './schema-node.ts'
import { SchemaRefusal } from './schema-refusal.ts'
import { refusalFor, settleDepths } from './settle-depths.ts'
import { shapeOf } from './shapes.ts'
import { closeReferences, eachAlternative, refuseEndlessReferences } from './take-together.ts'

export type { SchemaNode } from './schema-node.ts'
export { SchemaRefusal } from './schema-refusal.ts'

/**
 * Reads a schema. Throws `SchemaRefusal` for a malformed or unsupported keyword, for a schema beyond the
 * limits, and for one that obviously allows no value (contradicting bounds, infinite required recursion).
 * Filling does not change the result, which may be kept and shared.
 */
export function readSchema(schema: unknown, room: SchemaRoom = emptyRoom()): SchemaNode {
  const root = readClauses(schema, room)
  const work: WorkBudget = { remaining: LIMITS.work }
  const known = new Map<string, SchemaNode>()
  const nodes: Building[] = []
  const waiting: Building[] = []
  const finite = new Set<Clause>()

  const node = (clauses: readonly Clause[], path: string): SchemaNode => {
    for (const clause of clauses) refuseEndlessReferences(clause, finite)
    const together = closeReferences(clauses)
    const key =
      together.length === 1
        ? String(together[0]?.id)
        : together
            .map((clause) => clause.id)
            .sort((a, b) => a - b)
            .join()
    const before = known.get(key)
    if (before !== undefined) return before
    if (known.size >= LIMITS.merged)
      throw new SchemaRefusal(
        path,
        'allOf',
        `more than ${LIMITS.merged} combinations of schemas hold at one place or another; write fewer ` +
          'allOf, anyOf and $ref',
      )
    const made: Building = {
      path: clauses[0]?.path ?? path,
      shapes: [],
      depth: Infinity,
      obstacle: undefined,
      kinds: NO_KINDS,
      clauses: together,
    }
    known.set(key, made)
    nodes.push(made)
    waiting.push(made)
    return made
  }

  const made = node([root], '')
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const building = next
    const contradiction = eachAlternative(building.clauses, work, (alternative) => {
      const shape = shapeOf(alternative, building.path, { work, node })
      if ('keyword' in shape) building.obstacle ??= shape
      else building.shapes.push(shape)
      // Enough to choose from; further products of nested anyOfs are ignored.
      return building.shapes.length < LIMITS.alternatives
    })
    building.obstacle ??= contradiction
  }

  settleDepths(nodes)
  if (made.depth === Infinity) throw refusalFor(made)
  if (made.depth > LIMITS.depth)
    throw new SchemaRefusal(
      '',
      '$ref',
      `every conforming value is nested at least ${made.depth} levels deep; write a schema that needs at ` +
        `most ${LIMITS.depth}`,
    )
  const kinds = new Set<string>()
  for (const { shapes } of nodes)
    for (const { object } of shapes)
      for (const { naming } of object?.properties ?? []) if (naming.kind !== undefined) kinds.add(naming.kind)
  made.kinds = kinds
  return made
}

interface Building extends SchemaNode {
  shapes: ValueShape[]
  obstacle: Obstacle | undefined
  readonly clauses: readonly Clause[]
}

const NO_KINDS: ReadonlySet<string> = new Set()
