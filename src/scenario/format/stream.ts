/** Stream scripts as scenario files write them: what is said, piece by piece, whatever the API. */
import * as z from 'zod'
import { finishWords } from '../../protocol/script.ts'
import { faultSchema } from './fault.ts'
import { duration } from './values.ts'

const words = (description: string) =>
  z
    .union([z.string(), z.array(z.string()).min(1)])
    .describe(`${description} A list gives the exact pieces; a text is cut into tokens.`)

const toolCall = z
  .strictObject({
    name: z.string().min(1).describe('The name of the tool.'),
    arguments: z
      .union([z.record(z.string(), z.unknown()), words('JSON text, be it broken.')])
      .describe('An object; or its JSON text, be it broken; a list gives the exact pieces of that text.'),
    id: z.string().min(1).optional().describe('The id of the call; minted when left out.'),
  })
  .meta({ id: 'ToolCall', description: 'One tool call.' })

const tokens = (description: string) => z.int().min(0).optional().describe(description)

/** One thing that is said, or happens. Each is an object with the one key that says what it is. */
export function scriptItems() {
  return {
    text: z.strictObject({ text: words('Text.') }),
    reasoning: z.strictObject({ reasoning: words('What is thought before it is said.') }),
    refusal: z.strictObject({ refusal: words('A refusal.') }),
    toolCall: z.strictObject({ toolCall }),
    toolCalls: z.strictObject({
      toolCalls: z
        .array(toolCall)
        .min(2)
        .describe('Several calls whose pieces take turns, where the API can say it so.'),
    }),
    usage: z.strictObject({
      usage: z
        .strictObject({
          input: tokens('Tokens of the prompt.'),
          output: tokens('Tokens of the answer.'),
          reasoning: tokens('Of these, tokens that were thought.'),
          cached: tokens('Of the prompt, tokens that were cached.'),
        })
        .describe('Usage in the place of what was counted.'),
    }),
    finish: z.strictObject({
      finish: z
        .enum(finishWords)
        .describe(
          'Why it ends, in the place of what follows from what was said; each API has its own word for it.',
        ),
    }),
    wait: z.strictObject({ wait: duration('Until what comes next, beside the pace.') }),
    raw: z.strictObject({
      raw: z.string().min(1).describe('Written to the wire as it is, its line ends included.'),
    }),
    fault: z.strictObject({ fault: faultSchema('stream').describe('Happens here.') }),
    partial: z.strictObject({
      partial: z.int().min(0).max(9).describe('Images: a step of this picture, counted from 0.'),
    }),
    picture: z.strictObject({
      picture: z.int().min(0).max(9).describe('Images: this picture, finished, counted from 0.'),
    }),
  }
}

type Item = ReturnType<typeof scriptItems>[keyof ReturnType<typeof scriptItems>]

export function streamSchema() {
  return z
    .strictObject({
      firstAfter: duration('Until the first event.').optional(),
      every: duration('Between the events.').optional(),
      tokensPerSecond: z
        .number()
        .positive()
        .max(1_000_000)
        .optional()
        .describe('The pace in the place of `every`.'),
      jitter: duration('By how much each wait is longer or shorter, seeded.').optional(),
      script: z
        .array(z.union(Object.values(scriptItems()) as Item[] as [Item, ...Item[]]))
        .min(1)
        .optional()
        .describe('What is said. The default answer when left out.'),
    })
    .meta({
      description: 'How a stream goes. A call that wants its answer in one body gets the same words in it.',
    })
}

export type StreamSpec = z.output<ReturnType<typeof streamSchema>>
export type ScriptItemSpec = NonNullable<StreamSpec['script']>[number]
export type ToolCallSpec = z.output<typeof toolCall>
