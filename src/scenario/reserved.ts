/**
 * Reserved values, in the manner of test card numbers: they reach a refusal or a failure from any client with
 * no set-up. This table is the only place that knows them; the documentation is generated from it.
 */
import type { Plan, PlannedRefusal } from '../protocol/plan.ts'

/** What the director knows of a call when it looks for a reserved value. */
export interface CallFacts {
  readonly operation: string
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
  /** Which operations it acts on: exact ids, or groups such as `imageJobs.*`. */
  readonly on: readonly string[]
  readonly reaches: string
  /** The largest N that does something; every one unless given. */
  readonly most?: number
  plan(n: number, facts: CallFacts): Plan
}

const all = ['*'] as const
const talks = ['chat.create', 'messages.create'] as const
const images = ['images.generate', 'images.edit'] as const
const streams = [...talks, ...images] as const
const submits = [
  'operations.submit',
  'operations.submitForPublisher',
  'imageJobs.create',
  'imageJobs.uploadPaint',
  'imageJobs.retexture',
  'imageJobs.pan',
  'imageJobs.removeBackground',
  'imageJobs.variation',
  'videos.create',
  'videos.remix',
] as const
const imageJobs = [
  'imageJobs.create',
  'imageJobs.uploadPaint',
  'imageJobs.retexture',
  'imageJobs.pan',
  'imageJobs.removeBackground',
  'imageJobs.variation',
] as const
const evaluations = ['systemone.evaluate'] as const
const urls = ['files.createUploadUrl'] as const
const sends = ['uploads.send'] as const

const refuse = (refusal: Omit<PlannedRefusal, 'before'>): Plan => ({ refuse: { ...refusal, before: 'act' } })
const rateLimit = (facts: CallFacts): Plan =>
  facts.operation.startsWith('imageJobs.')
    ? refuse({
        type: 'rate_limit_error',
        code: 2007,
        message: 'Too many active image jobs: wait until one has finished (reserved value rate-limit).',
        retryAfterMs: 1000,
      })
    : refuse({
        type: 'rate_limit_error',
        message: 'Rate limit reached: retry after 1 s (reserved value rate-limit).',
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
    on: all,
    reaches: '429 with `retry-after: 1` every time (image jobs: code 2007)',
    plan: (_, facts) => rateLimit(facts),
  },
  {
    word: 'rate-limit-once',
    on: all,
    reaches: '429 the first time this request is seen, then the normal answer',
    plan: (_, facts) => (facts.nth === 1 ? rateLimit(facts) : {}),
  },
  {
    word: 'overloaded',
    on: all,
    reaches: '503, overloaded (messages: 529)',
    plan: () =>
      refuse({
        type: 'overloaded_error',
        message: 'The engine is currently overloaded, please try again later (reserved value overloaded).',
      }),
  },
  { word: 'server-error', on: all, reaches: '500 every time', plan: () => serverError },
  {
    word: 'server-error-once',
    on: all,
    reaches: '500 the first time this request is seen, then the normal answer',
    plan: (_, facts) => (facts.nth === 1 ? serverError : {}),
  },
  {
    word: 'forbidden',
    on: all,
    reaches: '403, no access permission',
    plan: () =>
      refuse({
        type: 'permission_error',
        message: 'No access permission for this request (reserved value forbidden).',
      }),
  },
  {
    word: 'refusal',
    on: talks,
    reaches: 'an answer with `refusal` in the place of content (messages: `stop_reason: refusal`)',
    plan: () => ({ answer: { refusal: "I'm sorry, but I can't help with that." } }),
  },
  {
    word: 'content-filter',
    on: talks,
    reaches: '`finish_reason: content_filter` in the middle of the answer (messages: `stop_reason: refusal`)',
    plan: () => ({ answer: { finish: 'content_filter' } }),
  },
  {
    word: 'length',
    on: talks,
    reaches: '`finish_reason: length` in the middle of the answer (messages: `stop_reason: max_tokens`)',
    plan: () => ({ answer: { finish: 'length' } }),
  },
  {
    word: 'moderation-blocked',
    on: images,
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
    on: images,
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
    on: ['messages.create'],
    reaches: 'a `redacted_thinking` block in the place of `thinking`, when thinking is asked for',
    plan: () => ({ answer: { redactedThinking: true } }),
  },
  {
    word: 'slow',
    on: streams,
    reaches: 'a stream whose first event takes 10 s, then one event a second',
    plan: () => ({ pace: { firstAfter: 10_000, every: 1000 } }),
  },
  {
    word: 'cut-after-N',
    on: streams,
    reaches: 'a stream whose connection breaks after N events',
    plan: (n) => ({ faults: [{ kind: 'disconnect', afterEvents: n }] }),
  },
  {
    word: 'stall-after-N',
    on: streams,
    reaches: 'a stream that says nothing more after N events and stays open',
    plan: (n) => ({ faults: [{ kind: 'stall', afterEvents: n }] }),
  },
  {
    word: 'error-after-N',
    on: streams,
    reaches: 'a stream with an error event after N events',
    plan: (n) => ({
      faults: [
        {
          kind: 'error-event',
          afterEvents: n,
          type: 'api_error',
          message: 'The server had an error while streaming (reserved value error-after).',
        },
      ],
    }),
  },
  {
    word: 'missing-end',
    on: streams,
    reaches: 'a stream without its end marker',
    plan: () => ({ faults: [{ kind: 'missing-end' }] }),
  },
  {
    word: 'fail-at-N',
    on: submits,
    reaches: 'a job or video that fails when N % of its time is over',
    plan: (n) => ({ job: { failAt: Math.min(n, 100) } }),
  },
  {
    word: 'stuck',
    on: submits,
    reaches: 'a job or video that never leaves its running state',
    plan: () => ({ job: { stuck: true } }),
  },
  {
    word: 'vanish-at-N',
    on: submits,
    reaches: 'a job or video that is unknown (404) when N % of its time is over',
    plan: (n) => ({ job: { vanishAt: Math.min(n, 100) } }),
  },
  {
    word: 'at-once',
    on: submits,
    reaches: 'a job or video that is finished in the reply to its submission',
    plan: () => ({ job: { atOnce: true } }),
  },
  {
    word: 'blocked-N',
    on: imageJobs,
    reaches: 'an image job whose picture N (0..3) the audit blocks',
    most: 3,
    plan: (n) => ({ job: { blocked: [n] } }),
  },
  {
    word: 'submit-failed',
    on: imageJobs,
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
    on: imageJobs,
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
    on: evaluations,
    reaches: '400: the upstream refused the parameters (422)',
    plan: () => ({ upstream: { status: 422 } }),
  },
  {
    word: 'upstream-429',
    on: evaluations,
    reaches: '429 with `retry-after: 1`: the upstream was too busy',
    plan: () => ({ upstream: { status: 429 } }),
  },
  {
    word: 'upstream-5xx',
    on: evaluations,
    reaches: '503: the provider is unavailable (the upstream answered 500)',
    plan: () => ({ upstream: { status: 500 } }),
  },
  {
    word: 'missing-usage',
    on: evaluations,
    reaches: '502: the upstream answered without usage',
    plan: () => ({ upstream: { usage: 'missing' } }),
  },
  {
    word: 'invalid-usage',
    on: evaluations,
    reaches: '502: the upstream answered with a usage that is none',
    plan: () => ({ upstream: { usage: 'invalid' } }),
  },
  {
    word: 'expired',
    on: urls,
    reaches: 'an upload URL whose time is over: sending to it gets 403 `AccessDenied`',
    plan: () => ({ upload: { expired: true } }),
  },
  {
    word: 'tampered',
    on: urls,
    reaches: 'an upload URL whose signature is wrong: sending to it gets 403 `SignatureDoesNotMatch`',
    plan: () => ({ upload: { tampered: true } }),
  },
  {
    word: 'store-error',
    on: sends,
    reaches: '500 `InternalError` of the store every time',
    plan: () => storeError,
  },
  {
    word: 'store-error-once',
    on: sends,
    reaches: '500 `InternalError` of the store the first time these bytes are sent, then the normal answer',
    plan: (_, facts) => (facts.nth === 1 ? storeError : {}),
  },
  {
    word: 'store-busy',
    on: sends,
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
  if (facts.key !== undefined) {
    const { key } = facts
    const found = reservedKeys.find(({ contains }) => key.includes(contains))
    if (found !== undefined) return { ...found.plan, decidedBy: `reserved key word ${found.contains}` }
  }
  if (facts.model === reservedMissingModel) {
    // Suites of each family look for its own words (wire-formats 1.3).
    const message = facts.operation.startsWith('messages.')
      ? `model: ${reservedMissingModel}`
      : `The model \`${reservedMissingModel}\` does not exist or you do not have access to it.`
    const type = facts.operation.startsWith('imageJobs.') ? 'permission_error' : 'not_found_error'
    return { refuse: { type, message, before: 'act' }, decidedBy: `reserved model ${reservedMissingModel}` }
  }
  const written = facts.model?.startsWith('sim-') ? facts.model.slice(4) : undefined
  if (written !== undefined) {
    const plan = planOf(written, facts)
    if (plan !== undefined)
      return { ...plan, decidedBy: `reserved model sim-${written}`, reservedModel: `sim-${written}` }
    ignored({ written: `sim-${written}`, word: written, in: 'model', operation: facts.operation })
  }
  if (facts.prompt !== undefined && facts.prompt.includes('[sim:')) {
    for (const [, word = ''] of facts.prompt.matchAll(/\[sim:([^\]\s]{1,40})\]/g)) {
      const plan = planOf(word, facts)
      if (plan !== undefined) return { ...plan, decidedBy: `reserved prompt [sim:${word}]` }
      ignored({ written: `[sim:${word}]`, word, in: 'prompt', operation: facts.operation })
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
    if (n === undefined || !reserved.on.some((pattern) => meets(pattern, facts.operation))) continue
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

function meets(pattern: string, operation: string): boolean {
  // The store behind an upload URL is another service: what stands for the gateway's refusals does not mean
  // it.
  return pattern === '*' ? !operation.startsWith('uploads.') : pattern === operation
}
