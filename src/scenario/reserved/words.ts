/** Reserved words, in the order of the documentation that is generated from them. */
import {
  canBlockImages,
  canDraw,
  canSpeak,
  canStream,
  canSubmit,
  grantsUploads,
  hasUpstream,
  isGateway,
  receivesUploads,
  type Selector,
} from '../../protocol/operations.ts'
import type { Plan, PlannedRefusal } from '../../protocol/plan.ts'
import { makeFault } from '../compile/fault.ts'
import type { CallFacts, ReservedWord } from './value.ts'

const canRedactThinking: Selector = ({ endpoint }) => endpoint.speaks?.redactsThinking === true

const refuse = (refusal: Omit<PlannedRefusal, 'before'>): Plan => ({ refuse: { ...refusal, before: 'act' } })
const rateLimit = ({ route: { group } }: CallFacts): Plan =>
  refuse({
    type: 'rate_limit_error',
    message: `${group.rateLimited ?? 'Rate limit reached: retry after 1 s'} (reserved value rate-limit).`,
    retryAfterMs: 1000,
  })
const storeError: Plan = refuse({
  type: 'api_error',
  message: 'We encountered an internal error, please try again (reserved value store-error).',
})
const serverError: Plan = refuse({
  type: 'api_error',
  message: 'The server had an error while processing your request (reserved value server-error).',
})

/**
 * Words that act as a model id (`sim-rate-limit`), in the path of a file (`images/sim-expired.png`), or in a
 * prompt (`[sim:rate-limit]`).
 */
export const reservedWords: readonly ReservedWord[] = [
  {
    word: 'rate-limit',
    on: isGateway,
    reaches: '429 with `retry-after: 1` every time (image jobs: code 2007)',
    plan: (_, facts) => rateLimit(facts),
  },
  {
    word: 'rate-limit-once',
    on: isGateway,
    reaches: '429 the first time this request is seen, then the normal answer',
    plan: (_, facts) => (facts.nth === 1 ? rateLimit(facts) : {}),
  },
  {
    word: 'overloaded',
    on: isGateway,
    reaches: '503, overloaded (messages: 529)',
    plan: () =>
      refuse({
        type: 'overloaded_error',
        message: 'The engine is currently overloaded, please try again later (reserved value overloaded).',
      }),
  },
  { word: 'server-error', on: isGateway, reaches: '500 every time', plan: () => serverError },
  {
    word: 'server-error-once',
    on: isGateway,
    reaches: '500 the first time this request is seen, then the normal answer',
    plan: (_, facts) => (facts.nth === 1 ? serverError : {}),
  },
  {
    word: 'forbidden',
    on: isGateway,
    reaches: '403, no access permission',
    plan: () =>
      refuse({
        type: 'permission_error',
        message: 'No access permission for this request (reserved value forbidden).',
      }),
  },
  {
    word: 'refusal',
    on: canSpeak,
    reaches: 'an answer with `refusal` instead of content (messages: `stop_reason: refusal`)',
    plan: () => ({ answer: { refusal: "I'm sorry, but I can't help with that." } }),
  },
  {
    word: 'content-filter',
    on: canSpeak,
    reaches: '`finish_reason: content_filter` in the middle of the answer (messages: `stop_reason: refusal`)',
    plan: () => ({ answer: { finish: 'content_filter' } }),
  },
  {
    word: 'length',
    on: canSpeak,
    reaches: '`finish_reason: length` in the middle of the answer (messages: `stop_reason: max_tokens`)',
    plan: () => ({ answer: { finish: 'length' } }),
  },
  {
    word: 'moderation-blocked',
    on: canDraw,
    reaches: '400, `moderation_blocked`: the filter of the newest image models refuses the prompt',
    plan: () =>
      refuse({
        type: 'moderation_blocked',
        message: [
          'Your request was rejected by the safety system: moderation_blocked',
          '(reserved value moderation-blocked).',
        ].join(' '),
      }),
  },
  {
    word: 'content-policy-violation',
    on: canDraw,
    reaches: '400, `content_policy_violation`: the filter of the older image models refuses the prompt',
    plan: () =>
      refuse({
        type: 'content_policy_violation',
        message: [
          'Your request was rejected as a result of our safety system: content_policy_violation',
          '(reserved value content-policy-violation).',
        ].join(' '),
      }),
  },
  {
    word: 'redacted-thinking',
    on: canRedactThinking,
    reaches: 'a `redacted_thinking` block instead of `thinking`, when thinking is asked for',
    plan: () => ({ answer: { redactedThinking: true } }),
  },
  {
    word: 'slow',
    on: canStream,
    reaches: 'a stream whose first event takes 10 s, then one event a second',
    plan: () => ({ pace: { firstAfter: 10_000, every: 1000 } }),
  },
  {
    word: 'cut-after-N',
    on: canStream,
    reaches: 'a stream whose connection breaks after N events',
    plan: (n) => ({ faults: [makeFault('disconnect', { afterEvents: n })] }),
  },
  {
    word: 'stall-after-N',
    on: canStream,
    reaches: 'a stream that falls silent after N events and stays open',
    plan: (n) => ({ faults: [makeFault('stall', { afterEvents: n })] }),
  },
  {
    word: 'error-after-N',
    on: canStream,
    reaches: 'a stream with an error event after N events',
    plan: (n) => ({
      faults: [
        makeFault('error-event', {
          afterEvents: n,
          type: 'api_error',
          message: 'The server had an error while streaming (reserved value error-after).',
        }),
      ],
    }),
  },
  {
    word: 'missing-end',
    on: canStream,
    reaches: 'a stream without its end marker',
    plan: () => ({ faults: [makeFault('missing-end')] }),
  },
  {
    word: 'fail-at-N',
    on: canSubmit,
    reaches: 'a job or video that fails at N % of its duration',
    plan: (n) => ({ job: { failAt: Math.min(n, 100) } }),
  },
  {
    word: 'stuck',
    on: canSubmit,
    reaches: 'a job or video that never leaves its running state',
    plan: () => ({ job: { stuck: true } }),
  },
  {
    word: 'vanish-at-N',
    on: canSubmit,
    reaches: 'a job or video that is not found (404) from N % of its duration on',
    plan: (n) => ({ job: { vanishAt: Math.min(n, 100) } }),
  },
  {
    word: 'at-once',
    on: canSubmit,
    reaches: 'a job or video that is already finished in the reply to its submission',
    plan: () => ({ job: { atOnce: true } }),
  },
  {
    word: 'blocked-N',
    on: canBlockImages,
    reaches: 'an image job whose image N (0..3) the audit blocks',
    max: 3,
    plan: (n) => ({ job: { blocked: [n] } }),
  },
  {
    word: 'submit-failed',
    on: canBlockImages,
    reaches: '424, code 2002, with the id of the job in the envelope; the job exists and continues',
    plan: () =>
      refuse({
        type: 'downstream_unavailable',
        code: 2002,
        message: 'The submit failed: the downstream call is unavailable (reserved value submit-failed).',
        jobContinues: true,
      }),
  },
  {
    word: 'submit-unclear',
    on: canBlockImages,
    reaches: '500 with the id of the job in the envelope; the job exists and continues',
    plan: () =>
      refuse({
        type: 'api_error',
        message: 'The request was not completed (reserved value submit-unclear).',
        jobContinues: true,
      }),
  },
  {
    word: 'upstream-422',
    on: hasUpstream,
    reaches: '400: the upstream refused the parameters (422)',
    plan: () => ({ upstream: { status: 422 } }),
  },
  {
    word: 'upstream-429',
    on: hasUpstream,
    reaches: '429 with `retry-after: 1`: the upstream was too busy',
    plan: () => ({ upstream: { status: 429 } }),
  },
  {
    word: 'upstream-5xx',
    on: hasUpstream,
    reaches: '503: the provider is unavailable (the upstream answered 500)',
    plan: () => ({ upstream: { status: 500 } }),
  },
  {
    word: 'missing-usage',
    on: hasUpstream,
    reaches: '502: the upstream answered without usage',
    plan: () => ({ upstream: { usage: 'missing' } }),
  },
  {
    word: 'invalid-usage',
    on: hasUpstream,
    reaches: '502: the upstream answered with an invalid usage',
    plan: () => ({ upstream: { usage: 'invalid' } }),
  },
  {
    word: 'expired',
    on: grantsUploads,
    reaches: 'an expired upload URL: sending to it gets 403 `AccessDenied`',
    plan: () => ({ upload: { expired: true } }),
  },
  {
    word: 'tampered',
    on: grantsUploads,
    reaches: 'an upload URL whose signature is wrong: sending to it gets 403 `SignatureDoesNotMatch`',
    plan: () => ({ upload: { tampered: true } }),
  },
  {
    word: 'store-error',
    on: receivesUploads,
    reaches: '500 `InternalError` of the store every time',
    plan: () => storeError,
  },
  {
    word: 'store-error-once',
    on: receivesUploads,
    reaches: '500 `InternalError` of the store the first time these bytes are sent, then the normal answer',
    plan: (_, facts) => (facts.nth === 1 ? storeError : {}),
  },
  {
    word: 'store-busy',
    on: receivesUploads,
    reaches: '503 `SlowDown` of the store every time, with `retry-after: 1`',
    plan: () =>
      refuse({
        type: 'overloaded_error',
        message: 'Please reduce your request rate (reserved value store-busy).',
        retryAfterMs: 1000,
      }),
  },
]
