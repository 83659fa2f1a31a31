/** The request limit of a key per virtual minute, and its headers, constant unless a limit is set. */
import type { Sandbox } from '../engine/sandbox.ts'
import { ApiError } from './errors.ts'
import type { Settings } from './settings.ts'

const minute = 60_000

/** The use of an API key's limit in the current minute. */
export interface Rate {
  /** Requests per minute. */
  readonly limit: number
  readonly remaining: number
  /** Virtual milliseconds until the limit resets. */
  readonly resetsIn: number
}

/** The input of response headers. @internal */
export interface ResponseFacts {
  readonly requestId: string
  /** The rate of the API key; undefined without a limit. */
  readonly rate: Rate | undefined
  /** False for requests without an API key, which have no limit. */
  readonly limited: boolean
  /** Virtual milliseconds. */
  readonly now: number
  /** A time (virtual milliseconds) in RFC 3339, in whole seconds, rounded up. */
  timestampText(ms: number): string
}

const lastTimestamp = 8_640_000_000_000_000

/** A cache of `timestampText` for a simulator: formatting is slow, and many calls share a second. */
export function createTimestampText(): ResponseFacts['timestampText'] {
  let last = { second: Number.NaN, text: '' }
  return (ms) => {
    const second = Math.ceil(ms / 1000)
    if (second !== last.second) {
      const date = new Date(Math.min(second * 1000, lastTimestamp))
      last = { second, text: date.toISOString().replace('.000Z', 'Z') }
    }
    return last.text
  }
}

/**
 * Counts one request of an API key. Throws a 429 over the limit; with the `auto` clock, the wait passes
 * before the next try. @internal
 */
export function countRequest(sandbox: Sandbox, key: string, settings: Settings, now: number): void {
  const rate = rateOf(sandbox, key, settings, now)
  if (rate === undefined) return
  const { limit, remaining, resetsIn } = rate
  const skipped = sandbox.rates.get(key)?.skipped ?? 0
  if (remaining > 0)
    return sandbox.rates.set(key, {
      minute: minuteAt(now + skipped),
      used: limit - remaining + 1,
      skipped,
    })
  if (sandbox.clock.mode === 'auto')
    sandbox.rates.set(key, { minute: minuteAt(now + skipped), used: limit, skipped: skipped + resetsIn })
  throw new ApiError(
    'rate_limit_error',
    `Rate limit reached: ${limit} requests per minute for this API key (setting limits.requestsPerMinute). ` +
      `Try again in ${Math.ceil(resetsIn / 1000)} s.`,
    { retryAfterMs: resetsIn },
  )
}

/** The rate of an API key; undefined without a limit or a key. @internal */
export function rateOf(
  sandbox: Sandbox,
  key: string | undefined,
  settings: Settings,
  now: number,
): Rate | undefined {
  const limit = settings.limits.requestsPerMinute
  if (limit === undefined || key === undefined) return undefined
  const known = sandbox.rates.get(key)
  const at = now + (known?.skipped ?? 0)
  return {
    limit,
    remaining: known?.minute === minuteAt(at) ? limit - known.used : limit,
    resetsIn: (minuteAt(at) + 1) * minute - at,
  }
}

const minuteAt = (timestamp: number): number => Math.floor(timestamp / minute)

/** The headers without a limit. */
export const constantRate: Readonly<Record<string, string>> = {
  'x-ratelimit-limit-requests': '10000',
  'x-ratelimit-limit-tokens': '2000000',
  'x-ratelimit-remaining-requests': '9999',
  'x-ratelimit-remaining-tokens': '1999900',
  'x-ratelimit-reset-requests': '6ms',
  'x-ratelimit-reset-tokens': '3ms',
}

/** The rate-limit headers in the format of OpenAI-style APIs. */
export function defaultHeaders({
  rate,
  limited,
}: {
  readonly rate: Rate | undefined
  readonly limited: boolean
}): Record<string, string> {
  if (!limited) return {}
  const headers = Object.assign({}, constantRate)
  return rate === undefined ? headers : withRate(headers, rate)
}

/** Overwrites the constant headers with the rate of an API key. */
export function withRate(headers: Record<string, string>, rate: Rate): Record<string, string> {
  headers['x-ratelimit-limit-requests'] = String(rate.limit)
  headers['x-ratelimit-remaining-requests'] = String(rate.remaining)
  headers['x-ratelimit-reset-requests'] = `${Math.ceil(rate.resetsIn / 1000)}s`
  return headers
}
