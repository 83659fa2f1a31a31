/** The steps of a client that `replay` takes, and what they expect. */
import * as z from 'zod'
import { content } from './given.ts'
import { anyJson, duration, instant, shape } from './values.ts'

/** How a stream ended. */
export const streamEnds = ['done', 'end', 'broken', 'silent', 'left'] as const
export type StreamEnd = (typeof streamEnds)[number]

/** How a call fails below HTTP. */
const breaks = ['reset', 'hang', 'truncated'] as const
export type Break = (typeof breaks)[number]

const saves = z
  .record(
    z.string().regex(/^[A-Za-z_]\w*$/, 'expected a name of letters, digits and underscores'),
    z.string().min(1),
  )
  .describe('Parts of the reply to save, by name: `body.id`, `headers.x-request-id`, `stream.text`.')

function streamExpectation() {
  const event = z.strictObject({
    at: z
      .union([z.int().min(0), z.enum(['last'])])
      .optional()
      .describe('Which event, counted from 0; by default the one after the previous.'),
    event: z.string().optional().describe('Its name.'),
    data: shape('Its data: JSON, or text such as `[DONE]`.').optional(),
    after: shape('Virtual milliseconds after the call.').optional(),
  })
  return z.strictObject({
    text: shape('The whole text.').optional(),
    reasoning: shape('The whole reasoning.').optional(),
    refusal: shape('The whole refusal.').optional(),
    toolCalls: z
      .array(
        z.strictObject({
          name: shape('The tool.').optional(),
          arguments: shape('Its arguments, as JSON.').optional(),
        }),
      )
      .optional()
      .describe('All tool calls, in order.'),
    finish: shape(
      "The finish reason: the API's own word, or `stop`, `length`, `tool_calls`, `content_filter`.",
    ).optional(),
    usage: shape("The usage, with the API's own field names.").optional(),
    count: shape('The number of events.').optional(),
    events: z.array(event).min(1).optional().describe('Individual events.'),
    error: shape('The error event; there must be none when left out.').optional(),
    ended: z
      .enum(streamEnds)
      .optional()
      .describe(
        [
          'How it ended: `done` with its end marker (the default), `end` without it,',
          '`broken` by the connection, `silent` when no more events arrived, or `left` by the client',
          '(`stopAfter`).',
        ].join(' '),
      ),
  })
}

function expectation() {
  return z
    .strictObject({
      status: shape('The HTTP status; below 400 if neither it nor `broken` is given.').optional(),
      headers: z
        .record(z.string(), shape('Its value.'))
        .optional()
        .describe('Headers; their names are not case-sensitive.'),
      body: shape('Part of the JSON body.').optional(),
      text: shape('The body as text.').optional(),
      bytes: shape('The size of the body in bytes.').optional(),
      stream: streamExpectation().optional().describe('The stream.'),
      took: shape('Virtual milliseconds until the reply started.').optional(),
      broken: z
        .enum(breaks)
        .optional()
        .describe(
          [
            'How the call failed below HTTP: `reset` before any reply, `hang` without a reply or its end,',
            'or `truncated` in the middle of the body.',
          ].join(' '),
        ),
      fired: z
        .array(shape('A change: `{ resource, id, from, to }`.'))
        .optional()
        .describe('Only after `advance`: some of the changes that fell due.'),
      offContract: z
        .boolean()
        .optional()
        .describe(
          'The reply breaks the contract on purpose. Otherwise replies and events are checked against it.',
        ),
    })
    .meta({
      id: 'Expectation',
      description: 'What must hold; anything that is not named is ignored.',
    })
}

const json = (description: string) =>
  z
    .record(
      z.string(),
      anyJson('A value. A file in a form is `{ text | base64 | file | picture, filename?, type? }`.'),
    )
    .describe(description)

const name = z.string().min(1).optional().describe('The name of the step in reports.')

const callStep = (operations: readonly string[], expect: ReturnType<typeof expectation>) =>
  z.strictObject({
    name,
    call: z.enum(operations as [string]).describe('The operation.'),
    with: json(
      [
        'Path parameters, and fields of the body (of the query if the operation takes no body). The `name`',
        'of a long-running operation stands for all parameters of its path.',
      ].join(' '),
    ).optional(),
    query: json('Query parameters of an operation that also takes a body.').optional(),
    headers: z.record(z.string(), z.string()).optional().describe('Additional headers.'),
    key: z
      .string()
      .optional()
      .describe('The API key; by default the first one of the account, or `sk-scenario`. Empty for none.'),
    form: z.boolean().optional().describe('Sends a form instead of JSON.'),
    stopAfter: z.int().min(0).optional().describe('Disconnects after this many events of the stream.'),
    until: expect.optional().describe('Repeats the call until this holds.'),
    every: duration('The virtual time between the calls of `until`; 1 s when left out.').optional(),
    limit: duration('The maximum virtual time for `until`; 1 h when left out.').optional(),
    expect: expect.optional(),
    save: saves.optional(),
  })

const fetchStep = (expect: ReturnType<typeof expectation>) =>
  z.strictObject({
    name,
    fetch: z.string().min(1).describe('An address from an earlier reply: `${upload_url}`.'),
    method: z.enum(['GET', 'PUT', 'POST', 'HEAD', 'DELETE']).optional().describe('GET when left out.'),
    headers: z.record(z.string(), z.string()).optional().describe('The request headers.'),
    key: z
      .string()
      .min(1)
      .optional()
      .describe(
        [
          'An API key, for addresses of the gateway itself: sent as the operation there takes it, and never',
          'to another server. Signed addresses need none.',
        ].join(' '),
      ),
    content: content.optional().describe('The request body.'),
    expect: expect.optional(),
    save: saves.optional(),
  })

const advanceStep = (expect: ReturnType<typeof expectation>) =>
  z.strictObject({
    name,
    advance: z
      .union([
        duration('By this duration.'),
        z.strictObject({ to: instant('To this instant.') }),
        z.strictObject({
          until: z.enum(['next', 'idle']).describe('To the next change, or until nothing is due.'),
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
    name,
    parallel: z.array(step).min(1).describe('Steps that start together.'),
  })
  return step
}

export type Expectation = z.output<ReturnType<typeof expectation>>
export type EventExpectation = NonNullable<NonNullable<Expectation['stream']>['events']>[number]
export type CallStep = z.output<ReturnType<typeof callStep>>
export type FetchStep = z.output<ReturnType<typeof fetchStep>>
export type AdvanceStep = z.output<ReturnType<typeof advanceStep>>
/** Not inferred, because it contains steps itself. */
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
