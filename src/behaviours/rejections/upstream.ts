/** The responses of the gateway when its upstream fails. */
import { ApiError } from '../../protocol/errors.ts'

/** The tokens that an upstream counted and the gateway bills. */
export interface TokenUsage {
  readonly input_tokens: number
  readonly output_tokens: number
}

/** The wait before a retry after an upstream rate limit, in virtual milliseconds. */
const retryAfterMs = 1000

/**
 * The rejection for an upstream error status. The contract has 422 (parameter error, 400 here), 429 (rate
 * limit) and 5xx (provider unavailable, 503 here). Our additions: 400 and 413 are parameter errors too; any
 * other status is an upstream-response error (502).
 */
export function upstreamRejection(status: number): ApiError {
  if (status === 400 || status === 413 || status === 422)
    return new ApiError(
      'invalid_request_error',
      `The upstream rejected the request parameters (upstream status ${status}).`,
    )
  if (status === 429)
    return new ApiError(
      'rate_limit_error',
      `The upstream rate limit was reached (upstream status 429): retry after ${retryAfterMs / 1000} s.`,
      { retryAfterMs },
    )
  if (status >= 500)
    return new ApiError(
      'provider_unavailable',
      `The provider is unavailable (upstream status ${status}): try again later.`,
    )
  return new ApiError('upstream_response_error', `The upstream returned the unexpected status ${status}.`)
}

/**
 * The validated usage from the upstream. Throws an upstream-response error (502) if it is missing or invalid:
 * usage is never billed as zero.
 */
export function checkUsage(usage: unknown): TokenUsage {
  const answered = 'The upstream returned no valid `usage`, which billing requires'
  if (usage === undefined || usage === null)
    throw new ApiError('upstream_response_error', `${answered}: the field is missing.`)
  for (const name of ['input_tokens', 'output_tokens'] as const) {
    const count = typeof usage === 'object' ? (usage as Record<string, unknown>)[name] : undefined
    if (!Number.isSafeInteger(count) || (count as number) < 0)
      throw new ApiError(
        'upstream_response_error',
        `${answered}: \`usage.${name}\` is ${JSON.stringify(count) ?? 'missing'}, expected a whole ` +
          'number of tokens.',
      )
  }
  return usage as TokenUsage
}
