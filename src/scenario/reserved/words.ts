/** Reserved values, in the order of the documentation that is generated from them. */
import {
  canBlockImages,
  canDraw,
  canSpeak,
  canStream,
  canSubmit,
  grantsUploads,
  hasUpstream,
  isGateway,
  type Operation,
  receivesUploads,
  type Selector,
} from '../../protocol/operations.ts'
import type { Plan, PlannedRejection } from '../../protocol/plan.ts'
import { makeFault } from '../faults/all.ts'

/** API keys that contain one of these words are rejected. */
export const reservedKeys: readonly ReservedKey[] = (
  [
    ['invalid', '401, authentication failed', 'authentication_error', 'Incorrect API key provided'],
    ['wrong', '401, authentication failed', 'authentication_error', 'Incorrect API key provided'],
    ['forbidden', '403, no access permission', 'permission_error', 'No access permission'],
  ] as const
).map(([contains, reaches, type, why]) => ({
  contains,
  reaches,
  plan: {
    reject: { type, message: `${why}: the key contains the reserved word "${contains}".`, before: 'auth' },
  },
}))

/** A model id that never exists. Image jobs check whether a model is enabled. */
export const reservedMissingModel = 'no-such-model'
export const reservedMissingModelResult = '404, unknown model (image jobs: 403, model not enabled)'

const canRedactThinking: Selector = ({ endpoint }) => endpoint.speaks?.redactsThinking === true

const reject = (rejection: Omit<PlannedRejection, 'before'>): Plan => ({
  reject: { ...rejection, before: 'act' },
})
const rateLimit = ({ route: { group } }: CallFacts): Plan =>
  reject({
    type: 'rate_limit_error',
    message: `${group.rateLimited ?? 'Rate limit reached: retry after 1 s'} (reserved value rate-limit).`,
    retryAfterMs: 1000,
  })
const storeError: Plan = reject({
  type: 'api_error',
  message: 'We encountered an internal error, please try again (reserved value store-error).',
})
const serverError: Plan = reject({
  type: 'api_error',
  message: 'The server had an error while processing your request (reserved value server-error).',
})

const reserved = (word: string, on: Selector, reaches: string, plan: ReservedWord['plan']): ReservedWord => ({
  word,
  on,
  reaches,
  plan,
})

/** Values that act as a model id (`sim-rate-limit`), in a path (`sim-expired.png`), or in a prompt. */
export const reservedWords: readonly ReservedWord[] = [
  reserved(
    'rate-limit',
    isGateway,
    '429 with `retry-after: 1` every time (image jobs: code 2007)',
    (_, facts) => rateLimit(facts),
  ),
  reserved('rate-limit-once', isGateway, '429 once, then the default response', (_, facts) =>
    facts.nth === 1 ? rateLimit(facts) : {},
  ),
  reserved('overloaded', isGateway, '503, overloaded (messages: 529)', () =>
    reject({
      type: 'overloaded_error',
      message: 'The engine is currently overloaded, please try again later (reserved value overloaded).',
    }),
  ),
  reserved('server-error', isGateway, '500 every time', () => serverError),
  reserved('server-error-once', isGateway, '500 once, then the default response', (_, facts) =>
    facts.nth === 1 ? serverError : {},
  ),
  reserved('forbidden', isGateway, '403, no access permission', () =>
    reject({
      type: 'permission_error',
      message: 'No access permission for this request (reserved value forbidden).',
    }),
  ),
  reserved(
    'refusal',
    canSpeak,
    'a response with `refusal` instead of content (messages: `stop_reason: refusal`)',
    () => ({ answer: { refusal: "I'm sorry, but I can't help with that." } }),
  ),
  reserved(
    'content-filter',
    canSpeak,
    'text that is cut off with `finish_reason: content_filter` (messages: `stop_reason: refusal`)',
    () => ({ answer: { finish: 'content_filter' } }),
  ),
  reserved(
    'length',
    canSpeak,
    'text that is cut off with `finish_reason: length` (messages: `stop_reason: max_tokens`)',
    () => ({ answer: { finish: 'length' } }),
  ),
  reserved(
    'moderation-blocked',
    canDraw,
    '400, `moderation_blocked`: the filter of the newest image models rejects the prompt',
    () =>
      reject({
        type: 'moderation_blocked',
        message:
          'Your request was rejected by the safety system: moderation_blocked (reserved value ' +
          'moderation-blocked).',
      }),
  ),
  reserved(
    'content-policy-violation',
    canDraw,
    '400, `content_policy_violation`: the filter of the older image models rejects the prompt',
    () =>
      reject({
        type: 'content_policy_violation',
        message:
          'Your request was rejected as a result of our safety system: content_policy_violation ' +
          '(reserved value content-policy-violation).',
      }),
  ),
  reserved(
    'redacted-thinking',
    canRedactThinking,
    'a `redacted_thinking` block instead of `thinking`, if thinking is enabled',
    () => ({ answer: { redactedThinking: true } }),
  ),
  reserved('slow', canStream, 'a stream that starts after 10 s, then sends one event per second', () => ({
    pace: { firstEventAfter: 10_000, eventInterval: 1000 },
  })),
  reserved('disconnect-after-N', canStream, 'a stream whose connection breaks after N events', (n) => ({
    faults: [makeFault('disconnect', { afterEvents: n })],
  })),
  reserved('stall-after-N', canStream, 'a stream that stalls after N events and stays open', (n) => ({
    faults: [makeFault('stall', { afterEvents: n })],
  })),
  reserved('error-after-N', canStream, 'a stream with an error event after N events', (n) => ({
    faults: [
      makeFault('error-event', {
        afterEvents: n,
        type: 'api_error',
        message: 'The server had an error while streaming (reserved value error-after).',
      }),
    ],
  })),
  reserved('missing-end', canStream, 'a stream without its end marker', () => ({
    faults: [makeFault('missing-end')],
  })),
  reserved('fail-at-N', canSubmit, 'a job that fails at N % of its duration', (n) => ({
    job: { failAt: Math.min(n, 100) },
  })),
  reserved('stuck', canSubmit, 'a job that never leaves its running state', () => ({
    job: { stuck: true },
  })),
  reserved('not-found-at-N', canSubmit, 'a job that returns 404 after N % of its duration', (n) => ({
    job: { notFoundAt: Math.min(n, 100) },
  })),
  reserved('finished', canSubmit, 'a job that is already finished in the response to its submission', () => ({
    job: { finished: true },
  })),
  {
    word: 'blocked-N',
    on: canBlockImages,
    reaches: 'an image job whose image N (0 to 3) is blocked by moderation',
    plan: (n) => ({ job: { blocked: [n] } }),
    max: 3,
  },
  reserved(
    'ambiguous-submit-424',
    canBlockImages,
    '424, code 2002, with the job id in the error envelope; the job exists and continues',
    () =>
      reject({
        type: 'downstream_unavailable',
        code: 2002,
        message:
          'The submit failed: the downstream call is unavailable (reserved value ambiguous-submit-424).',
        jobContinues: true,
      }),
  ),
  reserved(
    'ambiguous-submit-500',
    canBlockImages,
    '500 with the job id in the error envelope; the job exists and continues',
    () =>
      reject({
        type: 'api_error',
        message: 'The request was not completed (reserved value ambiguous-submit-500).',
        jobContinues: true,
      }),
  ),
  reserved('upstream-422', hasUpstream, '400: the upstream rejected the parameters (422)', () => ({
    upstream: { status: 422 },
  })),
  reserved('upstream-429', hasUpstream, '429 with `retry-after: 1`: the upstream is too busy', () => ({
    upstream: { status: 429 },
  })),
  reserved(
    'upstream-5xx',
    hasUpstream,
    '503: the provider is unavailable (the upstream returned 500)',
    () => ({ upstream: { status: 500 } }),
  ),
  reserved('missing-usage', hasUpstream, '502: the upstream returned no usage', () => ({
    upstream: { usage: 'missing' },
  })),
  reserved('invalid-usage', hasUpstream, '502: the upstream returned invalid usage', () => ({
    upstream: { usage: 'invalid' },
  })),
  reserved('expired', grantsUploads, 'an expired upload URL: an upload gets 403 `AccessDenied`', () => ({
    upload: { expired: true },
  })),
  reserved(
    'tampered',
    grantsUploads,
    'an upload URL with a wrong signature: an upload gets 403 `SignatureDoesNotMatch`',
    () => ({ upload: { tampered: true } }),
  ),
  reserved('store-error', receivesUploads, '500 `InternalError` from the store every time', () => storeError),
  reserved(
    'store-error-once',
    receivesUploads,
    '500 `InternalError` from the store once, then the default response',
    (_, facts) => (facts.nth === 1 ? storeError : {}),
  ),
  reserved(
    'store-busy',
    receivesUploads,
    '503 `SlowDown` from the store every time, with `retry-after: 1`',
    () =>
      reject({
        type: 'overloaded_error',
        message: 'Please reduce your request rate (reserved value store-busy).',
        retryAfterMs: 1000,
      }),
  ),
]

/** The facts of a call that reserved values depend on. */
export interface CallFacts {
  readonly route: Operation
  readonly key: string | undefined
  readonly model: string | undefined
  readonly prompt: string | undefined
  /** The path of the file that the call is about. */
  readonly path?: string | undefined
  /** The number of identical requests so far, including this one. */
  readonly nth: number
}

interface ReservedKey {
  readonly contains: string
  readonly reaches: string
  readonly plan: Plan
}

export interface ReservedWord {
  /** The value as written; `N` is any whole number. */
  readonly word: string
  /** The operations it acts on; those of the object store have their own values. */
  readonly on: Selector
  readonly reaches: string
  /** The largest N that has an effect; unlimited unless given. */
  readonly max?: number
  plan(n: number, facts: CallFacts): Plan
}
