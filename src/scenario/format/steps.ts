/** The steps that `replay` runs, with their expectations. */

import * as z from 'zod'
import { anyJson, duration, flag, matcher, matchers, optional, text, texts } from '../values.ts'
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
    .describe('Parts of the response to save: `id: body.id`, `text: stream.text`.')

function streamExpectation() {
  const event = z.strictObject({
    index: optional(
      z.union([z.int().min(0), z.enum(['last'])]),
      'The index of the event, from 0. Default: the next event.',
    ),
    event: optional(z.string(), 'The name of the event.'),
    data: matcher('The data of the event: JSON, or a string such as `[DONE]`.'),
    elapsed: matcher('Virtual milliseconds from the request to the event.'),
  })
  const toolCall = z.strictObject({
    name: matcher('The name of the tool.'),
    arguments: matcher('The arguments, as JSON.'),
  })
  return z.strictObject({
    text: matcher('Whole text.'),
    reasoning: matcher('Whole reasoning.'),
    refusal: matcher('Whole refusal.'),
    toolCalls: optional(z.array(toolCall), 'All tool calls, in order.'),
    finish: matcher('Finish reason, as named by the API or by OpenAI.'),
    usage: matcher("Usage, with the API's field names."),
    eventCount: matcher('Number of events.'),
    events: optional(z.array(event).min(1), 'Individual events; also `data` and `elapsed`.'),
    error: matcher('Error event. Default: none.'),
    ended: optional(z.enum(streamEnds), 'End of the stream. Default: `completed`.'),
  })
}

function expectation() {
  return z
    .strictObject({
      status: matcher('Default: below 400.'),
      headers: matchers('Headers; names are case-insensitive.'),
      body: matcher('Fields of the JSON body.'),
      text: matcher('Body as a string.'),
      bytes: matcher('Size of the body.'),
      stream: optional(streamExpectation(), 'The stream.'),
      took: matcher('Virtual milliseconds before the response.'),
      broken: optional(
        z.enum(breaks),
        'Connection failure. `reset`: before any response. `hang`: the response or its end never arrived. ' +
          '`truncated`: in the middle of the body.',
      ),
      offContract: flag('Allows violations of the contract. By default, they fail the step.'),
    })
    .meta({ id: 'Expectation', description: 'Expected response. Unlisted fields are ignored.' })
}

const json = (description: string) =>
  optional(
    z.record(
      z.string(),
      anyJson('A value. A file in form data is `{ text | base64 | file | image, filename?, contentType? }`.'),
    ),
    description,
  )

const name = () => text('Name in reports.')

const callStep = (operations: readonly string[], expect: ReturnType<typeof expectation>) =>
  z.strictObject({
    name: name(),
    call: z.enum(operations as [string]).describe('The operation.'),
    with: json('Path parameters and body fields, or query parameters if the operation takes no body.'),
    query: json('Query parameters.'),
    headers: texts('Additional headers.'),
    key: optional(
      z.string(),
      'API key. An empty string sends no key. Default: the first of `keys`, or `sk-scenario`.',
    ),
    form: flag('Form instead of JSON.'),
    stopAfter: optional(z.int().min(0), 'Number of events before the client disconnects.'),
    waitFor: optional(expect, 'Repeats the request until the response matches.'),
    interval: duration('Time between repetitions. Default: 1s.').optional(),
    timeout: duration('Maximum time for `waitFor`. Default: 1h.').optional(),
    expect: expect.optional(),
    save: saves().optional(),
  })

const fetchStep = (expect: ReturnType<typeof expectation>) =>
  z.strictObject({
    name: name(),
    fetch: z.string().min(1).describe('URL from an earlier response.'),
    method: optional(z.enum(['GET', 'PUT', 'POST', 'HEAD', 'DELETE']), 'Method of `fetch`. Default: GET.'),
    headers: texts('Request headers.'),
    key: text('API key, sent only to the gateway. Signed URLs need none.'),
    content: optional(content(), 'Request body.'),
    expect: expect.optional(),
    save: saves().optional(),
  })

const advanceStep = () =>
  z.strictObject({
    name: name(),
    advance: duration('Advances virtual time by this duration.'),
  })

export function stepSchema(operations: readonly string[]) {
  const expect = expectation()
  return z
    .union([callStep(operations, expect), fetchStep(expect), advanceStep()])
    .meta({ id: 'Step', description: 'One action of a client: `call`, `fetch` or `advance`.' })
}

export type Expectation = z.output<ReturnType<typeof expectation>>
export type EventExpectation = NonNullable<NonNullable<Expectation['stream']>['events']>[number]
export type CallStep = z.output<ReturnType<typeof callStep>>
export type FetchStep = z.output<ReturnType<typeof fetchStep>>
export type AdvanceStep = z.output<ReturnType<typeof advanceStep>>
export type Step = CallStep | FetchStep | AdvanceStep

/** A step as a file writes it. */
export type StepInput = z.input<ReturnType<typeof stepSchema>>
