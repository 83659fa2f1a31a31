/** The service refuses because of too many requests. */
import * as z from 'zod'
import { isGateway } from '../../protocol/operations.ts'
import { wait } from '../format/values.ts'
import { defineFault } from './fault.ts'

export const rateLimit = defineFault({
  kind: 'rate-limit',
  part: 'api',
  what: '429 in the envelope of the API with `retry-after`, and the headers of the request limit say that nothing is left (image jobs: code 2007, too many active jobs).',
  on: isGateway,
  inProcess: 'the same reply',
  options: () =>
    z.strictObject({
      retryAfter: wait(
        'After which the client may try again: `retry-after`, in every clock mode as it is written, with its unit (`7s`). SDKs sleep it in real time, in `auto` too: write it short unless it is asserted.',
      ).prefault('1s'),
      limit: z.int().min(1).default(10_000).describe('How many requests a minute the headers speak of.'),
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
