/** Reserved values, in the order of the documentation that is generated from them. */
import type { RejectionType } from '../../protocol/errors.ts'
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
import { messages, rejecting } from '../rejection.ts'

/** API keys that contain one of these words are rejected. */
export const reservedKeys: readonly ReservedKey[] = (
  [
    ['invalid', '401, authentication failed', 'authentication_error', 'Incorrect API key provided'],
    ['wrong', '401, authentication failed', 'authentication_error', 'Incorrect API key provided'],
    ['forbidden', '403, no access permission', 'permission_error', 'No access permission'],
  ] as const
).map(([contains, reaches, type, why]) => {
  const message = `${why}: the key contains the reserved word "${contains}".`
  return { contains, reaches, plan: rejecting(type, { message, before: 'auth' }) }
})

/** A model id that never exists. Image jobs check whether a model is enabled. */
export const reservedMissingModel = 'no-such-model'
export const reservedMissingModelResult = '404, unknown model (image jobs: 403, model not enabled)'

const canRedactThinking: Selector = ({ endpoint }) => endpoint.speaks?.redactsThinking === true

type MakePlan = (n: number, facts: CallFacts, word: string) => Plan

const rejects = (type: RejectionType, own: Partial<PlannedRejection> = {}): MakePlan => {
  const text = own.message ?? messages[type]
  return (_, __, word) => {
    const message = `${text} (reserved value ${word.replace(/-once$/, '')}).`
    return rejecting(type, { ...own, message })
  }
}

const once =
  (make: MakePlan): MakePlan =>
  (n, facts, word) =>
    facts.nth === 1 ? make(n, facts, word) : {}

const rateLimit: MakePlan = (n, facts, word) => {
  const { rateLimited = 'Rate limit reached: retry after 1 s' } = facts.route.group
  return rejects('rate_limit_error', { message: rateLimited, retryAfterMs: 1000 })(n, facts, word)
}

const storeError = rejects('api_error', {
  message: 'We encountered an internal error, please try again',
})

const fault =
  (kind: string, options: object = {}): MakePlan =>
  (afterEvents, _, word) => ({
    faults: [makeFault(kind, word.endsWith('-N') ? { afterEvents, ...options } : options)],
  })

type Row = readonly [reaches: string, plan: Plan | MakePlan, max?: number]

const wordsFor = (on: Selector, rows: Readonly<Record<string, Row>>): ReservedWord[] =>
  Object.entries(rows).map(([word, [reaches, plan, max]]) => ({
    word,
    on,
    reaches,
    max,
    plan: (n, facts) => (typeof plan === 'function' ? plan(n, facts, word) : plan),
  }))

/** Values that act as a model id (`sim-rate-limit`), in a path (`sim-expired.png`), or in a prompt. */
export const reservedWords: readonly ReservedWord[] = [
  ...wordsFor(isGateway, {
    'rate-limit': ['429 with `retry-after: 1` every time (image jobs: code 2007)', rateLimit],
    'rate-limit-once': ['429 once, then the default response', once(rateLimit)],
    overloaded: ['503, overloaded (messages: 529)', rejects('overloaded_error')],
    'server-error': ['500 every time', rejects('api_error')],
    'server-error-once': ['500 once, then the default response', once(rejects('api_error'))],
    forbidden: ['403, no access permission', rejects('permission_error')],
  }),
  ...wordsFor(canSpeak, {
    refusal: [
      'a response with `refusal` instead of content (messages: `stop_reason: refusal`)',
      { answer: { refusal: "I'm sorry, but I can't help with that." } },
    ],
    'content-filter': [
      'text that is cut off with `finish_reason: content_filter` (messages: `stop_reason: refusal`)',
      { answer: { finish: 'content_filter' } },
    ],
    length: [
      'text that is cut off with `finish_reason: length` (messages: `stop_reason: max_tokens`)',
      { answer: { finish: 'length' } },
    ],
  }),
  ...wordsFor(canDraw, {
    'moderation-blocked': [
      '400, `moderation_blocked`: the filter of the newest image models rejects the prompt',
      rejects('moderation_blocked'),
    ],
    'content-policy-violation': [
      '400, `content_policy_violation`: the filter of the older image models rejects the prompt',
      rejects('content_policy_violation'),
    ],
  }),
  ...wordsFor(canRedactThinking, {
    'redacted-thinking': [
      'a `redacted_thinking` block instead of `thinking`, if thinking is enabled',
      { answer: { redactedThinking: true } },
    ],
  }),
  ...wordsFor(canStream, {
    slow: [
      'a stream that starts after 10 s, then sends one event per second',
      { pace: { firstEventAfter: 10_000, eventInterval: 1000 } },
    ],
    'disconnect-after-N': ['a stream whose connection breaks after N events', fault('disconnect')],
    'stall-after-N': ['a stream that stalls after N events and stays open', fault('stall')],
    'error-after-N': [
      'a stream with an error event after N events',
      fault('error-event', {
        message: 'The server had an error while streaming (reserved value error-after).',
      }),
    ],
    'missing-end': ['a stream without its end marker', fault('missing-end')],
  }),
  ...wordsFor(canSubmit, {
    'fail-at-N': ['a job that fails at N % of its duration', (n) => ({ job: { failAt: Math.min(n, 100) } })],
    stuck: ['a job that never leaves its running state', { job: { stuck: true } }],
    'not-found-at-N': [
      'a job that returns 404 after N % of its duration',
      (n) => ({ job: { notFoundAt: Math.min(n, 100) } }),
    ],
    finished: [
      'a job that is already finished in the response to its submission',
      { job: { finished: true } },
    ],
  }),
  ...wordsFor(canBlockImages, {
    'blocked-N': [
      'an image job whose image N (0 to 3) is blocked by moderation',
      (n) => ({ job: { blocked: [n] } }),
      3,
    ],
    'ambiguous-submit-424': [
      '424, code 2002, with the job id in the error envelope; the job exists and continues',
      rejects('downstream_unavailable', {
        code: 2002,
        message: 'The submit failed: the downstream call is unavailable',
        jobContinues: true,
      }),
    ],
    'ambiguous-submit-500': [
      '500 with the job id in the error envelope; the job exists and continues',
      rejects('api_error', { message: 'The request was not completed', jobContinues: true }),
    ],
  }),
  ...wordsFor(hasUpstream, {
    'upstream-422': ['400: the upstream rejected the parameters (422)', { upstream: { status: 422 } }],
    'upstream-429': ['429 with `retry-after: 1`: the upstream is too busy', { upstream: { status: 429 } }],
    'upstream-5xx': [
      '503: the provider is unavailable (the upstream returned 500)',
      { upstream: { status: 500 } },
    ],
    'missing-usage': ['502: the upstream returned no usage', { upstream: { usage: 'missing' } }],
    'invalid-usage': ['502: the upstream returned invalid usage', { upstream: { usage: 'invalid' } }],
  }),
  ...wordsFor(grantsUploads, {
    expired: ['an expired upload URL: an upload gets 403 `AccessDenied`', { upload: 'expired' }],
    tampered: [
      'an upload URL with a wrong signature: an upload gets 403 `SignatureDoesNotMatch`',
      { upload: 'tampered' },
    ],
  }),
  ...wordsFor(receivesUploads, {
    'store-error': ['500 `InternalError` from the store every time', storeError],
    'store-error-once': [
      '500 `InternalError` from the store once, then the default response',
      once(storeError),
    ],
    'store-busy': [
      '503 `SlowDown` from the store every time, with `retry-after: 1`',
      rejects('overloaded_error', { message: 'Please reduce your request rate', retryAfterMs: 1000 }),
    ],
  }),
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
  readonly max: number | undefined
  plan(n: number, facts: CallFacts): Plan
}
