/** Stream scripts as scenario files write them: the content of an answer, chunk by chunk, for every API. */

import * as z from 'zod'
import { finishWords, type OwnFinishWord, ownFinishWords } from '../../protocol/script.ts'
import { faultNamed, faultSchema } from '../faults/all.ts'
import { at, duration, optional, text } from '../values.ts'

const words = (description: string) =>
  z.union([z.string(), z.array(z.string()).min(1)]).describe(`${description} A list sets the chunks.`)

const toolCall = () =>
  z
    .strictObject({
      name: z.string().min(1).describe('Tool name.'),
      arguments: z
        .union([z.record(z.string(), z.unknown()), words('JSON text, valid or not.')])
        .describe('Object, or JSON text, valid or not; a list sets the chunks.'),
      id: text('Default: generated.'),
    })
    .meta({ id: 'ToolCall', description: 'One tool call.' })

const calledTool = () =>
  z
    .union([
      z.string().min(1),
      z
        .record(z.string(), z.union([z.record(z.string(), z.unknown()), z.string()]))
        .refine(
          (called) => Object.keys(called).length === 1,
          'expected one tool with its arguments, such as { get_weather: { city: Oslo } }, or a list of them',
        ),
    ])
    .meta({ id: 'CalledTool', description: 'The name of a tool, or the name with the arguments.' })

/** The calls of an answer, the short way: `get_weather`, or `{ get_weather: { city: Paris } }`. */
export const callSchema = () => {
  const called = calledTool()
  return z.union([called, z.array(called).min(1)])
}

const logprob = () =>
  z
    .number()
    .max(0, 'expected the natural logarithm of a probability, which is at most 0')
    .describe('The natural logarithm of the probability of the chunk.')

const citation = () =>
  z
    .looseObject({
      type: text("The API's citation type. Its other fields stand beside it."),
      url: text('The cited URL.'),
      title: optional(z.string(), 'The title of the source.'),
      cited_text: optional(z.string(), 'The cited text.'),
    })
    .refine(
      ({ type, url }) => type !== undefined || url !== undefined,
      'expected a `url`, or the `type` of an API citation',
    )

const finishWord = () => z.enum([...finishWords, ...(Object.keys(ownFinishWords) as OwnFinishWord[])])

const tokens = (description: string) => optional(z.int().min(0), description)

const image = (description: string) => z.int().min(0).max(9).describe(description)

/** The items of a script. Each is an object; a single key names its kind. */
export function scriptItems() {
  const call = toolCall()
  return {
    text: z
      .strictObject({
        text: words('Text.'),
        logprobs: optional(z.array(logprob()).min(1), 'One value per chunk.'),
        citations: optional(
          z.array(citation()).min(1),
          'Sources of the text; also `title`, `type` and `cited_text`.',
        ),
      })
      .refine(
        ({ text, logprobs }) =>
          logprobs === undefined || (Array.isArray(text) && text.length === logprobs.length),
        at('logprobs', 'expected one log probability for each chunk (write `text` as a list of chunks)'),
      ),
    reasoning: z.strictObject({
      reasoning: words('Reasoning before the answer.'),
      signature: text('Messages: signature of the thinking block. Default: generated.'),
    }),
    redacted: z.strictObject({
      redacted: z
        .union([z.string().min(1), z.literal(true)])
        .describe('Messages: redacted thinking; `true` generates it.'),
    }),
    refusal: z.strictObject({ refusal: words('Refusal by the model.') }),
    toolCall: z.strictObject({ toolCall: call }),
    toolCalls: z.strictObject({ toolCalls: z.array(call).min(2).describe('Interleaved tool calls.') }),
    usage: z.strictObject({
      usage: z
        .union([
          z.strictObject({
            input: tokens('Tokens in the prompt.'),
            output: tokens('Tokens in the output.'),
            reasoning: tokens('Reasoning tokens, included in the output tokens.'),
            cached: tokens('Cached tokens, included in the prompt tokens.'),
          }),
          z.literal('none'),
        ])
        .describe('Usage to report instead of counted tokens; also `input`, `reasoning` and `cached`.'),
    }),
    finish: z.strictObject({
      finish: z
        .union([
          finishWord(),
          z.strictObject({
            stop_sequence: z.string().min(1).describe('The stop sequence that ended the output (messages).'),
          }),
        ])
        .describe('Finish reason; also `{ stop_sequence }`. Default: derived from the content.'),
    }),
    wait: z.strictObject({ wait: duration('Time before the next item.') }),
    raw: z.strictObject({ raw: z.string().min(1).describe('Bytes to write unchanged.') }),
    fault: z.strictObject({ fault: faultSchema('stream').describe('A fault at this point.') }),
    partial: z.strictObject({ partial: image('Images: partial version of this image.') }),
    image: z.strictObject({ image: image('Images: this image, finished.') }),
  }
}

type Items = ReturnType<typeof scriptItems>
type Item = Items[keyof Items]

export const scriptSchema = (items: Items) =>
  z
    .array(z.union(Object.values(items) as Item[] as [Item, ...Item[]]))
    .min(1)
    .superRefine(endsWithFault)

/** A fault that ends a stream also ends its script. */
function endsWithFault(items: readonly (object | string)[], context: z.RefinementCtx): void {
  const end = items.findIndex((item) => {
    const { fault } = item as { readonly fault?: { readonly kind: string } }
    return fault !== undefined && faultNamed(fault.kind)?.endsStream === true
  })
  if (end >= 0 && end < items.length - 1)
    context.addIssue({
      code: 'custom',
      path: [end + 1],
      message: 'this item is never sent: the preceding fault ends the stream',
    })
}

export function streamSchema(items: Items) {
  return z
    .strictObject({
      firstEventAfter: duration('Time until the first event.').optional(),
      eventInterval: duration('Time between events.').optional(),
      tokensPerSecond: optional(z.number().positive().max(1_000_000), 'Pace, instead of `eventInterval`.'),
      script: optional(scriptSchema(items), 'Content. Default: the default response.'),
    })
    .refine(
      ({ eventInterval, tokensPerSecond }) => eventInterval === undefined || tokensPerSecond === undefined,
      at('tokensPerSecond', 'conflicts with `eventInterval`: keep one of them'),
    )
    .meta({
      description:
        'Pacing and content of a stream. A non-streaming request gets the same content in a single body.',
    })
}

export type StreamSpec = z.output<ReturnType<typeof streamSchema>>
export type ScriptItemSpec = NonNullable<StreamSpec['script']>[number]
export type CallSpec = z.output<ReturnType<typeof callSchema>>
export type ToolCallSpec = z.output<ReturnType<typeof toolCall>>
