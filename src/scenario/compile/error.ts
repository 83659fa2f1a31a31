/**
 * Errors of scenario files as planned refusals: from a status to its type, and the words when none are
 * written.
 */
import type { Endpoint } from '../../protocol/endpoint.ts'
import { type RefusalType, refusals } from '../../protocol/errors.ts'
import type { PlannedRefusal } from '../../protocol/plan.ts'
import type { ErrorSpec } from '../format/then.ts'

const words: Readonly<Record<RefusalType, string>> = {
  invalid_request_error: 'The request was refused',
  moderation_blocked: 'Your request was rejected by the safety system: moderation_blocked',
  content_policy_violation:
    'Your request was rejected as a result of our safety system: content_policy_violation',
  authentication_error: 'Incorrect API key provided',
  permission_error: 'No access permission for this request',
  not_found_error: 'What was asked for was not found',
  method_not_allowed: 'The method is not allowed here',
  precondition_failed: 'The precondition does not hold',
  request_too_large: 'The request is too large',
  unsupported_media_type: 'The media type of the request is not supported',
  range_not_satisfiable: 'The range cannot be satisfied',
  downstream_unavailable: 'The downstream call is unavailable',
  rate_limit_error: 'Rate limit reached',
  insufficient_quota: 'You exceeded your current quota, please check your plan and billing details',
  api_error: 'The server had an error while processing your request',
  upstream_response_error: 'The upstream answered with something that cannot be used',
  provider_unavailable: 'The provider is unavailable',
  timeout_error: 'The request timed out',
  overloaded_error: 'The engine is currently overloaded, please try again later',
}

/** The refusal; its message names the rule, so that nobody takes it for the simulator's own. */
export function refusalOf(error: ErrorSpec, rule: string, endpoint?: Endpoint): PlannedRefusal {
  const type = knownType(error.type) ?? typeOf(error.status ?? 500, endpoint)
  const retryAfterMs = error.retryAfter ?? (type === 'rate_limit_error' ? 1000 : undefined)
  const own = {
    ...(error.type === undefined || error.type === type ? {} : { type: error.type }),
    ...(error.details === undefined ? {} : { details: error.details }),
    ...(error.trace_id === undefined ? {} : { traceId: error.trace_id }),
  }
  return {
    type,
    message: error.message ?? `${words[type]} (scenario rule ${rule}).`,
    before: error.before ?? 'act',
    ...(error.code === undefined ? {} : { code: error.code }),
    ...(error.status === undefined ? {} : { status: error.status }),
    ...(error.param === undefined ? {} : { param: error.param }),
    ...(Object.keys(own).length === 0 ? {} : { own }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  }
}

/** The type of the catalogue that a scenario names; undefined for a word of its own. */
export function knownType(written: string | undefined): RefusalType | undefined {
  return written !== undefined && Object.hasOwn(refusals, written) ? (written as RefusalType) : undefined
}

/** Whether a type comes with this status in one of the APIs. */
export function goesWith(type: RefusalType, status: number): boolean {
  return refusals[type].status === status || (type === 'overloaded_error' && status === 529)
}

// Where a status has several types, the one that clients of the operation meet.
function typeOf(status: number, endpoint: Endpoint | undefined): RefusalType {
  if (status === 529) return 'overloaded_error'
  if (status === 503) return endpoint?.upstream === true ? 'provider_unavailable' : 'overloaded_error'
  return (
    (Object.keys(refusals) as RefusalType[]).find((type) => refusals[type].status === status) ??
    (status < 500 ? 'invalid_request_error' : 'api_error')
  )
}
