/** Faults of the service: it rejects a valid call, or blocks its content. */
import * as z from 'zod'
import { canDraw, canSpeak, canSubmit, everyOperation, isGateway } from '../../protocol/operations.ts'
import { messages, rejecting } from '../rejection.ts'
import { wait } from '../values.ts'
import { type Fault, faultsOfPart } from './fault.ts'

const sdksWait = 'Keep the duration short: SDKs wait in real time, whatever the clock mode.'

const halfWay = {
  failAt: 50,
  failure: { code: 'moderation_blocked', message: 'The prompt was rejected by the safety system.' },
}

const rejection = faultsOfPart('api', isGateway)

export const rejectionFaults: readonly Fault[] = [
  rejection('rate-limit', {
    what: '429 with `retry-after` and headers that show an exhausted rate limit (image jobs: code 2007).',
    options: () => ({
      retryAfter: wait(`The value of \`retry-after\`, with a unit (\`7s\`). ${sdksWait}`).prefault('1s'),
      limit: z
        .int()
        .min(1)
        .default(10_000)
        .describe('The limit in the rate limit headers, in requests per minute.'),
    }),
    plan({ retryAfter, limit }, { group: { rateLimited } }) {
      const usual = `Rate limit reached: ${limit} requests per minute. Please try again later.`
      return rejecting('rate_limit_error', {
        retryAfterMs: retryAfter,
        rate: { limit, remaining: 0, resetsIn: retryAfter },
        message: rateLimited === undefined ? usual : `${rateLimited}.`,
      })
    },
  }),
  rejection('quota', {
    nature: 'final',
    what:
      '429 `insufficient_quota` (messages: `rate_limit_error`) without `retry-after`: the quota is ' +
      'used up.',
    plan: () =>
      rejecting('insufficient_quota', { message: `${messages.insufficient_quota} (insufficient_quota).` }),
  }),
  rejection('overloaded', {
    what: 'The service is overloaded: 503 (messages: 529; object store for uploads: 503 `SlowDown`).',
    on: everyOperation,
    options: () => ({
      retryAfter: wait(
        `The value of \`retry-after\`, with a unit (\`7s\`). Default: none. ${sdksWait}`,
      ).optional(),
    }),
    plan: ({ retryAfter }) => rejecting('overloaded_error', { retryAfterMs: retryAfter }),
  }),
  rejection('auth', {
    nature: 'final',
    what: 'The API key is rejected as invalid (401) or as lacking permission (403).',
    early: true,
    options: () => ({ status: z.literal([401, 403]).default(401).describe('The status.') }),
    plan: ({ status }) =>
      rejecting(status === 401 ? 'authentication_error' : 'permission_error', { before: 'auth' }),
  }),
  rejection('content-filter', {
    nature: 'final',
    what:
      'The content filter blocks the request. Text is cut off (chat: `finish_reason: ' +
      'content_filter`, messages: `stop_reason: refusal`), images are rejected (400 ' +
      '`moderation_blocked`), and jobs fail.',
    on: (operation) => canSpeak(operation) || canDraw(operation) || canSubmit(operation),
    plan(_, { endpoint: { speaks, draws, job } }) {
      if (speaks !== undefined) return { answer: { finish: 'content_filter' } }
      if (draws === true) return rejecting('moderation_blocked')
      return { job: job?.submits?.filtered ?? halfWay }
    },
  }),
]
