/**
 * Reserved values, in the manner of test card numbers: they reach a refusal or a failure from any client with
 * no set-up. This table is the only place that knows them; the documentation is generated from it.
 */
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
} from '../protocol/operations.ts'
import type { Plan, PlannedRefusal } from '../protocol/plan.ts'
import { makeFault } from './compile/fault.ts'

/** What the director knows of a call when it looks for a reserved value. */
export interface CallFacts {
  readonly route: Operation
  readonly key: string | undefined
  readonly model: string | undefined
  readonly prompt: string | undefined
  /** The path of the file that is spoken of. */
  readonly path?: string | undefined
  /** The how-manieth time this same request is seen: 1 for the first. */
  readonly nth: number
}

export interface ReservedKey {
  readonly contains: string
  readonly reaches: string
  readonly plan: Plan
}

const before = (type: PlannedRefusal['type'], message: string): Plan => ({
  refuse: { type, message, before: 'auth' },
})

/** API keys that contain one of these words are refused. */
export const reservedKeys: readonly ReservedKey[] = [
  {
    contains: 'invalid',
    reaches: '401, authentication failed',
    plan: before(
      'authentication_error',
      'Incorrect API key provided: the key contains the reserved word "invalid".',
    ),
  },
  {
    contains: 'wrong',
    reaches: '401, authentication failed',
    plan: before(
      'authentication_error',
      'Incorrect API key provided: the key contains the reserved word "wrong".',
    ),
  },
  {
    contains: 'forbidden',
    reaches: '403, no access permission',
    plan: before('permission_error', 'No access permission: the key contains the reserved word "forbidden".'),
  },
]

export interface ReservedWord {
  /** As it is written: `cut-after-N` stands for any whole number in the place of N. */
  readonly word: string
  /** Which operations it acts on; those of the object store have words of their own. */
  readonly on: Selector
  readonly reaches: string
  /** The largest N that does something; every one unless given. */
  readonly most?: number
  plan(n: number, facts: CallFacts): Plan
}

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
 * Words that act when they stand behind `sim-` as the model id (`sim-rate-limit`) or in the path of a file
 * (`images/sim-expired.png`), or in a prompt as `[sim:rate-limit]`.
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
    reaches: 'an answer with `refusal` in the place of content (messages: `stop_reason: refusal`)',
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
        message:
          'Your request was rejected by the safety system: moderation_blocked (reserved value moderation-blocked).',
      }),
  },
  {
    word: 'content-policy-violation',
    on: canDraw,
    reaches: '400, `content_policy_violation`: the filter of the older image models refuses the prompt',
    plan: () =>
      refuse({
        type: 'content_policy_violation',
        message:
          'Your request was rejected as a result of our safety system: content_policy_violation (reserved value content-policy-violation).',
      }),
  },
  {
    word: 'redacted-thinking',
    on: canRedactThinking,
    reaches: 'a `redacted_thinking` block in the place of `thinking`, when thinking is asked for',
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
    reaches: 'a stream that says nothing more after N events and stays open',
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
    reaches: 'a job or video that fails when N % of its time is over',
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
    reaches: 'a job or video that is unknown (404) when N % of its time is over',
    plan: (n) => ({ job: { vanishAt: Math.min(n, 100) } }),
  },
  {
    word: 'at-once',
    on: canSubmit,
    reaches: 'a job or video that is finished in the reply to its submission',
    plan: () => ({ job: { atOnce: true } }),
  },
  {
    word: 'blocked-N',
    on: canBlockImages,
    reaches: 'an image job whose picture N (0..3) the audit blocks',
    most: 3,
    plan: (n) => ({ job: { blocked: [n] } }),
  },
  {
    word: 'submit-failed',
    on: canBlockImages,
    reaches: '424, code 2002, with the id of the job in the envelope; the job exists and goes on',
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
    reaches: '500 with the id of the job in the envelope; the job exists and goes on',
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
    reaches: '502: the upstream answered with a usage that is none',
    plan: () => ({ upstream: { usage: 'invalid' } }),
  },
  {
    word: 'expired',
    on: grantsUploads,
    reaches: 'an upload URL whose time is over: sending to it gets 403 `AccessDenied`',
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

/**
 * This model id exists nowhere: 404, or 403 where image jobs ask whether a model is enabled (contract section
 * 7).
 */
export const reservedMissingModel = 'no-such-model'

/**
 * A word that was written as if it were reserved, and that does nothing here: `written` as it stands in the
 * call.
 */
export interface IgnoredWord {
  readonly written: string
  readonly word: string
  readonly in: 'model' | 'prompt'
  readonly operation: string
}

/**
 * The plan a reserved value asks for, or undefined. Keys come first, then the model, then the prompt or the
 * path. `ignored` hears of words that do nothing here; not of those in paths, which are written for one call
 * and seen by the other too.
 */
export function reservedPlan(facts: CallFacts, ignored: (word: IgnoredWord) => void): Plan | undefined {
  const { operation } = facts.route.endpoint
  if (facts.key !== undefined) {
    const { key } = facts
    for (const { contains, plan } of reservedKeys)
      if (key.includes(contains)) return { ...plan, decidedBy: `reserved key word ${contains}` }
  }
  if (facts.model === reservedMissingModel) {
    const {
      type = 'not_found_error',
      message = `The model \`${reservedMissingModel}\` does not exist or you do not have access to it.`,
    } = facts.route.group.unknownModel?.(reservedMissingModel) ?? {}
    return { refuse: { type, message, before: 'act' }, decidedBy: `reserved model ${reservedMissingModel}` }
  }
  const written = facts.model?.startsWith('sim-') ? facts.model.slice(4) : undefined
  if (written !== undefined) {
    const plan = planOf(written, facts)
    if (plan !== undefined)
      return { ...plan, decidedBy: `reserved model sim-${written}`, reservedModel: `sim-${written}` }
    ignored({ written: `sim-${written}`, word: written, in: 'model', operation })
  }
  if (facts.prompt !== undefined && facts.prompt.includes('[sim:')) {
    for (const [, word = ''] of facts.prompt.matchAll(/\[sim:([^\]\s]{1,40})\]/g)) {
      const plan = planOf(word, facts)
      if (plan !== undefined) return { ...plan, decidedBy: `reserved prompt [sim:${word}]` }
      ignored({ written: `[sim:${word}]`, word, in: 'prompt', operation })
    }
  }
  if (facts.path !== undefined && facts.path.includes('sim-')) {
    for (const [, word = ''] of facts.path.matchAll(
      /(?<![A-Za-z0-9-])sim-([a-z0-9-]{1,40})(?![A-Za-z0-9-])/g,
    )) {
      const plan = planOf(word, facts)
      if (plan !== undefined) return { ...plan, decidedBy: `reserved path sim-${word}` }
    }
  }
  return undefined
}

function planOf(written: string, facts: CallFacts): Plan | undefined {
  for (const reserved of reservedWords) {
    const n = numberIn(reserved, written)
    if (n === undefined || !reserved.on(facts.route)) continue
    return reserved.plan(n, facts)
  }
  return undefined
}

/** Whether some operation, be it another one, knows the word. */
export function isReserved(written: string): boolean {
  return reservedWords.some((reserved) => numberIn(reserved, written) !== undefined)
}

function numberIn({ word, most = Infinity }: ReservedWord, written: string): number | undefined {
  if (!word.endsWith('-N')) return word === written ? 0 : undefined
  const stem = word.slice(0, -1)
  const digits = written.slice(stem.length)
  return written.startsWith(stem) && /^\d{1,6}$/.test(digits) && Number(digits) <= most
    ? Number(digits)
    : undefined
}
