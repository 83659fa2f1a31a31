/** What a rule answers. */
import * as z from 'zod'
import { type RefusalType, refusals } from '../../protocol/errors.ts'
import type { ScriptedKind } from '../../protocol/scripted.ts'
import { faultSchema } from './fault.ts'
import { finishWord, scriptItems, scriptSchema, streamSchema } from './stream.ts'
import { timelineSchema } from './timeline.ts'
import { anyJson, duration, wait } from './values.ts'

const header = (description: string) =>
  z.record(z.string(), z.union([z.string(), z.number()]).nullable()).describe(description)

const error = () =>
  z
    .strictObject(
      {
        type: z
          .union([z.enum(Object.keys(refusals) as [RefusalType]), z.string().min(1)])
          .optional()
          .describe(
            'The `error.type`, which may be any text beside a `status`; derived from it when left out.',
          ),
        status: z
          .int()
          .refine(
            (status) => status >= 400 && status <= 599,
            'expected a status of 400 to 599: other replies are written as `reply: { status, body }`',
          )
          .meta({ minimum: 400, maximum: 599 })
          .optional()
          .describe('The HTTP status, 400 to 599; derived from `type` when left out.'),
        code: z
          .int()
          .optional()
          .describe('The numeric code in the envelope, such as 2002, 2004 or 2007 of image jobs.'),
        message: z.string().min(1).optional().describe('The error message.'),
        param: z.string().min(1).optional().describe('The field that the error is about.'),
        details: z
          .array(z.record(z.string(), anyJson('Its value.')))
          .optional()
          .describe('The `details` of the envelope: a list of objects.'),
        trace_id: z
          .string()
          .min(1)
          .optional()
          .describe('The `trace_id` of the envelope; minted when left out.'),
        retryAfter: wait(
          [
            'The `retry-after` of the reply, with its unit (`7s`). SDKs wait this long in real time in every',
            'clock mode: keep it short unless a test asserts it.',
          ].join(' '),
        ).optional(),
        before: z
          .enum(['auth', 'validation'])
          .optional()
          .describe('The check that it comes before; after validation when left out.'),
      },
      'expected an object such as { status: 424 } or { type: rate_limit_error }',
    )
    .refine(
      ({ type, status }) => type !== undefined || status !== undefined,
      'expected a `type`, a `status`, or both',
    )

const job = z.union([
  z.enum(['continues', 'stuck', 'at-once']),
  z.strictObject({
    failAt: z.number().min(0).max(100).optional().describe('Fails at this percentage of its duration.'),
    code: z.string().min(1).optional().describe('The code of the failure.'),
    message: z.string().min(1).optional().describe('The message of the failure.'),
    vanishAt: z
      .number()
      .min(0)
      .max(100)
      .optional()
      .describe('Becomes unknown (404) at this percentage of its duration.'),
    regressAt: z
      .number()
      .min(0)
      .max(100)
      .optional()
      .describe('Returns to its first state at this percentage of its duration, and continues from there.'),
    blocked: z
      .array(z.int().min(0).max(3))
      .min(1)
      .optional()
      .describe('Image jobs: the images that the audit blocks, counted from 0.'),
  }),
])

const delay = z.union([
  duration('A fixed delay.'),
  z
    .strictObject({ from: duration('The minimum.'), to: duration('The maximum.') })
    .describe('Uniformly distributed between two durations.'),
  z
    .strictObject({
      median: duration('The median: half of the calls take longer.'),
      sigma: z.number().positive().max(4).describe('The spread, for example 0.5.'),
      max: duration('The maximum.').optional(),
    })
    .describe('Log-normally distributed, like real latencies.'),
])

const upstream = z
  .strictObject({
    status: z
      .int()
      .min(400)
      .max(599)
      .optional()
      .describe('The status of the upstream: 422 becomes 400, 429 stays 429, 5xx becomes 503.'),
    usage: z
      .enum(['missing', 'invalid'])
      .optional()
      .describe('What is wrong with the usage it reports (becomes 502).'),
    fields: z
      .record(z.string(), anyJson('The value.'))
      .optional()
      .describe('Additional fields, which are passed through.'),
  })
  .refine(
    (given) => Object.keys(given).length === 1,
    'expected exactly one of `status`, `usage` and `fields`',
  )

const reply = z.strictObject({
  status: z.int().min(200).max(599).optional().describe('200 when left out.'),
  body: anyJson('The JSON body.').optional(),
  text: z.string().optional().describe('A text body instead of JSON.'),
  base64: z.base64().optional().describe('The bytes of the body.'),
  file: z
    .string()
    .min(1)
    .optional()
    .describe(
      [
        'A file on disk with the bytes of the body, in the folder of the scenario file or below, or',
        'in one of --allow-files; relative to it.',
      ].join(' '),
    ),
  type: z
    .string()
    .regex(/^[\x20-\x7e]+$/, 'expected printable ASCII characters')
    .optional()
    .describe('The content type; by the bytes and the name of the file when left out.'),
})

const choices = (items: ReturnType<typeof scriptItems>) =>
  z
    .array(
      z.strictObject({
        text: z.string().optional().describe('Its text; short for a script with one text.'),
        script: scriptSchema(items).optional().describe('Its content, as in `stream.script`.'),
        finish: finishWord().optional().describe('Its finish reason.'),
      }),
    )
    .min(1)
    .describe(
      'Chat: one answer for each choice of a call with `n`; the last one is that of all further choices.',
    )

function answerSchema(kinds: readonly ScriptedKind[]) {
  const fault = faultSchema()
  const items = scriptItems()
  return z
    .strictObject({
      error: error().optional().describe("Refuses the call, in the API's error envelope."),
      job: job
        .optional()
        .describe(
          [
            'How the job, video or operation that the call creates unfolds. With `error`, it is created',
            'although the call is refused (`continues` does only that).',
          ].join(' '),
        ),
      timeline: timelineSchema(kinds).optional(),
      reply: reply.optional().describe('The whole reply; the service does not act.'),
      patch: z
        .record(z.string(), anyJson('The new value; null sets null.'))
        .optional()
        .describe(
          [
            'Changes the JSON body of the reply: objects are merged, everything else is replaced.',
            'A key may be a path: `choices.0.message.content`.',
          ].join(' '),
        ),
      unset: z.array(z.string().min(1)).min(1).optional().describe('Paths to remove from that body.'),
      headers: header('Headers to set in the reply; null removes one.').optional(),
      text: z
        .string()
        .optional()
        .describe('The text of the answer; short for a stream script with one text.'),
      choices: choices(items).optional(),
      stream: streamSchema(items).optional(),
      delay: delay
        .optional()
        .describe('Virtual time between the call and the first byte of its reply; seeded.'),
      upstream: upstream.optional().describe('What the upstream of a decision evaluation does.'),
      fault: z
        .union([fault, z.array(fault).min(1)])
        .optional()
        .describe('One or several faults: a name, or `{ kind: …, options, chance }`.'),
      setState: z
        .record(z.string(), z.string())
        .optional()
        .describe('Named states of the session to set when the rule answers.'),
      offContract: z
        .boolean()
        .optional()
        .describe(
          'Breaks the contract on purpose. Otherwise a timeline, reply or patch that breaks it is refused.',
        ),
    })
    .meta({ id: 'Answer', description: 'What the call gets. An empty object means the default behaviour.' })
}

export function thenSchema(kinds: readonly ScriptedKind[]) {
  const answer = answerSchema(kinds)
  return answer
    .extend({
      sequence: z
        .array(answer)
        .min(1)
        .optional()
        .describe('Answers in order: the first call gets the first one.'),
      end: z
        .enum(['last', 'cycle', 'pass'])
        .optional()
        .describe(
          [
            'What follows the last answer of `sequence`: `last` repeats it (the default),',
            '`cycle` starts again, `pass` leaves the call to later rules.',
          ].join(' '),
        ),
      weighted: z
        .array(
          z.strictObject({
            weight: z.number().positive().describe('How likely it is, relative to the others.'),
            then: answer,
          }),
        )
        .min(2)
        .optional()
        .describe('One of several answers at random; seeded, so the same calls always get the same answers.'),
    })
    .meta({ id: 'Then', description: 'What the call gets. An empty object means the default behaviour.' })
}

export type AnswerSpec = z.output<ReturnType<typeof answerSchema>>
export type ThenSpec = z.output<ReturnType<typeof thenSchema>>
export type ErrorSpec = NonNullable<AnswerSpec['error']>
export type JobSpec = NonNullable<AnswerSpec['job']>
export type DelaySpec = NonNullable<AnswerSpec['delay']>
