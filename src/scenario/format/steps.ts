/** The steps that `replay` runs, with their expectations. */

import * as z from 'zod'
import { anyJson, duration, optional, shape, timestamp } from '../values.ts'
import { content } from './given.ts'

export const streamEnds = ['completed', 'no-end-marker', 'disconnected', 'stalled', 'aborted'] as const
export type StreamEnd = (typeof streamEnds)[number]

const breaks = ['reset', 'hang', 'truncated'] as const
export type Break = (typeof breaks)[number]

const saves = () =>
  z
    .record(
      z.string().regex(/^[A-Za-z_]\w*$/, 'expected only letters, digits and underscores'),
      z.string().min(1),
    )
    .describe('Parts of the response to save for later steps, by name: `id: body.id`, `text: stream.text`.')

function streamExpectation() {
  const event = z.strictObject({
    index: optional(
      z.union([z.int().min(0), z.enum(['last'])]),
      'The index of the event, from 0. Default: the next event.',
    ),
    event: optional(z.string(), 'The name of the event.'),
    data: shape('The data of the event: JSON, or a string such as `[DONE]`.').optional(),
    elapsed: shape('Virtual milliseconds from the request to the event.').optional(),
  })
  return z.strictObject({
    text: shape('The whole text.').optional(),
    reasoning: shape('The whole reasoning.').optional(),
    refusal: shape('The whole refusal.').optional(),
    toolCalls: optional(
      z.array(
        z.strictObject({
          name: shape('The name of the tool.').optional(),
          arguments: shape('The arguments, as JSON.').optional(),
        }),
      ),
      'All tool calls, in order.',
    ),
    finish: shape(
      "The finish reason: the API's own value, or `stop`, `length`, `tool_calls` or `content_filter`.",
    ).optional(),
    usage: shape("The usage, with the API's field names.").optional(),
    eventCount: shape('The number of events.').optional(),
    events: optional(z.array(event).min(1), 'Individual events.'),
    error: shape('The error event. Default: no error event may arrive.').optional(),
    ended: optional(
      z.enum(streamEnds),
      'How the stream ended. `completed`: with an end marker (default). `no-end-marker`: without an end ' +
        'marker. `disconnected`: the server cut the connection. `stalled`: no more events arrived. ' +
        '`aborted`: the client stopped reading (`stopAfter`).',
    ),
  })
}

function expectation() {
  return z
    .strictObject({
      status: shape('The HTTP status. Default: any status below 400, unless `broken` is set.').optional(),
      headers: optional(
        z.record(z.string(), shape('The value of the header.')),
        'Headers. Names are case-insensitive.',
      ),
      body: shape('Fields of the JSON body.').optional(),
      text: shape('The body as a string.').optional(),
      bytes: shape('The size of the body in bytes.').optional(),
      stream: optional(streamExpectation(), 'The stream.'),
      took: shape('Virtual milliseconds until the response started.').optional(),
      broken: optional(
        z.enum(breaks),
        'How the connection failed. `reset`: before any response. `hang`: the response or its ' +
          'end never arrived. `truncated`: in the middle of the body.',
      ),
      fired: optional(
        z.array(shape('A change: `{ resource, id, from, to }`.')),
        'The expected state changes of an `advance` step. Other changes are ignored.',
      ),
      offContract: optional(
        z.boolean(),
        'Allows the response to violate the contract. By default, violations fail the step.',
      ),
    })
    .meta({
      id: 'Expectation',
      description: 'The expected response. Unlisted fields are ignored.',
    })
}

const json = (description: string) =>
  z
    .record(
      z.string(),
      anyJson('A value. A file in form data is `{ text | base64 | file | image, filename?, contentType? }`.'),
    )
    .describe(description)

const name = () => optional(z.string().min(1), 'The name of the step in reports.')

const callStep = (operations: readonly string[], expect: ReturnType<typeof expectation>) =>
  z.strictObject({
    name: name(),
    call: z.enum(operations as [string]).describe('The operation.'),
    with: json(
      'Path parameters and body fields, or query parameters if the operation takes no body. The `name` of ' +
        'a video operation sets all its path parameters.',
    ).optional(),
    query: json('Query parameters of an operation that also takes a body.').optional(),
    headers: optional(z.record(z.string(), z.string()), 'Additional headers.'),
    key: optional(
      z.string(),
      'The API key. An empty string sends no key. Default: the first of `keys`, or `sk-scenario`.',
    ),
    form: optional(z.boolean(), 'Sends form data instead of JSON.'),
    stopAfter: optional(z.int().min(0), 'The number of stream events after which the client disconnects.'),
    waitFor: optional(expect, 'Repeats the request until the response matches.'),
    interval: duration('Virtual time between the requests of `waitFor`. Default: 1s.').optional(),
    timeout: duration('The maximum virtual time for `waitFor`. Default: 1h.').optional(),
    expect: expect.optional(),
    save: saves().optional(),
  })

const fetchStep = (expect: ReturnType<typeof expectation>) =>
  z.strictObject({
    name: name(),
    fetch: z.string().min(1).describe('A URL from an earlier response: `${upload_url}`.'),
    method: optional(z.enum(['GET', 'PUT', 'POST', 'HEAD', 'DELETE']), 'The HTTP method. Default: GET.'),
    headers: optional(z.record(z.string(), z.string()), 'The request headers.'),
    key: optional(
      z.string().min(1),
      'The API key. It is sent only to the gateway, in the header that the operation expects. Signed ' +
        'URLs need no key.',
    ),
    content: optional(content(), 'The request body.'),
    expect: expect.optional(),
    save: saves().optional(),
  })

const advanceStep = (expect: ReturnType<typeof expectation>) =>
  z.strictObject({
    name: name(),
    advance: z
      .union([
        duration('The duration to advance by.'),
        z.strictObject({
          to: z
            .union([z.enum(['next', 'idle']), timestamp('The time to advance to.')])
            .describe(
              'Where to stop: at a timestamp, at the `next` change, or when nothing more is due (`idle`).',
            ),
        }),
      ])
      .describe('Advances virtual time.'),
    expect: expect.optional(),
  })

export function stepSchema(operations: readonly string[]) {
  const expect = expectation()
  const [call, fetch, advance] = [callStep(operations, expect), fetchStep(expect), advanceStep(expect)]
  const step: z.ZodType<Step, StepInput> = z
    .lazy(() => z.union([call, fetch, advance, parallel]))
    .meta({
      id: 'Step',
      description: 'One action of a client: `call`, `fetch`, `advance` or `parallel`.',
    })
  const parallel = z.strictObject({
    name: name(),
    parallel: z.array(step).min(1).describe('Steps that start at the same time.'),
  })
  return step
}

export type Expectation = z.output<ReturnType<typeof expectation>>
export type EventExpectation = NonNullable<NonNullable<Expectation['stream']>['events']>[number]
export type CallStep = z.output<ReturnType<typeof callStep>>
export type FetchStep = z.output<ReturnType<typeof fetchStep>>
export type AdvanceStep = z.output<ReturnType<typeof advanceStep>>
/** Not inferred, because a step can contain steps. */
export interface ParallelStep<Inner = Step> {
  name?: string | undefined
  parallel: Inner[]
}
export type Step = CallStep | FetchStep | AdvanceStep | ParallelStep

/** A step as a file writes it. */
export type StepInput =
  | z.input<ReturnType<typeof callStep>>
  | z.input<ReturnType<typeof fetchStep>>
  | z.input<ReturnType<typeof advanceStep>>
  | ParallelStep<StepInput>
