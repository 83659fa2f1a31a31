/** Planned rejections, with the usual message of each type. */
import type { RejectionType } from '../protocol/errors.ts'
import type { Plan, PlannedRejection } from '../protocol/plan.ts'

/** The usual messages, without full stop. */
export const messages: Readonly<Record<RejectionType, string>> = {
  invalid_request_error: 'The request was rejected',
  moderation_blocked: 'Your request was rejected by the safety system: moderation_blocked',
  content_policy_violation:
    'Your request was rejected as a result of our safety system: content_policy_violation',
  authentication_error: 'Incorrect API key provided',
  permission_error: 'No access permission for this request',
  not_found_error: 'The requested resource was not found',
  method_not_allowed: 'The method is not allowed for this URL',
  precondition_failed: 'The precondition failed',
  request_too_large: 'The request is too large',
  unsupported_media_type: 'The media type of the request is not supported',
  range_not_satisfiable: 'The range cannot be satisfied',
  downstream_unavailable: 'The downstream call is unavailable',
  rate_limit_error: 'Rate limit reached',
  insufficient_quota: 'You exceeded your current quota, please check your plan and billing details',
  api_error: 'The server had an error while processing your request',
  upstream_response_error: 'The upstream returned an unusable response',
  provider_unavailable: 'The provider is unavailable',
  timeout_error: 'The request timed out',
  overloaded_error: 'The engine is currently overloaded, please try again later',
}

/** A plan that rejects the call, after its key and body have been checked unless `more` says otherwise. */
export function rejecting(type: RejectionType, more: Partial<PlannedRejection> = {}): Plan {
  return { reject: { type, message: `${messages[type]}.`, before: 'act', ...more } }
}
