/** Refusals as replies: envelope, headers, waits, and what to call instead of a path that does not exist. */

import { defined } from '../engine/fields.ts'
import type { EntryRefusal, Violation } from '../engine/journal-entry.ts'
import { mintId, type Random } from '../engine/random.ts'
import { ApiError } from '../protocol/errors.ts'
import { editDistance } from '../protocol/nearest-word.ts'
import { type Body, json, type Reply } from '../protocol/reply.ts'
import type { Route } from '../protocol/router.ts'
import { smallReply, tooMuchUnread } from '../protocol/traffic.ts'
import { clip } from '../protocol/wording.ts'
import type { Session } from '../sessions/sessions.ts'
import type { CallState } from './call-state.ts'

/** The longest method or path that a message quotes. */
const maxQuoted = 200

/** The refusal of a call that no route answers. */
export function unknownPath({ request, match, parts: { router } }: CallState): ApiError {
  const method = clip(request.method, maxQuoted)
  const path = clip(request.path, maxQuoted)
  if (match.kind === 'method') {
    const expected = match.allowed.filter((name) => name !== 'OPTIONS').join(' or ')
    const hint = knownMistake(request.path)
    return new ApiError(
      'method_not_allowed',
      `${method} is not a method of ${path}: expected ${expected}.${hint === undefined ? '' : ` ${hint}`}`,
      { headers: { allow: match.allowed.join(', ') } },
    )
  }
  const owner = match.kind === 'none' ? match.group : undefined
  const routes = owner === undefined ? router.routes : router.routes.filter(({ group }) => group === owner)
  const hint = routeHint(request.method, request.path, routes, owner !== undefined)
  return new ApiError('not_found_error', `Unknown path: ${method} ${path}. ${hint}`)
}

/** What clients call at other gateways, and the way that works here with the same client. */
const known: readonly { readonly path: RegExp; readonly say: string }[] = [
  {
    path: /^\/v1\/responses(\/|$)/,
    say:
      'This gateway has no Responses API: with the AI SDK write `openai.chat(modelId)` in the place of ' +
      '`openai(modelId)`, with the openai package `client.chat.completions.create(…)`, with LangChain ' +
      "`useResponsesApi: false`, with the Agents SDK `setOpenAIAPI('chat_completions')`.",
  },
  {
    path: /^\/v1\/messages\/count_tokens$/,
    say:
      'This gateway counts no tokens in advance: `client.messages.create(…)` (POST /v1/messages) returns ' +
      'them in `usage`.',
  },
  {
    path: /^\/v1\/messages\/batches(\/|$)/,
    say: 'This gateway has no batches: call `client.messages.create(…)` (POST /v1/messages) for each.',
  },
  {
    path: /^\/v1\/models\/[^/]+$/,
    say: 'This gateway shows no single model: look in `client.models.list()` (GET /v1/models).',
  },
  {
    path: /^\/v1\/videos\/(edits|extensions)$/,
    say:
      'This gateway changes a finished video with `client.videos.remix(id, { prompt })` ' +
      '(POST /v1/videos/{video_id}/remix).',
  },
  {
    path: /^\/v1\/images\/variations$/,
    say:
      'This gateway varies images with `client.images.edit({ image, prompt })` (POST /v1/images/edits), or ' +
      'those of its own jobs with POST /v1/tob/variation.',
  },
  {
    path: /^\/v1\/files(\/(?!upload_url)|$)/,
    say:
      'This gateway takes no files by form: ask POST /v1/files/upload_url for an address, and send the ' +
      'bytes there with PUT.',
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

const knownMistake = (path: string): string | undefined => known.find((entry) => entry.path.test(path))?.say

/** One or two sentences. `few` says that `routes`, those that may be meant, are not all there are. */
function routeHint(method: string, path: string, routes: readonly Route[], few: boolean): string {
  const mistake = knownMistake(path)
  if (mistake !== undefined) return mistake
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

/** The longest texts that a refusal holds; what clients send has no bound. */
const maxLength = { message: 2000, detail: 500, field: 200 } as const

/** How many places of one request the journal keeps. */
const maxViolations = 100

/** The longest wait that a refusal of the service's own names in `auto`, in milliseconds. */
const maxWaitInAuto = 1000

/** `trc_…` of a call. */
export function traceId(tag: string, identity: Random): string {
  return mintId('trc_', tag, identity)
}

/** A refusal in the words of the call's group. */
export function renderError(
  { group, requestId, identity, world }: CallState,
  error: ApiError,
): { readonly body: unknown; readonly headers?: Readonly<Record<string, string>> } {
  return group.renderError(error, { requestId, traceId: traceId(world.tag, identity) })
}

/** The reply of a refusal, in the envelope of its group. */
export function refusalReply(call: CallState, error: ApiError): Reply {
  const { group, session } = call
  const { options } = error
  const status = options.status ?? group.refusalStatus?.(error.type) ?? error.status
  const code = options.code ?? group.refusalCode?.(error.type) ?? status
  const message = clip(error.message, maxLength.message) + foreignIdHint(call, error)
  const clipped = new ApiError(error.type, message, { ...options, status, code, ...clippedFields(error) })
  const rendered = renderError(call, clipped)
  const headers: Record<string, string> = { ...rendered.headers, ...options.headers }
  if (options.retryAfterMs !== undefined) {
    const wait = waitOf(options.retryAfterMs, error, session)
    headers['retry-after'] = String(Math.max(1, Math.ceil(wait / 1000)))
    headers['retry-after-ms'] = String(Math.max(1, Math.ceil(wait)))
  }
  if (error.status === 401 && group.credentials[0]?.scheme !== undefined)
    headers['www-authenticate'] = group.credentials[0].scheme
  if (typeof rendered.body === 'string')
    return { status, headers, body: { kind: 'text', text: rendered.body } }
  return json(rendered.body, { status, headers })
}

const clipField = (field: string | undefined): string | undefined =>
  field === undefined ? undefined : clip(field, maxLength.field)

// Whatever an endpoint quotes of the request, a refusal stays short enough to be read.
function clippedFields({ options: { param, details } }: ApiError): Partial<ApiError['options']> {
  return defined({
    param: clipField(param),
    details: details?.map((detail) => ({
      ...detail,
      message: clip(detail.message, maxLength.detail),
      ...defined({ field: clipField(detail.field) }),
    })),
  })
}

/**
 * In `auto` the wait passes by itself before the next try: a client must not sleep a real minute for it. A
 * wait that a rule, a fault or a reserved value names holds in every mode, so that a test can assert it.
 */
function waitOf(retryAfterMs: number, { options }: ApiError, { world }: Session): number {
  return world.clock.mode === 'auto' && options.keepsWait !== true
    ? Math.min(retryAfterMs, maxWaitInAuto)
    : retryAfterMs
}

/** The reply that says that the simulator itself went wrong, in the words of the group. */
export function bugReply({ group, requestId, identity, world }: CallState, what: string): Reply {
  const message = `The simulator itself went wrong, not your call: ${what}. Please report it.`
  const rendered = group.renderBug?.(message, { requestId })
  if (rendered !== undefined) return json(rendered.body, { status: 500, headers: rendered.headers })
  const trace_id = traceId(world.tag, identity)
  return json(
    { error: { type: 'simulator_bug', code: 500, message, param: null, details: [], trace_id } },
    { status: 500 },
  )
}

/** A refusal as the journal keeps it. */
export function refusalEntry({ group, session }: CallState, error: ApiError): EntryRefusal {
  const { param, jobId, retryAfterMs } = error.options
  return {
    type: error.options.own?.type ?? error.type,
    code:
      error.options.code ??
      group.refusalCode?.(error.type) ??
      error.options.status ??
      group.refusalStatus?.(error.type) ??
      error.status,
    ...defined({
      param: clipField(param),
      jobId,
      retryAfterMs: retryAfterMs === undefined ? undefined : waitOf(retryAfterMs, error, session),
    }),
  }
}

const breaches: ReadonlySet<ApiError['type']> = new Set([
  'invalid_request_error',
  'request_too_large',
  'unsupported_media_type',
  'range_not_satisfiable',
])

/** Where a request broke the contract, when it was refused for that. */
export function violationsOf({ type, message, options }: ApiError): readonly Violation[] | undefined {
  if (!breaches.has(type)) return undefined
  const { details = [], param = '' } = options
  if (details.length === 0)
    return [{ field: clip(param, maxLength.field), message: clip(message, maxLength.detail) }]
  return details.slice(0, maxViolations).map((detail) => ({
    field: clip(detail.field ?? '', maxLength.field),
    message: clip(detail.message, maxLength.detail),
  }))
}

// An id of another session than the one named is unknown here; without this sentence the developer would look
// for hours.
function foreignIdHint({ session: { world }, route, params, request }: CallState, error: ApiError): string {
  if (error.type !== 'not_found_error') return ''
  for (const name of route?.endpoint.idsIn?.params ?? []) {
    const id = params[name] ?? ''
    const tag = /[0-9a-f]{8}/.exec(id)?.[0]
    if (tag === undefined || tag === world.tag) continue
    const isNamed = request.session !== undefined || request.headers['x-sim-session'] !== undefined
    const how = isNamed ? '' : ' (named by its key, or by default)'
    return ` This call belongs to the session "${world.name}"${how}, and the id was minted in another one.`
  }
  return ''
}

/** Throws 503 unless the reply is small. Those who look for the cause, by the control API, get theirs. */
export function refuseLarge({ reply, group, parts }: CallState): void {
  if (group.internal !== true && isLarge(reply.body)) throw tooMuchUnread('a reply of this size', parts)
}

// What media weigh shows when they are rendered.
function isLarge(body: Body): boolean {
  switch (body.kind) {
    case 'json':
      return body.media !== undefined || JSON.stringify(body.value).length > smallReply
    case 'text':
      return body.text.length > smallReply
    case 'events':
      return (
        body.events.some(({ media }) => media !== undefined) ||
        body.events.reduce((sum, { data, raw = data }) => sum + raw.length, 0) > smallReply
      )
    case 'media':
    case 'bytes':
      return true
    case 'none':
      return false
  }
}
