/**
 * The request limit of a key per virtual minute, and the headers that speak of it. Constant headers unless a limit is
 * set. Knows nothing of endpoints.
 */
import type { World } from '../engine/world.ts'
import { ApiError } from './errors.ts'
import type { Settings } from './settings.ts'

const minute = 60_000

/** Counts one request of a key. Throws 429 when the minute is full; in `auto` the wait then passes before the next try. */
export function countRequest(world: World, key: string, settings: Settings, now: number): void {
  const limit = settings.limits.requestsPerMinute
  if (limit === undefined) return
  const skipped = world.notes.get(`rate skip ${key}`) ?? 0
  const window = Math.floor((now + skipped) / minute)
  const used = world.notes.get(`rate window ${key}`) === window ? (world.notes.get(`rate used ${key}`) ?? 0) : 0
  if (used >= limit) {
    const wait = (window + 1) * minute - (now + skipped)
    if (world.clock.mode === 'auto') world.notes.set(`rate skip ${key}`, skipped + wait)
    throw new ApiError('rate_limit_error', `Rate limit reached: ${limit} requests per minute for this key (limits.requestsPerMinute). Try again in ${Math.ceil(wait / 1000)} s.`, { retryAfterMs: wait })
  }
  world.notes.set(`rate window ${key}`, window)
  world.notes.set(`rate used ${key}`, used + 1)
}

const constant: Readonly<Record<string, string>> = {
  'x-ratelimit-limit-requests': '10000',
  'x-ratelimit-limit-tokens': '2000000',
  'x-ratelimit-remaining-requests': '9999',
  'x-ratelimit-remaining-tokens': '1999900',
  'x-ratelimit-reset-requests': '6ms',
  'x-ratelimit-reset-tokens': '3ms',
}

/** The rate-limit headers of wire-formats 1.4. */
export function rateHeaders(world: World, key: string | undefined, settings: Settings, now: number): Readonly<Record<string, string>> {
  const limit = settings.limits.requestsPerMinute
  if (limit === undefined || key === undefined) return constant
  const skipped = world.notes.get(`rate skip ${key}`) ?? 0
  const window = Math.floor((now + skipped) / minute)
  const used = world.notes.get(`rate window ${key}`) === window ? (world.notes.get(`rate used ${key}`) ?? 0) : 0
  const reset = Math.ceil(((window + 1) * minute - (now + skipped)) / 1000)
  return {
    ...constant,
    'x-ratelimit-limit-requests': String(limit),
    'x-ratelimit-remaining-requests': String(limit - used),
    'x-ratelimit-reset-requests': `${reset}s`,
  }
}
