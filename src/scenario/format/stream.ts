/** Stream scripts as scenario files write them: the content of an answer, piece by piece, for every API. */
import * as z from 'zod'
import { finishWords } from '../../protocol/script.ts'
import { faultSchema } from './fault.ts'
import { duration } from './values.ts'

const words = (description: string) =>
  z
    .union([z.string(), z.array(z.string()).min(1)])
    .describe(`${description} A list gives the exact pieces; text is split into tokens.`)

const toolCall = z
  .strictObject({
    name: z.string().min(1).describe('The name of the tool.'),
    arguments: z
      .union([z.record(z.string(), z.unknown()), words('JSON text, which may be invalid.')])
      .describe(
        'An object, or JSON text (which may be invalid); a list gives the exact pieces of that text.',
      ),
    id: z.string().min(1).optional().describe('The id of the call; generated when left out.'),
  })
  .meta({ id: 'ToolCall', description: 'One tool call.' })

const tokens = (description: string) => z.int().min(0).optional().describe(description)

/** The items of a script. Each is an object with a single key that says what it is. */
export function scriptItems() {
  return {
    text: z.strictObject({ text: words('Text.') }),
    reasoning: z.strictObject({ reasoning: words('Reasoning before the answer.') }),
    refusal: z.strictObject({ refusal: words('A refusal.') }),
    toolCall: z.strictObject({ toolCall }),
    toolCalls: z.strictObject({
      toolCalls: z
        .array(toolCall)
        .min(2)
        .describe('Several calls with interleaved pieces, where the API allows it.'),
    }),
    usage: z.strictObject({
      usage: z
        .strictObject({
          input: tokens('Tokens of the prompt.'),
          output: tokens('Tokens of the answer.'),
          reasoning: tokens('Reasoning tokens, included in those of the answer.'),
          cached: tokens('Cached tokens, included in those of the prompt.'),
        })
        .describe('Usage instead of the counted tokens.'),
    }),
    finish: z.strictObject({
      finish: z
        .enum(finishWords)
        .describe(
          'The finish reason instead of the one that follows from the content; each API has its own word.',
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
    picture: z.strictObject({
      picture: z.int().min(0).max(9).describe('Images: the finished version of this image, counted from 0.'),
    }),
  }
}

type Item = ReturnType<typeof scriptItems>[keyof ReturnType<typeof scriptItems>]

export function streamSchema() {
  return z
    .strictObject({
      firstAfter: duration('Time until the first event.').optional(),
      every: duration('Time between events.').optional(),
      tokensPerSecond: z
        .number()
        .positive()
        .max(1_000_000)
        .optional()
        .describe('The pace, instead of `every`.'),
      jitter: duration('By how much each wait may be longer or shorter; seeded.').optional(),
      script: z
        .array(z.union(Object.values(scriptItems()) as Item[] as [Item, ...Item[]]))
        .min(1)
        .optional()
        .describe('The content; the default answer when left out.'),
    })
    .meta({
      description:
        'Pace and content of a stream. A call without streaming gets the same content in one body.',
    })
}

export type StreamSpec = z.output<ReturnType<typeof streamSchema>>
export type ScriptItemSpec = NonNullable<StreamSpec['script']>[number]
export type ToolCallSpec = z.output<typeof toolCall>
