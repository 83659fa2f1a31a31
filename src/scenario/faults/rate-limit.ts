/** The client has sent too many requests. */
import * as z from 'zod'
import { isGateway } from '../../protocol/operations.ts'
import { wait } from '../format/values.ts'
import { defineFault } from './fault.ts'

export const rateLimit = defineFault({
  kind: 'rate-limit',
  part: 'api',
  what: [
    '429 with `retry-after`, and rate limit headers that say that no requests are left (image jobs:',
    'code 2007, too many active jobs).',
  ].join(' '),
  on: isGateway,
  options: () =>
    z.strictObject({
      retryAfter: wait(
        [
          'The `retry-after` of the reply, with its unit (`7s`). SDKs wait this long in real time in',
          'every clock mode: keep it short unless a test asserts it.',
        ].join(' '),
      ).prefault('1s'),
      limit: z.int().min(1).default(10_000).describe('The requests per minute in the rate limit headers.'),
    }),
  plan: ({ retryAfter, limit }, { group: { rateLimited } }) => ({
    refuse: {
      type: 'rate_limit_error',
      before: 'act',
      retryAfterMs: retryAfter,
      rate: { limit, remaining: 0, resetsIn: retryAfter },
      message:
        rateLimited === undefined
          ? `Rate limit reached: ${limit} requests per minute. Please try again later.`
          : `${rateLimited}.`,
    },
  }),
})
