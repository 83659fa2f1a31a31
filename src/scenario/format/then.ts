/** What a rule answers. */
import * as z from 'zod'
import { type RefusalType, refusals } from '../../protocol/errors.ts'
import type { ScriptedKind } from '../../protocol/scripted.ts'
import { faultSchema } from './fault.ts'
import { streamSchema } from './stream.ts'
import { timelineSchema } from './timeline.ts'
import { anyJson, duration, wait } from './values.ts'

const header = (description: string) =>
  z.record(z.string(), z.union([z.string(), z.number()]).nullable()).describe(description)

/** The statuses that an error may be named by: those of the catalogue, and 529 of messages. */
const errorStatuses = [...new Set([...Object.values(refusals).map(({ status }) => status), 529])].sort(
  (a, b) => a - b,
)

const error = () =>
  z
    .strictObject(
      {
        type: z
          .enum(Object.keys(refusals) as [RefusalType])
          .optional()
          .describe('Which error of the catalogue; by `status` when left out.'),
        status: z
          .literal(errorStatuses)
          .optional()
          .describe("The HTTP status; the type's own when left out."),
        code: z
          .int()
          .optional()
          .describe('The numeric code of the envelope, as 2002, 2004 or 2007 of image jobs.'),
        message: z.string().min(1).optional().describe('What it says.'),
        param: z.string().min(1).optional().describe('The field it is about.'),
        retryAfter: wait(
          [
            'After which the same call may succeed: `retry-after`, in every clock mode as it is written,',
            'with its unit (`7s`). SDKs sleep it in real time, in `auto` too: write it short unless it is',
            'asserted.',
          ].join(' '),
        ).optional(),
        before: z
          .enum(['auth', 'validation'])
          .optional()
          .describe('When in the order of the call it comes; after validation when left out.'),
      },
      'expected an object, as { status: 424 } or { type: rate_limit_error }',
    )
    .refine(
      ({ type, status }) => type !== undefined || status !== undefined,
      'expected a `type`, a `status`, or both',
    )

const job = z.union([
  z.enum(['continues', 'stuck', 'at-once']),
  z.strictObject({
    failAt: z
      .number()
      .min(0)
      .max(100)
      .optional()
      .describe('Fails when so many percent of its time are over.'),
    code: z.string().min(1).optional().describe('The code of the failure.'),
    message: z.string().min(1).optional().describe('What the failure says.'),
    vanishAt: z
      .number()
      .min(0)
      .max(100)
      .optional()
      .describe('Is unknown (404) when so many percent of its time are over.'),
    regressAt: z
      .number()
      .min(0)
      .max(100)
      .optional()
      .describe(
        'Falls back to its first state when so many percent of its time are over, and goes on from there.',
      ),
    blocked: z
      .array(z.int().min(0).max(3))
      .min(1)
      .optional()
      .describe('Image jobs: the pictures that the audit blocks, counted from 0.'),
  }),
])

const delay = z.union([
  duration('A fixed delay.'),
  z
    .strictObject({ from: duration('At least.'), to: duration('At most.') })
    .describe('Uniform between two durations.'),
  z
    .strictObject({
      median: duration('Half of the calls take longer.'),
      sigma: z.number().positive().max(4).describe('The spread: 0.5 is a usual one.'),
      max: duration('Never longer.').optional(),
    })
    .describe('Lognormal, as real latencies are.'),
])

const upstream = z
  .strictObject({
    status: z
      .int()
      .min(400)
      .max(599)
      .optional()
      .describe('The upstream refuses: 422 becomes 400, 429 stays, 5xx becomes 503.'),
    usage: z
      .enum(['missing', 'invalid'])
      .optional()
      .describe('What is wrong with the usage it reports (becomes 502).'),
    fields: z
      .record(z.string(), anyJson('Passed through.'))
      .optional()
      .describe('Fields beyond those of the contract, which are passed through.'),
  })
  .refine(
    (given) => Object.keys(given).length === 1,
    'expected exactly one of `status`, `usage` and `fields`',
  )

function answerSchema(kinds: readonly ScriptedKind[]) {
  const fault = faultSchema()
  return z
    .strictObject({
      error: error().optional().describe('Refuses, in the envelope of the API.'),
      job: job
        .optional()
        .describe(
          [
            'How the job, video or operation that the call makes goes on, in short. `continues` with',
            '`error`: it exists and goes on although the call is refused; so it does where any other',
            'word, or a `timeline`, stands beside `error`.',
          ].join(' '),
        ),
      timeline: timelineSchema(kinds).optional(),
      reply: z
        .strictObject({
          status: z.int().min(200).max(599).optional().describe('200 when left out.'),
          body: anyJson('The JSON body.').optional(),
          text: z.string().optional().describe('A body of text in the place of JSON.'),
        })
        .optional()
        .describe('A whole reply; the service does not act.'),
      patch: z
        .record(z.string(), anyJson('The new value; null sets null.'))
        .optional()
        .describe(
          [
            'Changes the JSON body that the service would answer: objects are merged, all else is',
            'replaced. A key may be a path: `choices.0.message.content`.',
          ].join(' '),
        ),
      unset: z.array(z.string().min(1)).min(1).optional().describe('Paths that are taken out of that body.'),
      headers: header('Headers of the reply that are set; null takes one away.').optional(),
      text: z.string().optional().describe('What the model says, in short: a stream script of one text.'),
      stream: streamSchema().optional(),
      delay: delay
        .optional()
        .describe('Virtual time between the call and the first byte of its reply; seeded.'),
      upstream: upstream.optional().describe('What the upstream of a decision evaluation does.'),
      fault: z
        .union([fault, z.array(fault).min(1)])
        .optional()
        .describe('One fault or several: a word, or `{ kind: …, its options, chance }`.'),
      setState: z
        .record(z.string(), z.string())
        .optional()
        .describe('Named states of the session that change when the rule answers.'),
      offContract: z
        .boolean()
        .optional()
        .describe(
          [
            'Breaks the contract on purpose: without this word, a timeline, reply or patch that the',
            'contract does not allow is refused.',
          ].join(' '),
        ),
    })
    .meta({ id: 'Answer', description: 'What the call gets. An empty object is the default behaviour.' })
}

export function thenSchema(kinds: readonly ScriptedKind[]) {
  const answer = answerSchema(kinds)
  return answer
    .extend({
      sequence: z
        .array(answer)
        .min(1)
        .optional()
        .describe('One answer after the other: the first call gets the first.'),
      end: z
        .enum(['last', 'cycle', 'pass'])
        .optional()
        .describe(
          [
            'What comes after the end of `sequence`: its last answer again (as when left out), the first',
            'one again, or nothing of this rule.',
          ].join(' '),
        ),
      weighted: z
        .array(
          z.strictObject({
            weight: z.number().positive().describe('How likely, beside the others.'),
            then: answer,
          }),
        )
        .min(2)
        .optional()
        .describe('One of several answers by chance; seeded, so that the same calls get the same answers.'),
    })
    .meta({ id: 'Then', description: 'What the call gets. An empty object is the default behaviour.' })
}

export type AnswerSpec = z.output<ReturnType<typeof answerSchema>>
export type ThenSpec = z.output<ReturnType<typeof thenSchema>>
export type ErrorSpec = NonNullable<AnswerSpec['error']>
export type JobSpec = NonNullable<AnswerSpec['job']>
export type DelaySpec = NonNullable<AnswerSpec['delay']>
