/** Rejections as responses: envelope, headers and waits. */

import { defined } from '../engine/fields.ts'
import { mintId, type Random } from '../engine/random.ts'
import type { Cause, Rejection } from '../exchange/exchange.ts'
import { ApiError } from '../protocol/errors.ts'
import { json, type PlainResponse } from '../protocol/response.ts'
import { clip } from '../protocol/wording.ts'
import type { Session } from '../sessions/sessions.ts'
import type { CallState } from './call-state.ts'

/** The maximum length of strings in a rejection; request data is unbounded. */
const maxLength = { message: 2000, detail: 500, field: 200 } as const

/** The maximum number of violations that the journal keeps per request. */
const maxViolations = 100

/** The maximum wait in a rejection by default behaviour in `auto`, in milliseconds. */
const maxWaitInAuto = 1000

/** The trace id of a call, `trc_…`. */
export function traceId(tag: string, identity: Random): string {
  return mintId('trc_', tag, identity)
}

/** A rejection in the format of the call's group. */
export function renderError(
  { group, requestId, identity, sandbox }: CallState,
  error: ApiError,
): { readonly body: unknown; readonly headers?: Readonly<Record<string, string>> } {
  return group.renderError(error, { requestId, traceId: traceId(sandbox.tag, identity) })
}

/** The status of a rejection, and the code in its envelope. */
function codesOf({ group }: CallState, { type, status: usual, options }: ApiError) {
  const status = options.status ?? group.rejectionStatus?.(type) ?? usual
  return { status, code: options.code ?? group.rejectionCode?.(type) ?? status }
}

/** The response of a rejection, in the envelope of its group. */
export function rejectionResponse(call: CallState, error: ApiError): PlainResponse {
  const { group, session } = call
  const { options } = error
  const { status, code } = codesOf(call, error)
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

// Endpoints quote request data; the message must stay readable.
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
 * In `auto` the wait ends before the next attempt: a client must not sleep for a real minute. A wait set by a
 * rule, a fault or a reserved value applies in every mode, because a test may assert it.
 */
function waitOf(retryAfterMs: number, { options }: ApiError, { sandbox }: Session): number {
  return sandbox.clock.mode === 'auto' && options.keepsWait !== true
    ? Math.min(retryAfterMs, maxWaitInAuto)
    : retryAfterMs
}

/** The response for an internal error, in the format of the group. */
export function bugResponse({ group, requestId, identity, sandbox }: CallState, what: string): PlainResponse {
  const message = `Internal error in gateway-sim, not an error in your request: ${what}. Please report it.`
  const rendered = group.renderBug?.(message, { requestId })
  if (rendered !== undefined) return json(rendered.body, { status: 500, headers: rendered.headers })
  const trace_id = traceId(sandbox.tag, identity)
  return json(
    { error: { type: 'simulator_bug', code: 500, message, param: null, details: [], trace_id } },
    { status: 500 },
  )
}

/** A rejection as a journal entry has it. */
export function rejectionEntry(call: CallState, error: ApiError): Rejection {
  const { param, jobId, retryAfterMs, ownType } = error.options
  return {
    type: ownType ?? error.type,
    code: codesOf(call, error).code,
    ...defined({
      param: clipField(param),
      jobId,
      retryAfterMs: retryAfterMs === undefined ? undefined : waitOf(retryAfterMs, error, call.session),
    }),
  }
}

const breaches: ReadonlySet<ApiError['type']> = new Set([
  'invalid_request_error',
  'request_too_large',
  'unsupported_media_type',
  'range_not_satisfiable',
])

/** Where a request violates the contract, if it was rejected for that. */
export function violationsOf({ type, message, options }: ApiError): Cause['violations'] | undefined {
  if (!breaches.has(type)) return undefined
  const { details = [], param = '' } = options
  if (details.length === 0)
    return [{ field: clip(param, maxLength.field), message: clip(message, maxLength.detail) }]
  return details.slice(0, maxViolations).map((detail) => ({
    field: clip(detail.field ?? '', maxLength.field),
    message: clip(detail.message, maxLength.detail),
  }))
}

// An id of another session is unknown here, which is hard to find without this hint.
function foreignIdHint({ session: { sandbox }, route, params, request }: CallState, error: ApiError): string {
  if (error.type !== 'not_found_error') return ''
  for (const name of route?.endpoint.idsIn?.params ?? []) {
    const id = params[name] ?? ''
    const tag = /[0-9a-f]{8}/.exec(id)?.[0]
    if (tag === undefined || tag === sandbox.tag) continue
    const isNamed = request.session !== undefined || request.headers['x-sim-session'] !== undefined
    const how = isNamed ? '' : ' (selected by its API key, or by default)'
    return (
      ` This request belongs to the session "${sandbox.name}"${how}, but the id was created in another ` +
      `session.`
    )
  }
  return ''
}
