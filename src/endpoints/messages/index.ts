/** The messages API: its endpoint, credentials, error format, status codes and limits. */
import { defineGroup } from '../../protocol/endpoint.ts'
import { type ApiError, envelope, type RejectionType } from '../../protocol/errors.ts'
import type { Rate, ResponseFacts } from '../../protocol/rate.ts'
import type { StreamEvent } from '../../protocol/response.ts'
import { createMessage } from './create-message.ts'
import { threadField } from './dependencies.ts'

export const messages = defineGroup({
  name: 'messages',
  catalog: 'messages',
  // Current clients send a bearer token, older clients the contract's `x-api-key`.
  credentials: [{ header: 'x-api-key' }, { header: 'authorization', scheme: 'Bearer' }],
  clientHeaders: { 'anthropic-version': '2023-06-01' },
  under: '/v1/messages',
  endpoints: [createMessage],
  renderError: messageError,
  streamError: messageStreamError,
  // The test suites of clients expect these words.
  unknownModel: (model) => ({ message: `model: ${model}` }),
  rejectionStatus: messageStatus,
  responseHeaders: messageHeaders,
})

interface Ids {
  readonly requestId: string
  readonly traceId: string
}

// Clients of this API family know a fixed set of values of `error.type`.
const words: Partial<Readonly<Record<RejectionType, string>>> = {
  method_not_allowed: 'invalid_request_error',
  precondition_failed: 'invalid_request_error',
  unsupported_media_type: 'invalid_request_error',
  range_not_satisfiable: 'invalid_request_error',
  insufficient_quota: 'rate_limit_error',
  downstream_unavailable: 'api_error',
  upstream_response_error: 'api_error',
  provider_unavailable: 'api_error',
}

const wordFor = ({ type, status, options }: ApiError): string =>
  options.ownType ?? (status === 402 ? 'billing_error' : (words[type] ?? type))

/**
 * The common envelope with the fields that clients of this API family read: `type` and `request_id`
 * at the top, a known value in `error.type`.
 */
function messageError(error: ApiError, ids: Ids): { body: unknown } {
  const { error: fields } = envelope(error, ids.traceId)
  const details = fields.param === threadField ? withoutThreads : fields.details
  return {
    body: {
      type: 'error',
      error: { ...fields, type: wordFor(error), details },
      request_id: ids.requestId,
    },
  }
}

// Clients that try message threads fall back to none on exactly this value; in all other errors, `details` is
// the contract's array.
const withoutThreads = { error_code: 'thread_unsupported_request', unsupported: [threadField] }

/** An error inside a stream. */
function messageStreamError(error: ApiError): Omit<StreamEvent, 'after'> {
  return {
    event: 'error',
    data: JSON.stringify({ type: 'error', error: { type: wordFor(error), message: error.message } }),
  }
}

/** This API family has a separate status for overload. */
function messageStatus(type: RejectionType): number | undefined {
  return type === 'overloaded_error' ? 529 : undefined
}

/** The limits of an API key, `request-id` and the organisation. */
function messageHeaders(facts: ResponseFacts): Record<string, string> {
  const headers = facts.limited ? limits(facts) : {}
  headers['request-id'] = facts.requestId
  headers['anthropic-organization-id'] = 'gateway-sim'
  return headers
}

const noLimit: Rate = { limit: 4000, remaining: 3999, resetsIn: 0 }

// A literal, because every response has these headers. All counts except requests are constant, and `reset`
// is the current time.
function limits({ rate = noLimit, now, timestampText }: ResponseFacts): Record<string, string> {
  const { limit, remaining, resetsIn } = rate
  const present = timestampText(now)
  return {
    'anthropic-ratelimit-requests-limit': String(limit),
    'anthropic-ratelimit-requests-remaining': String(remaining),
    'anthropic-ratelimit-requests-reset': resetsIn === 0 ? present : timestampText(now + resetsIn),
    'anthropic-ratelimit-tokens-limit': '480000',
    'anthropic-ratelimit-tokens-remaining': '480000',
    'anthropic-ratelimit-tokens-reset': present,
    'anthropic-ratelimit-input-tokens-limit': '400000',
    'anthropic-ratelimit-input-tokens-remaining': '400000',
    'anthropic-ratelimit-input-tokens-reset': present,
    'anthropic-ratelimit-output-tokens-limit': '80000',
    'anthropic-ratelimit-output-tokens-remaining': '80000',
    'anthropic-ratelimit-output-tokens-reset': present,
  }
}
