/** How the messages API words errors, its own status codes, and its headers (wire-formats 1.3, 1.4, 3.3). */
import { ApiError, envelope, type RefusalType } from '../../protocol/errors.ts'
import type { Rate, ReplyFacts } from '../../protocol/rate.ts'
import type { StreamEvent } from '../../protocol/reply.ts'

interface Ids {
  readonly requestId: string
  readonly traceId: string
}

// Clients of this family know a fixed list of words in `error.type`.
const words: Partial<Readonly<Record<RefusalType, string>>> = {
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
  options.own?.type ?? (status === 402 ? 'billing_error' : (words[type] ?? type))

/**
 * The envelope of contract 2.1 with what this family's clients read: `type` and `request_id` at the top, a
 * known word in `error.type`.
 */
export function messageError(error: ApiError, ids: Ids): { body: unknown } {
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

const threadField = 'thread'
// Clients that try message threads fall back to none when they find exactly this here; everywhere else
// `details` is the contract's list.
const withoutThreads = { error_code: 'thread_unsupported_request', unsupported: [threadField] }

/** The refusal of a conversation that the service would have to remember (contract 4.3: stateless). */
export function threadsUnsupported(): ApiError {
  return new ApiError(
    'invalid_request_error',
    '`thread`: message threads are not offered, this API is stateless: send all messages with every call ' +
      '(with the tool runner of the SDK, `thread: false` saves this refusal).',
    { param: threadField },
  )
}

/** An error inside a stream that has begun. */
export function messageStreamError(error: ApiError): Omit<StreamEvent, 'after'> {
  return {
    event: 'error',
    data: JSON.stringify({ type: 'error', error: { type: wordFor(error), message: error.message } }),
  }
}

/** This family has a status of its own for an overload. */
export function messageStatus(type: RefusalType): number | undefined {
  return type === 'overloaded_error' ? 529 : undefined
}

/** `request-id`, the organisation beside it, and the limits of a key. */
export function messageHeaders({ requestId, rate, limited, now }: ReplyFacts): Record<string, string> {
  return {
    ...(limited ? limits(rate, now) : {}),
    'request-id': requestId,
    'anthropic-organization-id': 'gateway-sim',
  }
}

// Without a limit the counts are constant and `reset` is the present.
function limits(rate: Rate | undefined, now: number): Record<string, string> {
  const present = instant(now)
  return {
    ...limitHeaders(
      'requests',
      rate?.limit ?? 4000,
      rate?.remaining ?? 3999,
      rate === undefined ? present : instant(now + rate.resetsIn),
    ),
    ...limitHeaders('tokens', 480_000, 480_000, present),
    ...limitHeaders('input-tokens', 400_000, 400_000, present),
    ...limitHeaders('output-tokens', 80_000, 80_000, present),
  }
}

function limitHeaders(kind: string, limit: number, remaining: number, reset: string): Record<string, string> {
  const name = `anthropic-ratelimit-${kind}`
  return {
    [`${name}-limit`]: String(limit),
    [`${name}-remaining`]: String(remaining),
    [`${name}-reset`]: reset,
  }
}

const lastInstant = 8_640_000_000_000_000

/** RFC 3339 in whole seconds, rounded up. */
function instant(ms: number): string {
  return new Date(Math.min(Math.ceil(ms / 1000) * 1000, lastInstant)).toISOString().replace('.000Z', 'Z')
}
