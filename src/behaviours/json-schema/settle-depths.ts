/**
 * Computes the depth of the least deep value of each node, by which recursion ends, and why there is none.
 */
import type { ArrayShape, ObjectShape, SchemaNode, ValueShape } from './schema-node.ts'
import { SchemaRefusal } from './schema-refusal.ts'
import { TYPE } from './types.ts'

/** Sets `depth` on all nodes and shapes; what stays at `Infinity` has no value at all. */
export function settleDepths(nodes: readonly SchemaNode[]): void {
  for (let changed = true; changed; ) {
    changed = false
    // Later nodes are mostly deeper, so going backwards settles most of them in one round.
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
  // The flattest optional properties, or additional ones where those are flatter.
  const optional = properties
    .flatMap(({ required, node }) => (required ? [] : [node.depth]))
    .sort((a, b) => a - b)
  return 1 + Math.max(depth, Math.min(optional[wanted - 1] ?? Infinity, extra.depth))
}

/** The refusal for a node that has no value: the first thing found to stand in the way. */
export function refusalFor(root: SchemaNode): SchemaRefusal {
  const seen = new Set<SchemaNode>()
  for (let node: SchemaNode | undefined = root; node !== undefined && !seen.has(node); ) {
    seen.add(node)
    const shape: ValueShape | undefined = node.shapes[0]
    if (shape === undefined) {
      const { path, keyword, what } = node.obstacle ?? {
        path: node.path,
        keyword: 'anyOf',
        what: 'no branch can hold',
      }
      return new SchemaRefusal(path, keyword, what)
    }
    node = needed(shape).find((one) => one.depth === Infinity)
  }
  return new SchemaRefusal(
    root.path,
    '$ref',
    'the recursion is required without end, so no finite value conforms; make a property optional, allow ' +
      'null, or let an array be empty',
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
