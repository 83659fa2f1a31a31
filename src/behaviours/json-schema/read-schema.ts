/**
 * Reads a JSON Schema (2020-12, the keywords of docs/scenarios/structured-output.md) into a graph for
 * filling.
 */
import type {
  Alternative,
  ArrayShape,
  Choice,
  Clause,
  ObjectShape,
  Obstacle,
  SchemaNode,
  ValueShape,
} from './clause.ts'
import { spend, type WorkBudget } from './conforms.ts'
import { TYPE } from './json-value.ts'
import { readClauses } from './read-clauses.ts'
import { emptyRoom, LIMITS, SchemaRejection, type SchemaRoom } from './schema-rejection.ts'
import { shapeOf } from './shapes.ts'

/**
 * Reads a schema. Throws `SchemaRejection` for a malformed or unsupported keyword, for a schema beyond the
 * limits, and for one that clearly allows no value (contradictory bounds, infinite required recursion).
 * Filling does not change the result: it can be kept and shared.
 */
export function readSchema(schema: unknown, room: SchemaRoom = emptyRoom()): SchemaNode {
  const root = readClauses(schema, room)
  const work: WorkBudget = { remaining: LIMITS.work }
  const known = new Map<string, SchemaNode>()
  const nodes: Building[] = []
  const waiting: Building[] = []
  const finite = new Set<Clause>()

  const node = (clauses: readonly Clause[], path: string): SchemaNode => {
    for (const clause of clauses) rejectEndlessReferences(clause, finite)
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
      throw new SchemaRejection(
        path,
        'allOf',
        `more than ${LIMITS.merged} combinations of schemas in total; write fewer allOf, anyOf or ` +
          '$ref keywords',
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
      // Enough alternatives: further combinations of nested anyOfs are ignored.
      return building.shapes.length < LIMITS.alternatives
    })
    building.obstacle ??= contradiction
  }

  settleDepths(nodes)
  if (made.depth === Infinity) throw rejectionFor(made)
  if (made.depth > LIMITS.depth)
    throw new SchemaRejection(
      '',
      '$ref',
      `every conforming value is nested at least ${made.depth} levels deep; write a schema that ` +
        `requires at most ${LIMITS.depth}`,
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

/** Sets `depth` of all nodes and shapes. `Infinity` means that there is no value. */
function settleDepths(nodes: readonly SchemaNode[]): void {
  for (let changed = true; changed; ) {
    changed = false
    // Later nodes are mostly deeper: the reverse order settles most of them in one round.
    for (let i = nodes.length - 1; i >= 0; i--) {
      const node = nodes[i] as SchemaNode
      let least = Infinity
      for (const shape of node.shapes) {
        shape.depth = shapeDepth(shape)
        if (shape.depth < least) least = shape.depth
      }
      if (least < node.depth) {
        node.depth = least
        changed = true
      }
    }
  }
}

function shapeDepth({ types, values, array, object }: ValueShape): number {
  if (array !== undefined) array.depth = arrayDepth(array)
  if (object !== undefined) object.depth = objectDepth(object)
  if (values !== undefined || types.some((type) => type !== TYPE.array && type !== TYPE.object)) return 0
  return Math.min(array?.depth ?? Infinity, object?.depth ?? Infinity)
}

function arrayDepth({ minItems, prefix, rest }: ArrayShape): number {
  let depth = minItems > prefix.length ? rest.depth : -1
  for (let i = 0; i < minItems && i < prefix.length; i++)
    depth = Math.max(depth, (prefix[i] as SchemaNode).depth)
  return 1 + depth
}

function objectDepth({ minProperties, properties, extra }: ObjectShape): number {
  let depth = -1
  let count = 0
  for (const property of properties) {
    if (!property.required) continue
    count++
    depth = Math.max(depth, property.node.depth)
  }
  const wanted = minProperties - count
  if (wanted <= 0) return 1 + depth
  // The flattest optional properties, or additional ones if they are flatter.
  const optional = properties
    .flatMap(({ required, node }) => (required ? [] : [node.depth]))
    .sort((a, b) => a - b)
  return 1 + Math.max(depth, Math.min(optional[wanted - 1] ?? Infinity, extra.depth))
}

/** The rejection of a node without a value: the first contradiction that was found. */
function rejectionFor(root: SchemaNode): SchemaRejection {
  const seen = new Set<SchemaNode>()
  for (let node: SchemaNode | undefined = root; node !== undefined && !seen.has(node); ) {
    seen.add(node)
    const shape: ValueShape | undefined = node.shapes[0]
    if (shape === undefined) {
      const { path, keyword, what } = node.obstacle ?? {
        path: node.path,
        keyword: 'anyOf',
        what: 'no branch can be satisfied',
      }
      return new SchemaRejection(path, keyword, what)
    }
    node = needed(shape).find((one) => one.depth === Infinity)
  }
  return new SchemaRejection(
    root.path,
    '$ref',
    'the recursion never ends, and no finite value conforms; make a property optional, allow ' +
      'null, or allow an empty array',
  )
}

function needed({ array, object }: ValueShape): readonly SchemaNode[] {
  if (array !== undefined)
    return array.minItems > array.prefix.length
      ? [...array.prefix, array.rest]
      : array.prefix.slice(0, array.minItems)
  if (object === undefined) return []
  const required = object.properties.filter((property) => property.required).map(({ node }) => node)
  return object.minProperties > required.length
    ? [...required, ...object.properties.map(({ node }) => node), object.extra]
    : required
}

/** The clauses, and those that their `$ref`s and `allOf`s add, each once. */
function closeReferences(clauses: readonly Clause[]): readonly Clause[] {
  if (clauses.length === 1 && clauses[0]?.all.length === 0) return clauses
  const seen = new Set<Clause>()
  const waiting = [...clauses].reverse()
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (seen.has(next)) continue
    seen.add(next)
    for (let i = next.all.length - 1; i >= 0; i--) waiting.push(next.all[i] as Clause)
  }
  return [...seen]
}

/**
 * Passes the alternatives of `clauses`, with resolved references, to `take` until it returns false. Returns
 * the first contradiction, if any.
 */
function eachAlternative(
  clauses: readonly Clause[],
  work: WorkBudget,
  take: (alternative: Alternative) => boolean,
): Obstacle | undefined {
  let obstacle: Obstacle | undefined

  /** Tries the choices from `index` on; false if enough were taken. */
  const go = (
    held: readonly Clause[],
    choices: readonly Choice[],
    index: number,
    excluded: readonly Clause[],
  ): boolean => {
    spend(work, held[0] ?? { path: '' }, held.length)
    if (choices.length > LIMITS.choices) {
      throw new SchemaRejection(
        held[0]?.path ?? '',
        choices[0]?.keyword ?? 'anyOf',
        `more than ${LIMITS.choices} anyOf and oneOf keywords apply to this value; write at most ` +
          String(LIMITS.choices),
      )
    }
    const types = typesOf(held)
    if (types === 0) {
      obstacle ??= contradiction(held)
      return true
    }
    const choice = choices[index]
    if (choice === undefined) return take({ clauses: held, excluded, types })
    return choice.branches.every((branch, turn) => {
      const others =
        choice.keyword === 'oneOf'
          ? [...excluded, ...choice.branches.filter((_, other) => other !== turn)]
          : excluded
      const grown = closeReferences([...held, branch])
      const added = grown.filter((clause) => !held.includes(clause)).flatMap((clause) => clause.choices)
      return go(grown, added.length === 0 ? choices : [...choices, ...added], index + 1, others)
    })
  }

  go(
    clauses,
    clauses.flatMap((clause) => clause.choices),
    0,
    [],
  )
  return obstacle
}

function typesOf(clauses: readonly Clause[]): number {
  let types: number = TYPE.any
  for (const clause of clauses) types &= clause.never ? 0 : clause.types
  return types
}

function contradiction(clauses: readonly Clause[]): Obstacle {
  const never = clauses.find((clause) => clause.never)
  if (never !== undefined)
    return {
      path: never.path,
      keyword: 'false',
      what: 'the schema false allows no value; write a schema that allows a value',
    }
  const typed = clauses.filter((clause) => clause.types !== TYPE.any)
  return {
    path: typed.at(-1)?.path ?? '',
    keyword: 'type',
    what: 'the schemas for this value have no common type; write overlapping types',
  }
}

/**
 * Rejects schemas that refer to themselves at the same place: validators never finish with them. `seen` has
 * the clauses that were checked already.
 */
function rejectEndlessReferences(root: Clause, seen: Set<Clause>): void {
  const open = new Set<Clause>()
  const visit = (clause: Clause, depth: number): void => {
    if (seen.has(clause)) return
    if (open.has(clause))
      throw new SchemaRejection(
        clause.path,
        '$ref',
        'the schema refers to itself without a property or item in between; move the recursion into a ' +
          'property or item',
      )
    if (depth > LIMITS.depth)
      throw new SchemaRejection(
        clause.path,
        '$ref',
        `more than ${LIMITS.depth} references in a row; refer to the last schema directly`,
      )
    open.add(clause)
    for (const part of clause.all) visit(part, depth + 1)
    for (const choice of clause.choices) for (const branch of choice.branches) visit(branch, depth + 1)
    open.delete(clause)
    seen.add(clause)
  }
  visit(root, 0)
}
