/** Finds the endpoint of a method and path. */

import type * as z from 'zod'
import { percentDecoded } from '../engine/fields.ts'
import type { IncomingCall } from './call.ts'
import { clientReading } from './contract-reading.ts'
import type { Endpoint, EndpointGroup } from './endpoint.ts'
import { ApiError } from './errors.ts'
import { nearestWord } from './nearest-word.ts'
import { fieldsOf, formsOf } from './schema-forms.ts'
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

/** `group`: of the route or of the path; of an unknown path, the group that owns its prefix, if any. */
export type Match =
  | {
      readonly kind: 'found'
      readonly route: Route
      readonly group: EndpointGroup
      readonly params: Readonly<Record<string, string>>
    }
  | { readonly kind: 'method'; readonly allowed: readonly string[]; readonly group: EndpointGroup }
  | { readonly kind: 'none'; readonly group: EndpointGroup | undefined }

/** The routes of one path. */
interface PathRoutes {
  readonly path: string
  /** Matches a path; its groups are the parameters. */
  readonly pattern: RegExp
  readonly names: readonly string[]
  readonly methods: Map<string, Route>
}

interface RouteTable {
  readonly groups: readonly EndpointGroup[]
  readonly routes: readonly Route[]
  /** Most requests have a path without parameters, which is a plain look-up. */
  readonly plain: ReadonlyMap<string, PathRoutes>
  /** The paths with parameters: those with more literal text first, those that take any rest last. */
  readonly patterns: readonly PathRoutes[]
}

/** Further routes, made on first use. */
interface OwnRoutes {
  /** The paths that may be theirs. */
  readonly paths: RegExp
  router(): Router
}

/** A router for the endpoints of some groups. Throws for two endpoints with one method and path. */
export function createRouter(groups: readonly EndpointGroup[]): Router {
  const routes = groups.flatMap((group) => group.endpoints.map((endpoint) => routeOf(endpoint, group)))
  const paths = new Map<string, PathRoutes>()
  for (const route of routes) {
    const { path, tail, method, alsoMethods = [] } = route.endpoint
    const known = paths.get(path) ?? pathRoutes(path, tail === true)
    paths.set(path, known)
    for (const one of [method, ...alsoMethods]) {
      if (known.methods.has(one)) throw new Error(`router: two endpoints for ${one} ${path}`)
      known.methods.set(one, route)
    }
  }
  const rank = ({ path, pattern }: PathRoutes): number =>
    path.replaceAll(parameter, '').length - (pattern.source.endsWith(anyRest) ? 1000 : 0)
  return new Router({
    groups,
    routes,
    plain: new Map([...paths].filter(([path]) => !path.includes('{'))),
    patterns: [...paths.values()].filter(({ names }) => names.length > 0).sort((a, b) => rank(b) - rank(a)),
  })
}

const parameter = /\{(\w+)\}/g
const anyRest = '([^]*)$'

function pathRoutes(path: string, isTail: boolean): PathRoutes {
  const source = path.replaceAll(parameter, '([^/]+)')
  const pattern = new RegExp(`^${isTail ? source.slice(0, source.lastIndexOf('(')) + anyRest : `${source}$`}`)
  const names = Array.from(path.matchAll(parameter), ([, name]) => name as string)
  return { path, pattern, names, methods: new Map() }
}

function routeOf(endpoint: Endpoint, group: EndpointGroup): Route {
  const { body, response } = endpoint
  return {
    endpoint,
    group,
    contentIgnores: new Set(endpoint.contentIgnores),
    contentDefaults: new Map(Object.entries(endpoint.contentDefaults ?? {})),
    reader: new RequestReader(endpoint, group),
    knownFields: once(() => {
      if (body === undefined) return undefined
      if (body.fields !== undefined) return new Set(Object.keys(body.fields))
      const fields = fieldsOf(formsOf(body()))
      return fields === undefined ? undefined : new Set(fields.keys())
    }),
    allowedResponse: once(() => (response === undefined ? undefined : clientReading(response()))),
  }
}

/** Finds the route of a method and path. */
export class Router {
  readonly #table: RouteTable
  readonly #own: OwnRoutes | undefined

  constructor(table: RouteTable, own?: OwnRoutes) {
    this.#table = table
    this.#own = own
  }

  /** The same routes, and others that take precedence. */
  with(own: OwnRoutes): Router {
    return new Router(this.#table, own)
  }

  /** All routes in the order of the groups. */
  get routes(): readonly Route[] {
    return [...this.#table.routes, ...(this.#own?.router().routes ?? [])]
  }

  match(method: string, path: string): Match {
    let owner: EndpointGroup | undefined
    const own = this.#own
    if (own?.paths.test(path) === true) {
      const match = own.router().match(method, path)
      if (match.kind !== 'none') return match
      owner = match.group
    }
    const { groups, plain, patterns } = this.#table
    const params: Record<string, string> = {}
    const found = plain.get(path) ?? findPath(path, plain, patterns, params)
    if (found === undefined) {
      owner ??= groups.find(({ under }) => under !== undefined && isUnder(under, path))
      return { kind: 'none', group: owner }
    }
    // Every GET path supports HEAD; the edge omits the body.
    const route = found.methods.get(method === 'HEAD' ? 'GET' : method)
    if (route !== undefined) return { kind: 'found', route, group: route.group, params }
    const allowed = [...found.methods.keys()].flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : [name]))
    const [first] = found.methods.values()
    return { kind: 'method', allowed: [...allowed, 'OPTIONS'], group: (first as Route).group }
  }

  /** The rejection of an unmatched path, with an alternative. */
  unknownPath(request: IncomingCall, match: Match): ApiError {
    return pathRejection(request, match, this.routes)
  }
}

const isUnder = (prefix: string, path: string): boolean => path === prefix || path.startsWith(`${prefix}/`)

function findPath(
  written: string,
  plain: RouteTable['plain'],
  patterns: RouteTable['patterns'],
  params: Record<string, string>,
): PathRoutes | undefined {
  const path = written.includes('%') ? withoutEscapes(written) : written
  if (path === undefined) return undefined
  for (const one of patterns) {
    const match = one.pattern.exec(path)
    if (match === null) continue
    // The last one first: random seeds are derived from the parameters in this order.
    for (let at = one.names.length - 1; at >= 0; at--)
      params[one.names[at] as string] = percentDecoded(match[at + 1] as string) as string
    return one
  }
  return path === written ? undefined : plain.get(path)
}

/** A path with no more escapes than its segments need; undefined if one is not percent-encoded UTF-8. */
function withoutEscapes(path: string): string | undefined {
  const segments = path.split('/').map(percentDecoded)
  if (segments.includes(undefined)) return undefined
  return segments.map((text) => text?.replaceAll('%', '%25').replaceAll('/', '%2F')).join('/')
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined
  return () => (made ??= { value: make() }).value
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
    return new ApiError(
      'method_not_allowed',
      `${method} is not supported by ${path}: expected ${expected}.`,
      { headers: { allow: match.allowed.join(', ') } },
    )
  }
  const owner = match.kind === 'none' ? match.group : undefined
  const routes = owner === undefined ? all : all.filter(({ group }) => group === owner)
  const hint = routeHint(request.path, routes)
  return new ApiError('not_found_error', `Unknown path: ${method} ${path}. ${hint}`)
}

/** Paths that clients of other gateways request, with what to do instead. */
const known: readonly { readonly path: RegExp; readonly say: string }[] = [
  {
    path: /^\/v1\/v1\//,
    say: 'The path contains /v1 twice: the base URL of this client must not end in /v1.',
  },
  {
    path: /^\/(chat\/completions|messages|images|videos|tob|models|files|systemone)(\/|$)/,
    say: 'The path does not start with /v1: the base URL of this client must end in /v1.',
  },
  {
    path: /^\/v1\/responses(\/|$)/,
    say:
      'This gateway has no Responses API: use `openai.chat(modelId)` in the AI SDK, ' +
      '`client.chat.completions.create(…)` in the openai package, `useResponsesApi: false` in LangChain, ' +
      "or `setOpenAIAPI('chat_completions')` in the Agents SDK.",
  },
  {
    path: /^\/v1\/files(\/(?!upload_url)|$)/,
    say: 'Get a URL from POST /v1/files/upload_url, and send the bytes to that URL with PUT.',
  },
  {
    path: new RegExp(
      '^/v1/(completions|embeddings|audio|assistants|threads|batches|fine_tuning|moderations|realtime|' +
        'conversations|vector_stores|messages/batches|messages/count_tokens|models/[^/]+)(/|$)',
    ),
    say: 'This gateway does not offer that API.',
  },
]

/** What to do instead: a known error of clients, else the most similar path. */
function routeHint(path: string, routes: readonly Route[]): string {
  const error = known.find((entry) => entry.path.test(path))?.say
  if (error !== undefined) return error
  const meant = nearestWord(path, [...new Set(routes.map(({ endpoint }) => endpoint.path))])
  return meant === undefined ? 'List all paths with `gateway-sim openapi`.' : `Did you mean ${meant}?`
}
