/** The format of a rule: its conditions and its response. */

import * as z from 'zod'
import { type RejectionType, rejections } from '../../protocol/errors.ts'
import { isHeaderText, transportHeaders } from '../../protocol/response.ts'
import type { ScriptedKind } from '../../protocol/scripted.ts'
import { faultSchema } from '../faults/all.ts'
import { hasTemplates } from '../templates.ts'
import { anyJson, calls, duration, type Moment, moment, optional, position, shape, wait } from '../values.ts'
import { timelineSchema } from './given.ts'
import { callSchema, finishWord, scriptItems, scriptSchema, streamSchema } from './stream.ts'

const shapesByName = (description: string) =>
  z.record(z.string(), shape('A condition on the value.')).describe(description)

/** `operations` are the ids that exist; groups (`imageJobs.*`) and `*` are added. */
export function whenSchema(operations: readonly string[]) {
  const groups = [...new Set(operations.map((id) => `${id.split('.')[0]}.*`))]
  const operation = z.enum([...operations, ...groups, '*'] as [string])
  return z
    .strictObject({
      operation: optional(
        z.union([operation, z.array(operation).min(1)]),
        'One or more operations, a group such as `imageJobs.*`, or `*`. Default: all operations.',
      ),
      key: shape('The API key. `*` at the end is a wildcard.').optional(),
      model: shape('The model. `*` at the end is a wildcard.').optional(),
      body: shape(
        'Fields of a JSON or form body. A file in form data is `{ filename, contentType, size, sha256 }`.',
      ).optional(),
      query: shapesByName('Query parameters.').optional(),
      headers: shapesByName('Headers. Names are case-insensitive.').optional(),
      path: shapesByName('Path parameters such as `video_id`.').optional(),
      conversation: optional(
        z.strictObject({
          lastUser: shape('The text of the last user message.').optional(),
          toolResult: shape(
            'The text of the last tool result after the last user message. `true` matches any tool ' +
              'result; `false` matches requests without a tool result.',
          ).optional(),
          turn: shape(
            'The number of the assistant turn that the request asks for: 1 in a new conversation.',
          ).optional(),
        }),
        'The conversation so far (chat and messages).',
      ),
      job: optional(
        z.strictObject({
          operation: shape('The operation that submitted the job, such as `videos.remix`.').optional(),
          model: shape('The model in the submission. `*` at the end is a wildcard.').optional(),
          prompt: shape('The prompt in the submission.').optional(),
          body: shape('Fields in the body of the submission.').optional(),
        }),
        'The submission of the job that the request concerns, such as the job that it polls.',
      ),
      flags: optional(z.record(z.string(), shape('The value of the flag.')), 'Flags of the session.'),
      during: optional(
        z
          .strictObject({
            from: optional(moment(), 'The start: a timestamp, or the time since the session started.'),
            until: optional(moment(), 'The end (exclusive), in the same format.'),
          })
          .refine(
            ({ from, until }) => from === undefined || until === undefined || mayBeBefore(from, until),
            {
              path: ['until'],
              error: 'expected a time later than `from`',
            },
          ),
        'A window of virtual time.',
      ),
      nth: optional(
        z.union([position('A position, from 1.'), z.array(position('A position, from 1.')).min(1).max(1000)]),
        'The position among the requests that match all other conditions: 2 matches the second request. ' +
          'Requests that match an earlier rule also count. Requests rejected before rules are evaluated ' +
          '(wrong API key, invalid body) do not count.',
      ),
      first: position('Only the first n requests that match all other conditions.').optional(),
      skip: calls(0, 'All matching requests except the first n.').optional(),
      everyNth: position('Every nth matching request: 3 matches the third, the sixth, …').optional(),
      times: position('The maximum number of requests that the rule responds to.').optional(),
      per: optional(
        z.string({ error: 'expected job, key, model, or a request value such as headers.x-user' }),
        'Counts requests, and advances a `sequence`, separately for each `job`, `key`, `model`, or request ' +
          'value such as `body.metadata.user`, `headers.x-user` or `path.video_id`. Default: `session`, ' +
          'one count for the whole session.',
      ),
    })
    .meta({
      description: 'The conditions, all of which a request must match. Default: every request matches.',
    })
}

// The start of the session is unknown here: a timestamp and a duration cannot be compared.
function mayBeBefore(from: Moment, until: Moment): boolean {
  if ('at' in from) return !('at' in until) || from.at < until.at
  return 'at' in until || from.after < until.after
}

export type WhenSpec = z.output<ReturnType<typeof whenSchema>>

const headerName = () =>
  z
    .string()
    .refine((name) => /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,200}$/.test(name), 'expected letters, digits and dashes')
    .refine(
      (name) => !transportHeaders.has(name.toLowerCase()),
      'cannot be overridden: use the fault `wrong-length`, `truncate` or `reset` instead',
    )

const header = (description: string) =>
  z
    .record(
      headerName(),
      z
        .union([z.string(), z.number()])
        .nullable()
        .refine(
          (value) => value === null || hasTemplates(value) || isHeaderText(String(value)),
          'expected printable ASCII without line breaks (percent-encode é as %E9)',
        ),
    )
    .describe(description)

const error = () =>
  z
    .strictObject(
      {
        type: optional(
          z.union([z.enum(Object.keys(rejections) as [RejectionType]), z.string().min(1)]),
          'The `error.type`. With a `status`, it can be any string. Default: derived from `status`.',
        ),
        status: optional(
          z
            .int()
            .refine(
              (status) => status >= 400 && status <= 599,
              'expected a status from 400 to 599 (for any other status, write `response: { status, body }`)',
            )
            .meta({ minimum: 400, maximum: 599 }),
          'The HTTP status, 400 to 599. Default: derived from `type`.',
        ),
        code: optional(
          z.int(),
          'The numeric code in the error envelope, such as 2002, 2004 or 2007 for image jobs.',
        ),
        message: optional(z.string().min(1), 'The error message.'),
        param: optional(z.string().min(1), 'The field that caused the error.'),
        details: optional(
          z.array(z.record(z.string(), anyJson('The value.'))),
          'The `details` in the error envelope: a list of objects.',
        ),
        trace_id: optional(z.string().min(1), 'The `trace_id` in the error envelope. Default: generated.'),
        retryAfter: wait(
          'The `retry-after` header, with a unit (`7s`). Keep the duration short: SDKs wait in real time, ' +
            'whatever the clock mode.',
        ).optional(),
        before: optional(
          z.enum(['auth', 'validation']),
          'Rejects the request before this check. Default: after authentication and validation.',
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
      {
        path: ['type'],
        error: 'expected a known type such as rate_limit_error, or another type with a `status`',
      },
    )

const failure = () =>
  z
    .strictObject({
      failAt: optional(z.number().min(0).max(100), 'The job fails at this percentage of its duration.'),
      code: optional(z.string().min(1), 'The error code of the failure.'),
      message: optional(z.string().min(1), 'The error message of the failure.'),
      notFoundAt: optional(
        z.number().min(0).max(100),
        'The job returns 404 once this percentage of its duration has passed.',
      ),
      regressAt: optional(
        z.number().min(0).max(100),
        'At this percentage of its duration, the job returns to its first state and continues from there.',
      ),
      blocked: optional(
        z.array(z.int().min(0).max(3)).min(1),
        'Image jobs only: the indexes (from 0) of the images that moderation blocks.',
      ),
    })
    .refine(({ failAt, code }) => failAt !== undefined || code === undefined, {
      path: ['code'],
      error: 'applies only to a failure: add `failAt`',
    })
    .refine(({ failAt, message }) => failAt !== undefined || message === undefined, {
      path: ['message'],
      error: 'applies only to a failure: add `failAt`',
    })
    .refine(({ failAt, blocked }) => failAt === undefined || blocked === undefined, {
      path: ['blocked'],
      error: 'conflicts with `failAt`: a job that fails has no images',
    })
    .refine(
      ({ failAt, notFoundAt }) => failAt === undefined || notFoundAt === undefined || notFoundAt > failAt,
      {
        path: ['notFoundAt'],
        error: 'expected a percentage above `failAt` (an earlier 404 hides the failure)',
      },
    )

const job = () => z.union([z.enum(['created', 'stuck', 'finished']), failure()])

const delay = () =>
  z.union([
    duration('A fixed delay.'),
    z
      .strictObject({ from: duration('The minimum.'), to: duration('The maximum.') })
      .refine(({ from, to }) => from <= to, { path: ['to'], error: 'expected a duration of at least `from`' })
      .describe('A delay distributed uniformly between two durations.'),
    z
      .strictObject({
        median: duration('The median: half of the requests take longer.'),
        sigma: z.number().positive().max(4).describe('The spread, for example 0.5.'),
        max: duration('The maximum.').optional(),
      })
      .describe('A log-normally distributed delay, like real latencies.'),
  ])

const upstream = () =>
  z
    .strictObject({
      status: optional(
        z.int().min(400).max(599),
        "The upstream's status. The gateway maps 422 to 400 and 5xx to 503, and passes on 429.",
      ),
      usage: optional(
        z.enum(['missing', 'invalid']),
        "The error in the upstream's usage data. The gateway returns 502.",
      ),
      fields: optional(
        z.record(z.string(), anyJson('The value.')),
        'Additional fields that the gateway passes through.',
      ),
    })
    .refine(
      (given) => Object.keys(given).length === 1,
      'expected exactly one of `status`, `usage` and `fields`',
    )

const response = () =>
  z
    .strictObject({
      status: optional(z.int().min(200).max(599), 'The HTTP status. Default: 200.'),
      body: anyJson('The JSON body.').optional(),
      text: optional(z.string(), 'The body as a string, instead of JSON.'),
      base64: optional(z.base64(), 'The bytes of the body, in Base64.'),
      file: optional(
        z.string().min(1),
        'A file that contains the body: a path relative to the folder of the scenario file. The file must ' +
          'be in that folder or in a folder allowed with --allow-files.',
      ),
      contentType: optional(
        z.string().regex(/^[\x20-\x7e]+$/, 'expected printable ASCII characters'),
        'The content type. Default: derived from the bytes and the file name.',
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
      {
        path: ['contentType'],
        error: 'applies only to `file`, `base64` and `text`: set `content-type` under `headers` instead',
      },
    )

const choices = (items: ReturnType<typeof scriptItems>) =>
  z
    .array(
      z
        .strictObject({
          text: optional(z.string(), 'The text: shorthand for a script with one `text` item.'),
          script: optional(scriptSchema(items), 'The content, as in `stream.script`.'),
          finish: optional(finishWord(), 'The finish reason.'),
        })
        .refine(
          ({ text, script }) => (text === undefined) !== (script === undefined),
          'expected either `text` or `script`',
        )
        .refine(({ script, finish }) => finish === undefined || !script?.some((item) => 'finish' in item), {
          path: ['finish'],
          error: 'conflicts with `finish` in the script: keep one of them',
        }),
    )
    .min(1)
    .describe(
      'Chat only: one response for each choice of a request with `n`. The last response is reused ' +
        'for all remaining choices.',
    )

function answerSchema(kinds: readonly ScriptedKind[]) {
  const fault = faultSchema()
  const items = scriptItems()
  return z
    .strictObject({
      error: optional(error(), "Rejects the request with the API's error envelope."),
      job: optional(
        job(),
        'The outcome of the job that the request creates. With `error`, the request is rejected, but the ' +
          'job exists. `created` keeps the default outcome.',
      ),
      timeline: timelineSchema(kinds).optional(),
      response: optional(response(), 'The whole response. The service does not process the request.'),
      patch: optional(
        z.record(z.string(), anyJson('The new value. `null` sets the field to null.')),
        'Changes to the JSON body of the response. Objects are merged; everything else is replaced. A key ' +
          'can be a path: `choices.0.message.content`.',
      ),
      unset: optional(
        z.array(z.string().min(1)).min(1),
        'Paths to remove from the JSON body of the response.',
      ),
      headers: header('Headers to set in the response. `null` removes a header.').optional(),
      text: optional(
        z.string(),
        'The text of the response: shorthand for a stream script with one `text` item.',
      ),
      call: optional(
        callSchema(),
        'The tool, or several, that the response calls. A name takes the arguments from the message and ' +
          'the schema of the tool. A call with a result is not repeated.',
      ),
      choices: choices(items).optional(),
      stream: streamSchema(items).optional(),
      delay: optional(
        delay(),
        'Virtual time from the request to the first byte of the response. Random delays are seeded.',
      ),
      upstream: optional(upstream(), "The upstream's response to a decision evaluation."),
      fault: optional(
        z.union([fault, z.array(fault).min(1)]),
        'One or more faults: names, or objects with `kind`, options and `chance`.',
      ),
      setFlags: optional(z.record(z.string(), z.string()), 'Session flags to set when the rule responds.'),
      offContract: optional(
        z.boolean(),
        'Allows a timeline, response or patch that violates the contract. Default: false.',
      ),
    })
    .refine(({ job, error }) => job !== 'created' || error !== undefined, {
      path: ['job'],
      error: '`job: created` applies only to rejected requests: add an `error`',
    })
    .meta({ id: 'Answer', description: 'The response. An empty object (`{}`) returns the default response.' })
}

export function thenSchema(kinds: readonly ScriptedKind[]) {
  const answer = answerSchema(kinds)
  return answer
    .extend({
      sequence: optional(
        z.array(answer).min(1),
        'The responses in order: the first request gets the first response, the second request the second.',
      ),
      end: optional(
        z.enum(['last', 'cycle', 'pass']),
        'The response after the end of `sequence`: `last` (the default) repeats the last response, ' +
          '`cycle` starts again, and `pass` leaves the request to later rules.',
      ),
      weighted: optional(
        z
          .array(
            z.strictObject({
              weight: z
                .number()
                .positive()
                .describe('The weight of this response relative to the other responses.'),
              then: answer,
            }),
          )
          .min(2),
        'Responses to choose from at random. The choice is seeded: the same requests always get the same ' +
          'responses.',
      ),
    })
    .refine(({ sequence, end }) => end === undefined || sequence !== undefined, {
      path: ['end'],
      error: 'has no effect without a `sequence`: remove this key, or add a `sequence`',
      // The `sequence` may be misspelt.
      when: ({ issues }) => issues.length === 0,
    })
    .superRefine((then, context) => {
      const { sequence, weighted, end: _, ...own } = then
      if (sequence === undefined && weighted === undefined) return
      const several = sequence === undefined ? 'weighted' : 'sequence'
      const others = sequence !== undefined && weighted !== undefined ? ['weighted'] : []
      for (const name of [...others, ...Object.keys(own)])
        context.addIssue({
          code: 'custom',
          path: [name],
          message: `conflicts with \`${several}\`: put this key into each response`,
        })
    })
    .meta({ id: 'Then', description: 'The response. An empty object (`{}`) returns the default response.' })
}

export type AnswerSpec = z.output<ReturnType<typeof answerSchema>>
export type ThenSpec = z.output<ReturnType<typeof thenSchema>>
export type ErrorSpec = NonNullable<AnswerSpec['error']>
export type JobSpec = NonNullable<AnswerSpec['job']>
export type DelaySpec = NonNullable<AnswerSpec['delay']>
