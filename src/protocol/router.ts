/** Finds the endpoint of a method and path, by a trie: the cost does not grow with the number of routes. */
import type * as z from 'zod'
import { clientReading } from './contract-reading.ts'
import type { Endpoint, EndpointGroup } from './endpoint.ts'
import { bodyReader, type ReadFields } from './validate.ts'

export interface Route {
  readonly endpoint: Endpoint
  readonly group: EndpointGroup
  /** `endpoint.contentIgnores`, ready for look-ups. */
  readonly contentIgnores: ReadonlySet<string>
  /** Holds a body against `endpoint.body`; undefined when it takes none. @internal */
  readonly readBody: ReadFields | undefined
  /** The top-level fields that `endpoint.body` names; worked out when somebody asks. @internal */
  readonly knownFields: () => ReadonlySet<string> | undefined
  /** What the contract allows as the reply; worked out when somebody asks. @internal */
  readonly allowedReply: () => z.ZodType | undefined
  /** `endpoint.contentDefaults`, ready for look-ups. */
  readonly contentDefaults: ReadonlyMap<string, unknown>
}

export type Match =
  | { readonly kind: 'found'; readonly route: Route; readonly params: Readonly<Record<string, string>> }
  | { readonly kind: 'method'; readonly allowed: readonly string[]; readonly group: EndpointGroup }
  /** `group`: whose part of the address space it is, where it is somebody's. */
  | { readonly kind: 'none'; readonly group: EndpointGroup | undefined }

/** Whether a call belongs to the simulator itself (the control API), and not to the service. */
export function isInternal(match: Match): boolean {
  return (match.kind === 'found' ? match.route.group : match.group)?.internal === true
}

export interface Router {
  match(method: string, path: string): Match
  /** All routes in the order of the groups. */
  readonly routes: readonly Route[]
}

interface Node {
  readonly literals: Map<string, Node>
  /** `{name}` and `{name}:suffix`; the longest suffix is tried first. */
  readonly patterns: { readonly name: string; readonly suffix: string; readonly node: Node }[]
  readonly methods: Map<string, Route>
  /** What takes all that is left of the path, when nothing else does. */
  tail: { readonly name: string; readonly node: Node } | undefined
}

const newNode = (): Node => ({ literals: new Map(), patterns: [], methods: new Map(), tail: undefined })

/** A router over the endpoints of some groups. Throws for two endpoints of one method and path. */
export function createRouter(groups: readonly EndpointGroup[]): Router {
  const root = newNode()
  const routes: Route[] = []
  for (const group of groups) {
    for (const endpoint of group.endpoints) {
      const route = {
        endpoint,
        group,
        contentIgnores: new Set(endpoint.contentIgnores),
        contentDefaults: new Map(Object.entries(endpoint.contentDefaults ?? {})),
        readBody: bodyReader(endpoint),
        knownFields: once(() => knownFields(endpoint.body)),
        allowedReply: once(() => (endpoint.reply === undefined ? undefined : clientReading(endpoint.reply))),
      }
      routes.push(route)
      const segments = endpoint.path.slice(1).split('/')
      const last = endpoint.tail === true ? segments.pop() : undefined
      const end = segments.reduce(child, root)
      const node = last === undefined ? end : tailOf(end, last)
      for (const method of [endpoint.method, ...(endpoint.alsoMethods ?? [])]) {
        if (node.methods.has(method)) throw new Error(`router: two endpoints for ${method} ${endpoint.path}`)
        node.methods.set(method, route)
      }
    }
  }

  // Most calls go to a path without parameters, which needs no walk.
  const plain = new Map<string, Node>()
  for (const { endpoint } of routes)
    if (!endpoint.path.includes('{'))
      plain.set(endpoint.path, walk(root, endpoint.path.slice(1).split('/'), 0, {}) as Node)

  return {
    routes,
    match(method, path) {
      const params: Record<string, string> = {}
      const node = plain.get(path) ?? walk(root, path.slice(1).split('/'), 0, params)
      if (node === undefined)
        return {
          kind: 'none',
          group: groups.find(
            ({ under }) => under !== undefined && (path === under || path.startsWith(`${under}/`)),
          ),
        }
      // HEAD is answered wherever GET is; the edge leaves the body out.
      const route = node.methods.get(method === 'HEAD' ? 'GET' : method)
      if (route !== undefined) return { kind: 'found', route, params }
      const allowed = [...node.methods.keys()].flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : [name]))
      const first = node.methods.values().next().value as Route
      return { kind: 'method', allowed: [...allowed, 'OPTIONS'], group: first.group }
    },
  }
}

/**
 * The routes of a service with those under a path of the simulator's own, which are made when they are first
 * asked for. What these do not have is the service's.
 */
export function withOwnRoutes(service: Router, under: string, own: () => Router): Router {
  return {
    get routes() {
      return [...service.routes, ...own().routes]
    },
    match(method, path) {
      if (!path.startsWith(under) || (path.length > under.length && path.charAt(under.length) !== '/'))
        return service.match(method, path)
      const match = own().match(method, path)
      if (match.kind !== 'none') return match
      const other = service.match(method, path)
      return other.kind === 'none' ? match : other
    },
  }
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined
  return () => (made ??= { value: make() }).value
}

function child(node: Node, segment: string): Node {
  const pattern = /^\{(\w+)\}(.*)$/.exec(segment)
  if (pattern === null) {
    const next = node.literals.get(segment) ?? newNode()
    node.literals.set(segment, next)
    return next
  }
  const [, name = '', suffix = ''] = pattern
  const known = node.patterns.find((other) => other.suffix === suffix && other.name === name)
  if (known !== undefined) return known.node
  const next = newNode()
  node.patterns.push({ name, suffix, node: next })
  node.patterns.sort((a, b) => b.suffix.length - a.suffix.length)
  return next
}

function tailOf(node: Node, segment: string): Node {
  const name = /^\{(\w+)\}$/.exec(segment)?.[1]
  if (name === undefined || (node.tail !== undefined && node.tail.name !== name))
    throw new Error(`router: ${segment} cannot take the rest of a path`)
  node.tail ??= { name, node: newNode() }
  return node.tail.node
}

function walk(
  node: Node,
  segments: readonly string[],
  at: number,
  params: Record<string, string>,
): Node | undefined {
  const found = walkExactly(node, segments, at, params)
  if (found !== undefined || node.tail === undefined || at === segments.length) return found
  const rest = segments.slice(at).map(decode)
  if (rest.includes(undefined)) return undefined
  params[node.tail.name] = rest.join('/')
  return node.tail.node
}

function walkExactly(
  node: Node,
  segments: readonly string[],
  at: number,
  params: Record<string, string>,
): Node | undefined {
  if (at === segments.length) return node.methods.size > 0 ? node : undefined
  const raw = segments[at] as string
  const literal = node.literals.get(raw)
  if (literal !== undefined) {
    const found = walk(literal, segments, at + 1, params)
    if (found !== undefined) return found
  }
  if (node.patterns.length === 0 && !raw.includes('%')) return undefined
  const segment = decode(raw)
  if (segment === undefined) return undefined
  const decoded = segment === raw ? undefined : node.literals.get(segment)
  if (decoded !== undefined) {
    const found = walk(decoded, segments, at + 1, params)
    if (found !== undefined) return found
  }
  for (const { name, suffix, node: next } of node.patterns) {
    if (segment.length <= suffix.length || !segment.endsWith(suffix)) continue
    const found = walk(next, segments, at + 1, params)
    if (found === undefined) continue
    params[name] = segment.slice(0, segment.length - suffix.length)
    return found
  }
  return undefined
}

// A segment that is not percent-encoded UTF-8 names nothing.
function decode(segment: string): string | undefined {
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}

/** The top-level fields that a body's schema names. */
interface Definition {
  readonly type: string
  readonly shape?: Readonly<Record<string, unknown>>
  readonly innerType?: z.ZodType
  readonly in?: z.ZodType
  readonly out?: z.ZodType
  readonly options?: readonly z.ZodType[]
  readonly left?: z.ZodType
  readonly right?: z.ZodType
}

/** Undefined when the schema accepts any field, or describes no object. */
function knownFields(schema: z.ZodType | undefined): ReadonlySet<string> | undefined {
  if (schema === undefined) return undefined
  const {
    type,
    shape,
    innerType,
    in: input,
    out,
    options,
    left,
    right,
  } = schema._zod.def as unknown as Definition
  if (type === 'object' && shape !== undefined) return new Set(Object.keys(shape))
  // A preprocessed body has its fields behind the transform, a transformed one in front of it.
  if (type === 'pipe') return knownFields(input) ?? knownFields(out)
  if (innerType !== undefined) return knownFields(innerType)
  const parts = options ?? (left !== undefined && right !== undefined ? [left, right] : [])
  const sets = parts.map(knownFields)
  return sets.length === 0 || sets.includes(undefined)
    ? undefined
    : new Set(sets.flatMap((set) => [...(set as ReadonlySet<string>)]))
}
