/** Finds the endpoint of a method and path in a trie: the cost does not depend on the number of routes. */

import type * as z from 'zod'
import { percentDecoded } from '../engine/fields.ts'
import type { IncomingCall } from './call.ts'
import { clientReading } from './contract-reading.ts'
import type { Endpoint, EndpointGroup } from './endpoint.ts'
import { ApiError } from './errors.ts'
import { editDistance } from './nearest-word.ts'
import { RequestReader } from './validate.ts'
import { clip } from './wording.ts'

export interface Route {
  readonly endpoint: Endpoint
  readonly group: EndpointGroup
  /** `endpoint.contentIgnores`, ready for look-ups. */
  readonly contentIgnores: ReadonlySet<string>
  /** @internal */
  readonly reader: RequestReader
  /** The top-level fields of `endpoint.body`, computed lazily. @internal */
  readonly knownFields: () => ReadonlySet<string> | undefined
  /** The contract's schema of the response, computed lazily. @internal */
  readonly allowedResponse: () => z.ZodType | undefined
  /** `endpoint.contentDefaults`, ready for look-ups. */
  readonly contentDefaults: ReadonlyMap<string, unknown>
}

export type Match =
  | { readonly kind: 'found'; readonly route: Route; readonly params: Readonly<Record<string, string>> }
  | { readonly kind: 'method'; readonly allowed: readonly string[]; readonly group: EndpointGroup }
  /** `group`: the group that owns the path prefix, if any. */
  | { readonly kind: 'none'; readonly group: EndpointGroup | undefined }

/** Whether a call is for the control API instead of the service. */
export function isInternal(match: Match): boolean {
  return (match.kind === 'found' ? match.route.group : match.group)?.internal === true
}

export interface Router {
  match(method: string, path: string): Match
  /** The rejection of an unmatched path, with an alternative. */
  unknownPath(request: IncomingCall, match: Match): ApiError
  /** All routes in the order of the groups. */
  readonly routes: readonly Route[]
}

interface Node {
  readonly literals: Map<string, Node>
  /** `{name}` and `{name}:suffix`; the longest suffix is tried first. */
  readonly patterns: { readonly name: string; readonly suffix: string; readonly node: Node }[]
  readonly methods: Map<string, Route>
  /** The node for the rest of the path, if no other node matches. */
  tail: { readonly name: string; readonly node: Node } | undefined
}

const newNode = (): Node => ({ literals: new Map(), patterns: [], methods: new Map(), tail: undefined })

/** A router for the endpoints of some groups. Throws for two endpoints with one method and path. */
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
        reader: new RequestReader(endpoint, group),
        knownFields: once(() =>
          endpoint.body?.fields === undefined
            ? knownFields(endpoint.body?.())
            : new Set(Object.keys(endpoint.body.fields)),
        ),
        allowedResponse: once(() =>
          endpoint.response === undefined ? undefined : clientReading(endpoint.response()),
        ),
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

  // Most requests have a path without parameters, which is a plain look-up.
  const plain = new Map<string, Node>()
  for (const { endpoint } of routes)
    if (!endpoint.path.includes('{'))
      plain.set(endpoint.path, walk(root, endpoint.path.slice(1).split('/'), 0, {}) as Node)

  return {
    routes,
    unknownPath: (request, match) => pathRejection(request, match, routes),
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
      // Every GET path supports HEAD; the edge omits the body.
      const route = node.methods.get(method === 'HEAD' ? 'GET' : method)
      if (route !== undefined) return { kind: 'found', route, params }
      const allowed = [...node.methods.keys()].flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : [name]))
      const first = node.methods.values().next().value as Route
      return { kind: 'method', allowed: [...allowed, 'OPTIONS'], group: first.group }
    },
  }
}

/**
 * The routes of a service, and the routes of the control API under its prefix, created on first use. Other
 * paths belong to the service.
 */
export function withOwnRoutes(service: Router, under: string, own: () => Router): Router {
  return {
    get routes() {
      return [...service.routes, ...own().routes]
    },
    unknownPath(request, match) {
      return pathRejection(request, match, this.routes)
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
    throw new Error(`router: ${segment} cannot match the rest of a path`)
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
  const rest = segments.slice(at).map(percentDecoded)
  // A segment that is not percent-encoded UTF-8 matches nothing.
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
  const segment = percentDecoded(raw)
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

/** The top-level fields of a body's schema. */
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

/** Undefined if the schema accepts any field or is not an object. */
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
  // A preprocessed body has its fields after the transform, a transformed body before it.
  if (type === 'pipe') return knownFields(input) ?? knownFields(out)
  if (innerType !== undefined) return knownFields(innerType)
  const parts = options ?? (left !== undefined && right !== undefined ? [left, right] : [])
  const sets = parts.map(knownFields)
  return sets.length === 0 || sets.includes(undefined)
    ? undefined
    : new Set(sets.flatMap((set) => [...(set as ReadonlySet<string>)]))
}

// --- unmatched paths ---

/** The longest method or path that a message quotes. */
const maxQuoted = 200

/** The rejection of an unmatched path. */
function pathRejection(request: IncomingCall, match: Match, all: readonly Route[]): ApiError {
  const method = clip(request.method, maxQuoted)
  const path = clip(request.path, maxQuoted)
  if (match.kind === 'method') {
    const expected = match.allowed.filter((name) => name !== 'OPTIONS').join(' or ')
    const hint = knownError(request.path)
    return new ApiError(
      'method_not_allowed',
      `${method} is not supported by ${path}: expected ${expected}.${hint === undefined ? '' : ` ${hint}`}`,
      { headers: { allow: match.allowed.join(', ') } },
    )
  }
  const owner = match.kind === 'none' ? match.group : undefined
  const routes = owner === undefined ? all : all.filter(({ group }) => group === owner)
  const hint = routeHint(request.method, request.path, routes, owner !== undefined)
  return new ApiError('not_found_error', `Unknown path: ${method} ${path}. ${hint}`)
}

/** Paths that clients request at other gateways, with the alternative for the same client. */
const known: readonly { readonly path: RegExp; readonly say: string }[] = [
  {
    path: /^\/v1\/responses(\/|$)/,
    say:
      'This gateway has no Responses API: use `openai.chat(modelId)` in the AI SDK, ' +
      '`client.chat.completions.create(…)` in the openai package, `useResponsesApi: false` in LangChain, ' +
      "or `setOpenAIAPI('chat_completions')` in the Agents SDK.",
  },
  {
    path: /^\/v1\/messages\/count_tokens$/,
    say:
      'This gateway cannot count tokens in advance: read `usage` in the response of ' +
      '`client.messages.create(…)` (POST /v1/messages).',
  },
  {
    path: /^\/v1\/messages\/batches(\/|$)/,
    say:
      'This gateway has no batch API: use `client.messages.create(…)` (POST /v1/messages) for each ' +
      'message.',
  },
  {
    path: /^\/v1\/models\/[^/]+$/,
    say: 'This gateway cannot retrieve a single model: use `client.models.list()` (GET /v1/models).',
  },
  {
    path: /^\/v1\/videos\/(edits|extensions)$/,
    say:
      'To change a finished video, use `client.videos.remix(id, { prompt })` ' +
      '(POST /v1/videos/{video_id}/remix).',
  },
  {
    path: /^\/v1\/images\/variations$/,
    say:
      'To vary an image, use `client.images.edit({ image, prompt })` (POST /v1/images/edits); to vary ' +
      'the result of an image job, use POST /v1/tob/variation.',
  },
  {
    path: /^\/v1\/files(\/(?!upload_url)|$)/,
    say:
      'This gateway does not support multipart form uploads: get a URL from POST /v1/files/upload_url, ' +
      'and send the bytes to that URL with PUT.',
  },
  {
    path: /^\/v1\/completions$/,
    say: 'This gateway has no legacy completions API: use POST /v1/chat/completions.',
  },
  {
    path: /^\/v1\/v1\//,
    say: 'The path contains /v1 twice: the base URL of this client must not end in /v1.',
  },
  {
    path: /^\/(chat\/completions|messages|images|videos|tob|models|files|systemone)(\/|$)/,
    say: 'The path does not start with /v1: the base URL of this client must end in /v1.',
  },
  {
    path: new RegExp(
      '^/v1/(embeddings|audio|assistants|threads|batches|fine_tuning|moderations|realtime|conversations|' +
        'vector_stores)(/|$)',
    ),
    say: 'This gateway does not offer that API.',
  },
]

const knownError = (path: string): string | undefined => known.find((entry) => entry.path.test(path))?.say

/** One or two sentences. `few`: `routes` are only the routes of one group. */
function routeHint(method: string, path: string, routes: readonly Route[], few: boolean): string {
  const error = knownError(path)
  if (error !== undefined) return error
  let nearest: { text: string; distance: number } | undefined
  for (const { endpoint } of routes) {
    const distance = editDistance(path.slice(0, 200), endpoint.path) + (endpoint.method === method ? 0 : 1)
    if (nearest === undefined || distance < nearest.distance)
      nearest = { text: `${endpoint.method} ${endpoint.path}`, distance }
  }
  if (nearest === undefined) return 'The simulator has no routes.'
  if (nearest.distance <= Math.max(3, path.length / 3)) return `Did you mean ${nearest.text}?`
  return few
    ? `Known paths: ${[...new Set(routes.map(({ endpoint }) => endpoint.path))].join(', ')}.`
    : 'List all paths with `gateway-sim routes`.'
}
