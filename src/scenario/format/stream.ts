/** Stream scripts as scenario files write them: the content of an answer, chunk by chunk, for every API. */

import * as z from 'zod'
import { lazy } from '../../engine/fields.ts'
import { finishWords, type OwnFinishWord, ownFinishWords } from '../../protocol/script.ts'
import { faultSchema } from '../faults/all.ts'
import { duration, optional } from '../values.ts'

const words = (description: string) =>
  z
    .union([z.string(), z.array(z.string()).min(1)])
    .describe(`${description} A list gives the exact chunks; text is split into tokens.`)

const toolCall = lazy(() =>
  z
    .strictObject({
      name: z.string().min(1).describe('The name of the tool.'),
      arguments: z
        .union([z.record(z.string(), z.unknown()), words('JSON text, which may be invalid.')])
        .describe(
          'An object, or JSON text (which may be invalid); a list gives the exact chunks of that text.',
        ),
      id: optional(z.string().min(1), 'The id of the call; generated when left out.'),
    })
    .meta({ id: 'ToolCall', description: 'One tool call.' }),
)

const probability = lazy(() =>
  z
    .number()
    .max(0, 'expected a natural logarithm of a probability, at most 0')
    .describe('The natural logarithm of its probability.'),
)

const alternative = lazy(() => ({
  token: optional(z.string(), 'The token; the chunk of text when left out.'),
  logprob: probability(),
  bytes: optional(z.array(z.int().min(0).max(255)), 'Its bytes; those of the token when left out.'),
}))

const logprob = lazy(() =>
  z.union([
    probability(),
    z.strictObject({
      ...alternative(),
      top_logprobs: optional(z.array(z.strictObject(alternative())), 'The likeliest tokens.'),
    }),
  ]),
)

const citation = lazy(() =>
  z
    .looseObject({
      type: optional(z.string().min(1), "The API's own word, beside its own fields."),
      url: optional(z.string().min(1), 'The URL that is cited.'),
      title: optional(z.string(), 'Its title.'),
      cited_text: optional(z.string(), 'The words that are cited.'),
    })
    .refine(
      ({ type, url }) => type !== undefined || url !== undefined,
      'expected a `url` with its `title`, or a citation of the API with its `type`',
    ),
)

export const finishWord = () => z.enum([...finishWords, ...(Object.keys(ownFinishWords) as OwnFinishWord[])])

const tokens = (description: string) => optional(z.int().min(0), description)

/** The items of a script. Each is an object with a single key that says what it is. */
export function scriptItems() {
  return {
    text: z
      .strictObject({
        text: words('Text.'),
        logprobs: optional(
          z.array(logprob()).min(1),
          'The log probability of each chunk, for calls that ask for them; `text` is a list of chunks.',
        ),
        citations: optional(
          z.array(citation()).min(1),
          'What this text cites: annotations in chat, citations of a block of its own in messages.',
        ),
      })
      .refine(
        ({ text, logprobs }) =>
          logprobs === undefined || (Array.isArray(text) && text.length === logprobs.length),
        {
          path: ['logprobs'],
          error: 'expected `text` as a list, and one log probability for each chunk of it',
        },
      ),
    reasoning: z.strictObject({
      reasoning: words('Reasoning before the answer.'),
      signature: optional(
        z.string().min(1),
        'Messages: the signature that ends its block; generated when left out.',
      ),
    }),
    redacted: z.strictObject({
      redacted: z
        .union([z.string().min(1), z.literal(true)])
        .describe('Messages: a block of redacted thinking with this data; `true` generates it.'),
    }),
    refusal: z.strictObject({ refusal: words('A refusal.') }),
    toolCall: z.strictObject({ toolCall: toolCall() }),
    toolCalls: z.strictObject({
      toolCalls: z
        .array(toolCall())
        .min(2)
        .describe('Several calls with interleaved chunks, where the API allows it.'),
    }),
    usage: z.strictObject({
      usage: z
        .union([
          z.strictObject({
            input: tokens('Tokens of the prompt.'),
            output: tokens('Tokens of the answer.'),
            reasoning: tokens('Reasoning tokens, included in those of the answer.'),
            cached: tokens('Cached tokens, included in those of the prompt.'),
          }),
          z.literal('none'),
        ])
        .describe(
          'Usage instead of the counted tokens; `none` leaves out the usage event that a chat call has ' +
            'asked for.',
        ),
    }),
    finish: z.strictObject({
      finish: z
        .union([
          finishWord(),
          z.strictObject({
            stop_sequence: z.string().min(1).describe('Ended by this stop sequence, which messages name.'),
          }),
        ])
        .describe(
          'The finish reason instead of the one that follows from the content; each API says its own word ' +
            'for it.',
        ),
    }),
    wait: z.strictObject({ wait: duration('Time before the next item, in addition to the pace.') }),
    raw: z.strictObject({
      raw: z.string().min(1).describe('Written to the wire as is, including its line ends.'),
    }),
    fault: z.strictObject({ fault: faultSchema('stream').describe('A fault at this point.') }),
    partial: z.strictObject({
      partial: z.int().min(0).max(9).describe('Images: a partial version of this image, counted from 0.'),
    }),
    image: z.strictObject({
      image: z.int().min(0).max(9).describe('Images: the finished version of this image, counted from 0.'),
    }),
  }
}

type Item = ReturnType<typeof scriptItems>[keyof ReturnType<typeof scriptItems>]

type Items = ReturnType<typeof scriptItems>

export const scriptSchema = (items: Items) =>
  z.array(z.union(Object.values(items) as Item[] as [Item, ...Item[]])).min(1)

/** What stands in a stream that is written by hand. */
const frames = ({ wait, fault }: Items) =>
  z
    .array(
      z.union([
        z.string().describe('Written to the wire as is, including its line ends.'),
        z.strictObject({
          event: optional(z.string().min(1), 'The name of the event.'),
          data: z.unknown().describe('Its data: JSON, or text such as `[DONE]`.'),
        }),
        z.strictObject({ wait: wait.shape.wait }),
        z.strictObject({ fault: fault.shape.fault }),
      ]),
    )
    .min(1)
    .describe(
      'The whole stream by hand: nothing is added. A call that does not stream gets the default answer.',
    )

export function streamSchema(items: Items) {
  return z
    .strictObject({
      firstEventAfter: duration('Time until the first event.').optional(),
      eventInterval: duration('Time between events.').optional(),
      tokensPerSecond: optional(
        z.number().positive().max(1_000_000),
        'The pace, instead of `eventInterval`.',
      ),
      jitter: duration('By how much each wait may be longer or shorter; seeded.').optional(),
      script: optional(scriptSchema(items), 'The content; the default answer when left out.'),
      frames: frames(items).optional(),
    })
    .refine(
      ({ eventInterval, tokensPerSecond }) => eventInterval === undefined || tokensPerSecond === undefined,
      {
        path: ['tokensPerSecond'],
        error: 'conflicts with `eventInterval`: keep one of them',
      },
    )
    .meta({
      description:
        'Pace and content of a stream. A call without streaming gets the same content in one body.',
    })
}

export type StreamSpec = z.output<ReturnType<typeof streamSchema>>
export type ScriptItemSpec = NonNullable<StreamSpec['script']>[number]
export type FrameSpec = NonNullable<StreamSpec['frames']>[number]
export type ToolCallSpec = z.output<ReturnType<typeof toolCall>>
