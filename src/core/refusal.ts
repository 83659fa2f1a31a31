/** Refusals as replies: envelope, headers, waits, and the sentence that saves hours. */
import { mintId } from '../engine/ids.ts'
import type { EntryRefusal, Violation } from '../engine/journal-entry.ts'
import type { Random } from '../engine/random.ts'
import type { IncomingCall } from '../protocol/call.ts'
import type { Endpoint, EndpointGroup } from '../protocol/endpoint.ts'
import { ApiError } from '../protocol/errors.ts'
import { json, type Reply } from '../protocol/reply.ts'
import { clip } from '../protocol/wording.ts'
import type { Session } from '../sessions/sessions.ts'

/** The longest message and field path that a refusal holds; what clients send has no bound. */
const longest = { message: 2000, detail: 500, field: 200 } as const

/** How many places of one request the journal keeps. */
const maxViolations = 100

/** The longest wait that a refusal of the service's own names in `auto`, in milliseconds. */
const longestNap = 1000

/** `trc_…` of a call. */
export function traceId(tag: string, identity: Random): string {
  return mintId('trc_', tag, identity)
}

/** The body of a refusal in the words of a group. */
export function renderBody(
  group: EndpointGroup,
  error: ApiError,
  requestId: string,
  identity: Random,
  tag: string,
): unknown {
  return group.renderError(error, { requestId, traceId: traceId(tag, identity) }).body
}

/** The reply of a refusal, in the envelope of its group. */
export function refusal(
  error: ApiError,
  group: EndpointGroup,
  requestId: string,
  identity: Random,
  session: Session,
  call: IncomingCall,
  endpoint: Endpoint | undefined,
  params: Readonly<Record<string, string>>,
): Reply {
  const status = error.options.status ?? group.refusalStatus?.(error.type) ?? error.status
  const code = error.options.code ?? group.refusalCode?.(error.type) ?? status
  const { param, details } = error.options
  // Whatever an endpoint quotes of the request, a refusal stays short enough to be read.
  const worded = new ApiError(
    error.type,
    clip(error.message, longest.message) + foreignId(error, session, endpoint, params, call),
    {
      ...error.options,
      status,
      code,
      ...(param === undefined ? {} : { param: clip(param, longest.field) }),
      ...(details === undefined
        ? {}
        : {
            details: details.map((detail) => ({
              ...detail,
              message: clip(detail.message, longest.detail),
              ...(detail.field === undefined ? {} : { field: clip(detail.field, longest.field) }),
            })),
          }),
    },
  )
  const rendered = group.renderError(worded, { requestId, traceId: traceId(session.world.tag, identity) })
  const headers: Record<string, string> = { ...rendered.headers, ...error.options.headers }
  if (error.options.retryAfterMs !== undefined) {
    const wait = waitOf(error.options.retryAfterMs, error, session)
    headers['retry-after'] = String(Math.max(1, Math.ceil(wait / 1000)))
    headers['retry-after-ms'] = String(Math.max(1, Math.ceil(wait)))
  }
  if (error.status === 401 && group.credentials[0]?.scheme !== undefined)
    headers['www-authenticate'] = group.credentials[0].scheme
  if (typeof rendered.body === 'string')
    return { status, headers, body: { kind: 'text', text: rendered.body } }
  return json(rendered.body, { status, headers })
}

// In `auto` the wait passes by itself before the next try: a client that naps must not sleep a real minute
// for it. What a
// rule, a fault or a reserved value says in so many words is said in every mode: a test asserts what it has
// written.
function waitOf(retryAfterMs: number, { options }: ApiError, { world }: Session): number {
  return world.clock.mode === 'auto' && options.keepsWait !== true
    ? Math.min(retryAfterMs, longestNap)
    : retryAfterMs
}

/** The reply that says that the simulator itself went wrong, in the words of the group. */
export function bugReply(what: string, group: EndpointGroup, requestId: string, trace: string): Reply {
  const message = `The simulator itself went wrong, not your call: ${what}. Please report it.`
  const rendered = group.renderBug?.(message, { requestId })
  if (rendered !== undefined) return json(rendered.body, { status: 500, headers: rendered.headers })
  return json(
    { error: { type: 'simulator_bug', code: 500, message, param: null, details: [], trace_id: trace } },
    { status: 500 },
  )
}

/** A refusal as the journal keeps it. */
export function refusalEntry(error: ApiError, group: EndpointGroup, session: Session): EntryRefusal {
  const { param, jobId, retryAfterMs } = error.options
  return {
    type: error.type,
    code:
      error.options.code ??
      group.refusalCode?.(error.type) ??
      error.options.status ??
      group.refusalStatus?.(error.type) ??
      error.status,
    ...(param === undefined ? {} : { param: clip(param, longest.field) }),
    ...(jobId === undefined ? {} : { jobId }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs: waitOf(retryAfterMs, error, session) }),
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
    return [{ field: clip(param, longest.field), message: clip(message, longest.detail) }]
  return details.slice(0, maxViolations).map((detail) => ({
    field: clip(detail.field ?? '', longest.field),
    message: clip(detail.message, longest.detail),
  }))
}

// An id of another session than the one named is unknown here; without this sentence the developer would look
// for hours.
function foreignId(
  error: ApiError,
  session: Session,
  endpoint: Endpoint | undefined,
  params: Readonly<Record<string, string>>,
  call: IncomingCall,
): string {
  if (error.type !== 'not_found_error') return ''
  for (const name of endpoint?.idsIn?.params ?? []) {
    const tag = /[0-9a-f]{8}/.exec(params[name] ?? '')?.[0]
    if (tag === undefined || tag === session.world.tag || !(params[name] ?? '').includes(tag)) continue
    const named = call.session !== undefined || call.headers['x-sim-session'] !== undefined
    return ` This call belongs to the session "${session.world.name}"${named ? '' : ' (named by its key, or by default)'}, and the id was minted in another one.`
  }
  return ''
}
