/** The steps of a client that `replay` takes, and what they expect. */
import * as z from 'zod'
import { content } from './given.ts'
import { anyJson, duration, instant, shape } from './values.ts'

/** How a stream ended. */
export const streamEnds = ['done', 'end', 'broken', 'silent', 'left'] as const
export type StreamEnd = (typeof streamEnds)[number]

/** How a call failed below HTTP. */
const breaks = ['reset', 'hang', 'truncated'] as const
export type Break = (typeof breaks)[number]

const saves = z
  .record(
    z.string().regex(/^[A-Za-z_]\w*$/, 'expected a name of letters, digits and underscores'),
    z.string().min(1),
  )
  .describe('Names for parts of the reply: `body.id`, `headers.x-request-id`, `stream.text`.')

function streamExpectation() {
  const event = z.strictObject({
    at: z
      .union([z.int().min(0), z.enum(['last'])])
      .optional()
      .describe('Which event, counted from 0; the one after the event before when left out.'),
    event: z.string().optional().describe('Its name.'),
    data: shape('Its data: JSON, or a text such as `[DONE]`.').optional(),
    after: shape('Virtual milliseconds after the call.').optional(),
  })
  return z.strictObject({
    text: shape('All of its text.').optional(),
    reasoning: shape('All that was thought.').optional(),
    refusal: shape('All of the refusal.').optional(),
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
      [
        'Why it ended, in the word of the API or in that of scripts (`stop`, `length`, `tool_calls`,',
        '`content_filter`).',
      ].join(' '),
    ).optional(),
    usage: shape('Its usage, in the words of the API.').optional(),
    count: shape('How many events came.').optional(),
    events: z.array(event).min(1).optional().describe('Single events.'),
    error: shape('The error event; none may come when left out.').optional(),
    ended: z
      .enum(streamEnds)
      .optional()
      .describe(
        [
          'How it ended: `done` with its end marker (as when left out), `end` without it, `broken` by the',
          'connection, `silent` when nothing more came, `left` by the client (`stopAfter`).',
        ].join(' '),
      ),
  })
}

function expectation() {
  return z
    .strictObject({
      status: shape('The HTTP status; below 400 when neither it nor `broken` is given.').optional(),
      headers: z.record(z.string(), shape('Its value.')).optional().describe('Headers, by name in any case.'),
      body: shape('The JSON body, a part of it.').optional(),
      text: shape('The body as text.').optional(),
      bytes: shape('The size of the body in bytes.').optional(),
      stream: streamExpectation().optional().describe('What came as a stream.'),
      took: shape('Virtual milliseconds until the reply began.').optional(),
      broken: z
        .enum(breaks)
        .optional()
        .describe(
          [
            'The call failed below HTTP: no reply before the connection was reset, no reply (or no end of',
            'it) however long one waits, or a body that ended early.',
          ].join(' '),
        ),
      fired: z
        .array(shape('A change: `{ resource, id, from, to }`.'))
        .optional()
        .describe('After `advance`, and there alone: changes that it passed over, among others.'),
      offContract: z
        .boolean()
        .optional()
        .describe(
          [
            'The reply breaks the contract on purpose: without this word every reply and every event is',
            'held against it.',
          ].join(' '),
        ),
    })
    .meta({
      id: 'Expectation',
      description: 'What must be so; everything that is not named may be anything.',
    })
}

const json = (description: string) =>
  z
    .record(
      z.string(),
      anyJson('A value; a file of a form is `{ text | base64 | file | picture, filename?, type? }`.'),
    )
    .describe(description)

const name = z.string().min(1).optional().describe('What this step is, for people.')

const callStep = (operations: readonly string[], expect: ReturnType<typeof expectation>) =>
  z.strictObject({
    name,
    call: z.enum(operations as [string]).describe('The operation.'),
    with: json(
      'Parameters of its path, and the fields of its body (of its query, where it takes no body).',
    ).optional(),
    query: json('Fields of the query of an operation that has a body too.').optional(),
    headers: z.record(z.string(), z.string()).optional().describe('Further headers.'),
    key: z
      .string()
      .optional()
      .describe('The API key; the first one of the account when left out. Empty for none.'),
    form: z.boolean().optional().describe('Sends a form, where JSON would do.'),
    stopAfter: z.int().min(0).optional().describe('The client leaves after so many events of the stream.'),
    until: expect.optional().describe('Calls again until this is so, …'),
    every: duration('… so often, in virtual time (1 s when left out), …').optional(),
    limit: duration('… and at most for so long (1 h when left out).').optional(),
    expect: expect.optional(),
    save: saves.optional(),
  })

const fetchStep = (expect: ReturnType<typeof expectation>) =>
  z.strictObject({
    name,
    fetch: z.string().min(1).describe('An address that a reply has given: `${upload_url}`.'),
    method: z.enum(['GET', 'PUT', 'POST', 'HEAD', 'DELETE']).optional().describe('GET when left out.'),
    headers: z.record(z.string(), z.string()).optional().describe('Its headers.'),
    key: z
      .string()
      .min(1)
      .optional()
      .describe(
        [
          'The API key, sent as `Authorization: Bearer`, for an address of the gateway such as',
          '`/v1beta/${name}`. None when left out: signed addresses take none.',
        ].join(' '),
      ),
    content: content.optional().describe('What is sent.'),
    expect: expect.optional(),
    save: saves.optional(),
  })

const advanceStep = (expect: ReturnType<typeof expectation>) =>
  z.strictObject({
    name,
    advance: z
      .union([
        duration('By this much.'),
        z.strictObject({ to: instant('To this instant.') }),
        z.strictObject({
          until: z.enum(['next', 'idle']).describe('To the next change, or until nothing is due any more.'),
        }),
      ])
      .describe('Moves virtual time on.'),
    expect: expect.optional(),
  })

export function stepSchema(operations: readonly string[]) {
  const expect = expectation()
  const [call, fetch, advance] = [callStep(operations, expect), fetchStep(expect), advanceStep(expect)]
  const step: z.ZodType<Step, StepInput> = z
    .lazy(() => z.union([call, fetch, advance, parallel]))
    .meta({
      id: 'Step',
      description: 'One thing that a client does: `call`, `fetch`, `advance` or `parallel`.',
    })
  const parallel = z.strictObject({
    name,
    parallel: z.array(step).min(1).describe('Steps that begin together.'),
  })
  return step
}

export type Expectation = z.output<ReturnType<typeof expectation>>
export type EventExpectation = NonNullable<NonNullable<Expectation['stream']>['events']>[number]
export type CallStep = z.output<ReturnType<typeof callStep>>
export type FetchStep = z.output<ReturnType<typeof fetchStep>>
export type AdvanceStep = z.output<ReturnType<typeof advanceStep>>
/** Not inferred, for it holds steps itself. */
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
