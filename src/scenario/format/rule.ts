/** The format of a rule: its conditions and its response. */

import * as z from 'zod'
import { type RejectionType, rejections } from '../../protocol/errors.ts'
import { isHeaderText, transportHeaders } from '../../protocol/response.ts'
import type { ScriptedKind } from '../../protocol/scripted.ts'
import { faultSchema } from '../faults/all.ts'
import { hasTemplates } from '../templates.ts'
import {
  anyJson,
  at,
  duration,
  flag,
  matcher,
  matchers,
  optional,
  position,
  text,
  texts,
  wait,
} from '../values.ts'
import { timelineSchema } from './given.ts'
import { callSchema, scriptItems, scriptSchema, streamSchema } from './stream.ts'

/** `operations` are the ids that exist; groups (`imageJobs.*`) and `*` are added. */
export function whenSchema(operations: readonly string[]) {
  const groups = [...new Set(operations.map((id) => `${id.split('.')[0]}.*`))]
  const operation = z.enum([...operations, ...groups, '*'] as [string])
  return z
    .strictObject({
      operation: optional(z.union([operation, z.array(operation).min(1)]), 'Default: all.'),
      key: matcher('API key. `*` at the end is a wildcard.'),
      model: matcher('Model. `*` at the end is a wildcard.'),
      body: matcher(
        'Fields of a JSON body or form. A file in a form is `{ filename, contentType, size, sha256 }`.',
      ),
      query: matchers('Query parameters.'),
      headers: matchers('Headers; names are case-insensitive.'),
      path: matchers('Path parameters.'),
      conversation: optional(
        z.strictObject({
          lastUser: matcher('Last user message.'),
          toolResult: matcher('Last tool result; `true` for any, `false` for none.'),
          turn: matcher("The assistant's turn, from 1."),
        }),
        'The conversation so far (chat and messages).',
      ),
      flags: matchers('Flags of the session.'),
      during: optional(during(), 'A window of virtual time.'),
      nth: optional(
        z.union([position('A position, from 1.'), z.array(position('A position, from 1.')).min(1).max(1000)]),
        'Numbers of matching requests. Requests that match an earlier rule count; requests that are ' +
          'rejected before rules are evaluated do not.',
      ),
      first: position('First n matching requests.').optional(),
      everyNth: position('Every nth matching request.').optional(),
      times: position('Maximum number of responses.').optional(),
      per: optional(
        z.string({ error: 'expected job, key, model, or a request value such as headers.x-user' }),
        'Separate counts per `job`, `key`, `model` or value (`headers.x-user`). Default: `session`.',
      ),
    })
    .meta({
      description: 'Conditions that must all match. Default: every request.',
    })
}

const during = () =>
  z
    .strictObject({
      from: duration("Time since the session's start.").optional(),
      until: duration('End, exclusive.').optional(),
    })
    .refine(
      ({ from = 0, until = Infinity }) => from < until,
      at('until', 'expected a time later than `from`'),
    )

export type WhenSpec = z.output<ReturnType<typeof whenSchema>>

const headerName = () =>
  z
    .string()
    .refine((name) => /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,200}$/.test(name), 'expected letters, digits and dashes')
    .refine(
      (name) => !transportHeaders.has(name.toLowerCase()),
      'cannot be overridden: use the fault `wrong-length`, `truncate` or `reset` instead',
    )

const headerValue = () =>
  z
    .union([z.string(), z.number()])
    .nullable()
    .refine(
      (value) => value === null || hasTemplates(value) || isHeaderText(String(value)),
      'expected printable ASCII without line breaks (percent-encode é as %E9)',
    )

const error = () =>
  z
    .strictObject(
      {
        type: optional(
          z.union([z.enum(Object.keys(rejections) as [RejectionType]), z.string().min(1)]),
          '`error.type`. With a `status`, it can be any string. Default: from `status`.',
        ),
        status: optional(
          z
            .int()
            .refine(
              (status) => status >= 400 && status <= 599,
              'expected a status from 400 to 599 (for any other status, write `response: { status, body }`)',
            )
            .meta({ minimum: 400, maximum: 599 }),
          'HTTP status. Default: from `type`.',
        ),
        code: optional(z.int(), 'Numeric code.'),
        message: text('Error message.'),
        param: text('Field with the error.'),
        retryAfter: wait('`retry-after` header; SDKs wait in real time.').optional(),
        before: optional(
          z.enum(['auth', 'validation']),
          'The check that the error precedes. Default: after validation.',
        ),
      },
      'expected an object such as { status: 424 } or { type: rate_limit_error }',
    )
    .refine(
      ({ type, status }) => type !== undefined || status !== undefined,
      'expected a `type`, a `status`, or both',
    )
    .refine(
      ({ type, status }) => type === undefined || status !== undefined || Object.hasOwn(rejections, type),
      at('type', 'expected a known type such as rate_limit_error, or another type with a `status`'),
    )

const percentage = (description: string) => optional(z.number().min(0).max(100), description)

const failure = () =>
  z
    .strictObject({
      failAt: percentage('Percentage of the duration at which the job fails.'),
      code: text('Error code.'),
      message: text('Error message.'),
      notFoundAt: percentage('404 from this percentage on.'),
      regressAt: percentage('Return to the first state at this percentage.'),
      blocked: optional(z.array(z.int().min(0).max(3)).min(1), 'Image jobs: indexes of blocked images.'),
    })
    .superRefine(({ failAt, code, message, blocked, notFoundAt }, context) => {
      const wrong = (key: string, error: string): void =>
        context.addIssue({ code: 'custom', path: [key], message: error })
      const alone = failAt === undefined ? Object.entries({ code, message }) : []
      for (const [key, value] of alone)
        if (value !== undefined) wrong(key, 'applies only to a failure: add `failAt`')
      if (failAt === undefined) return
      if (blocked !== undefined) wrong('blocked', 'conflicts with `failAt`: a job that fails has no images')
      if (notFoundAt !== undefined && notFoundAt <= failAt)
        wrong('notFoundAt', 'expected a percentage above `failAt` (an earlier 404 hides the failure)')
    })

const delay = () =>
  z.union([
    duration('A fixed delay.'),
    z
      .strictObject({
        from: duration('Minimum of a delay, or start of a ramp.'),
        to: duration('Maximum of a delay, or end of a ramp.'),
      })
      .refine(({ from, to }) => from <= to, at('to', 'expected a duration of at least `from`'))
      .describe('A delay distributed uniformly between two durations.'),
    z
      .strictObject({
        median: duration('Median of a log-normal delay.'),
        sigma: z.number().positive().max(4).describe('Spread of a log-normal delay.'),
        max: duration('Maximum of a log-normal delay.').optional(),
      })
      .describe('A log-normally distributed delay, like real latencies.'),
  ])

const upstream = () =>
  z
    .strictObject({
      status: optional(z.int().min(400).max(599), 'Error status.'),
      usage: optional(z.enum(['missing', 'invalid']), 'Missing or invalid usage; the gateway returns 502.'),
      fields: optional(z.record(z.string(), anyJson('The value.')), 'Additional fields.'),
    })
    .refine(
      (given) => Object.keys(given).length === 1,
      'expected exactly one of `status`, `usage` and `fields`',
    )

const response = () =>
  z
    .strictObject({
      status: optional(z.int().min(200).max(599), 'HTTP status. Default: 200.'),
      body: anyJson('JSON body.').optional(),
      text: optional(z.string(), 'String instead of JSON.'),
      base64: optional(z.base64(), 'Bytes.'),
      file: text('File with the bytes, beside the scenario or in `--allow-files`.'),
      contentType: optional(
        z.string().regex(/^[\x20-\x7e]+$/, 'expected printable ASCII characters'),
        'Default: from the bytes and the file name.',
      ),
    })
    .refine(
      ({ body, text, base64, file }) =>
        [body, text, base64, file].filter((one) => one !== undefined).length < 2,
      'expected at most one of `body`, `text`, `base64` and `file`',
    )
    .refine(
      ({ contentType, text, base64, file }) =>
        contentType === undefined || (text ?? base64 ?? file) !== undefined,
      at(
        'contentType',
        'applies only to `file`, `base64` and `text`: set `content-type` under `headers` instead',
      ),
    )

const choice = (items: ReturnType<typeof scriptItems>) =>
  z
    .strictObject({
      text: optional(z.string(), 'Text: a script with one `text` item.'),
      script: optional(scriptSchema(items), 'Content, as in `stream.script`.'),
    })
    .refine(
      ({ text, script }) => (text === undefined) !== (script === undefined),
      'expected either `text` or `script`',
    )

const anAnswer = 'Response; `{}` is the default response.'

function answerSchema(kinds: readonly ScriptedKind[]) {
  const fault = faultSchema()
  const items = scriptItems()
  return z
    .strictObject({
      error: optional(error(), 'API error.'),
      job: optional(
        z.union([z.enum(['created', 'stuck', 'finished']), failure()]),
        'Lifecycle of the created job. With `error`, the request is rejected, but the job exists.',
      ),
      timeline: timelineSchema(kinds).optional(),
      response: optional(response(), 'Whole response. The service does not process the request.'),
      patch: optional(
        z.record(z.string(), anyJson('The new value. `null` sets the field to null.')),
        'Changes to the JSON body, by path. Objects are merged; everything else is replaced.',
      ),
      unset: optional(z.array(z.string().min(1)).min(1), 'Paths to remove.'),
      headers: optional(z.record(headerName(), headerValue()), 'Headers to set; null removes a header.'),
      text: optional(z.string(), 'Response text.'),
      call: optional(
        callSchema(),
        'Tool to call; `{ get_weather: { city: Paris } }` sets the arguments. A call with a result is not ' +
          'repeated.',
      ),
      choices: optional(z.array(choice(items)).min(1), 'Chat: one entry per choice (`n`); the last repeats.'),
      stream: streamSchema(items).optional(),
      delay: optional(delay(), 'Virtual time before the first byte.'),
      upstream: optional(upstream(), 'Response of the upstream to a decision evaluation.'),
      fault: optional(z.union([fault, z.array(fault).min(1)]), 'One fault or several.'),
      setFlags: texts('Flags to set when the rule responds.'),
      offContract: flag('Allows violations of the contract. Default: false.'),
    })
    .refine(
      ({ job, error }) => job !== 'created' || error !== undefined,
      at('job', '`job: created` applies only to rejected requests: add an `error`'),
    )
    .meta({ id: 'Answer', description: anAnswer })
}

export function thenSchema(kinds: readonly ScriptedKind[]) {
  const answer = answerSchema(kinds)
  return answer
    .extend({
      sequence: optional(z.array(answer).min(1), 'One response per request, in order.'),
      end: optional(
        z.enum(['last', 'cycle', 'pass']),
        'After `sequence`: repeat the last response, restart, or try later rules. Default: `last`.',
      ),
    })
    .refine(({ sequence, end }) => end === undefined || sequence !== undefined, {
      ...at('end', 'has no effect without a `sequence`: remove this key, or add a `sequence`'),
      // The `sequence` may be misspelt.
      when: ({ issues }) => issues.length === 0,
    })
    .superRefine((then, context) => {
      const { sequence, end: _, ...own } = then
      if (sequence === undefined) return
      const message = 'conflicts with `sequence`: put this key into each response'
      for (const name of Object.keys(own)) context.addIssue({ code: 'custom', path: [name], message })
    })
    .meta({ id: 'Then', description: anAnswer })
}

export type AnswerSpec = z.output<ReturnType<typeof answerSchema>>
export type ThenSpec = z.output<ReturnType<typeof thenSchema>>
export type ErrorSpec = NonNullable<AnswerSpec['error']>
export type JobSpec = NonNullable<AnswerSpec['job']>
export type DelaySpec = NonNullable<AnswerSpec['delay']>
