/** What to call instead of a path that does not exist: known mistakes first, then the nearest route. */
import type { IncomingCall } from '../protocol/call.ts'
import { ApiError } from '../protocol/errors.ts'
import { editDistance } from '../protocol/nearest-word.ts'
import type { Match, Route, Router } from '../protocol/router.ts'
import { clip } from '../protocol/wording.ts'

const maxQuoted = 200

/** The refusal of a call that no route answers. */
export function unknownPath(call: IncomingCall, match: Match, router: Router): ApiError {
  const method = clip(call.method, maxQuoted)
  const path = clip(call.path, maxQuoted)
  if (match.kind === 'method') {
    const expected = match.allowed.filter((name) => name !== 'OPTIONS').join(' or ')
    return new ApiError('method_not_allowed', `${method} is not a method of ${path}: expected ${expected}.`, {
      headers: { allow: match.allowed.join(', ') },
    })
  }
  const owner = match.kind === 'none' ? match.group : undefined
  const routes = owner === undefined ? router.routes : router.routes.filter(({ group }) => group === owner)
  const hint = routeHint(call.method, call.path, routes, owner !== undefined)
  return new ApiError('not_found_error', `Unknown path: ${method} ${path}. ${hint}`)
}

const known: readonly { readonly path: RegExp; readonly say: string }[] = [
  {
    path: /^\/v1\/responses(\/|$)/,
    say:
      'This gateway has no Responses API: with the AI SDK write `openai.chat(modelId)` in the place of ' +
      '`openai(modelId)`, with the openai package `client.chat.completions.create(…)`, with LangChain ' +
      '`useResponsesApi: false`.',
  },
  {
    path: /^\/v1\/completions$/,
    say: 'This gateway has no legacy completions: call POST /v1/chat/completions.',
  },
  { path: /^\/v1\/v1\//, say: 'The path holds /v1 twice: the base URL of this client must not end in /v1.' },
  {
    path: /^\/(chat\/completions|messages|images|videos|tob|models|files|systemone)(\/|$)/,
    say: 'The path lacks its version: the base URL of this client must end in /v1.',
  },
  {
    path: new RegExp(
      '^/v1/(embeddings|audio|assistants|threads|batches|fine_tuning|moderations|realtime|conversations|' +
        'vector_stores)(/|$)',
    ),
    say: 'This gateway does not offer that API.',
  },
]

/** One or two sentences. `few` says that `routes`, those that may be meant, are not all there are. */
function routeHint(method: string, path: string, routes: readonly Route[], few: boolean): string {
  const mistake = known.find((entry) => entry.path.test(path))
  if (mistake !== undefined) return mistake.say
  let nearest: { text: string; distance: number } | undefined
  for (const { endpoint } of routes) {
    const distance = editDistance(path.slice(0, 200), endpoint.path) + (endpoint.method === method ? 0 : 1)
    if (nearest === undefined || distance < nearest.distance)
      nearest = { text: `${endpoint.method} ${endpoint.path}`, distance }
  }
  if (nearest === undefined) return 'The simulator has no routes.'
  if (nearest.distance <= Math.max(3, path.length / 3)) return `Did you mean ${nearest.text}?`
  return few
    ? `Known there: ${[...new Set(routes.map(({ endpoint }) => endpoint.path))].join(', ')}.`
    : 'List all paths with `gateway-sim routes`.'
}
