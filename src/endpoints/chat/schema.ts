/** The request of chat completions (contract 4.2; names from wire-formats 2.1). */
import * as z from 'zod'
import { clientNames } from '../../protocol/client-names.ts'
import { messageSchema, plainContent } from './message-schema.ts'
import { customTool, functionDefinition, functionTool, responseFormat, toolChoice } from './tool-schema.ts'

const text = z.string()

// The contract bounds the seed by about ±9.22e18, beyond the integers that a double can hold.
const seed = z
  .number()
  .refine(
    (value) => Number.isInteger(value) && Math.abs(value) <= 2 ** 63,
    'expected a whole number between -9223372036854775808 and 9223372036854775807',
  )

const metadata = clientNames(z.record(z.string().max(64), z.string().max(512))).refine(
  (pairs) => Object.keys(pairs).length <= 16,
  {
    error: ({ input }) => `expected at most 16 pairs, got ${Object.keys(input as object).length}`,
  },
)

/** The request. Unknown fields are let through here; `chat.unknownParameters` decides about them. */
export const chatRequest = z.looseObject({
  messages: z.array(messageSchema).min(1).describe('The conversation so far; at least one message.'),
  // Bounded, because every event of a stream repeats it.
  model: z.string().min(1).max(512).describe('The model id.'),
  audio: z
    .looseObject({
      voice: z.union([text.min(1), z.looseObject({ id: text })]),
      format: z.enum(['wav', 'mp3', 'flac', 'opus', 'pcm16', 'aac']),
    })
    .nullish()
    .describe('Audio output; needed when `modalities` includes audio.'),
  frequency_penalty: z.number().min(-2).max(2).nullish(),
  presence_penalty: z.number().min(-2).max(2).nullish(),
  function_call: z
    .union([z.enum(['none', 'auto']), z.looseObject({ name: z.string().min(1) })])
    .nullish()
    .describe('Deprecated; see `tool_choice`.'),
  functions: z.array(functionDefinition).min(1).max(128).nullish().describe('Deprecated; see `tools`.'),
  logit_bias: clientNames(
    z.record(z.string().regex(/^\d+$/, 'expected a token id'), z.number().min(-100).max(100)),
  ).nullish(),
  logprobs: z.boolean().nullish().describe('Whether to return log probabilities of the output tokens.'),
  top_logprobs: z
    .number()
    .int()
    .min(0)
    .max(20)
    .nullish()
    .describe('How many alternatives per token; needs `logprobs: true`.'),
  max_completion_tokens: z
    .number()
    .int()
    .min(1)
    .nullish()
    .describe('Upper bound of visible and reasoning tokens.'),
  max_tokens: z.number().int().min(1).nullish().describe('Deprecated; refused by reasoning models.'),
  metadata: metadata.nullish(),
  modalities: z
    .array(z.enum(['text', 'audio']))
    .min(1)
    .nullish(),
  n: z.number().int().min(1).max(128).nullish().describe('How many choices; 1 by default.'),
  parallel_tool_calls: z.boolean().nullish(),
  prediction: z.looseObject({ type: z.literal('content'), content: plainContent }).nullish(),
  prompt_cache_key: text.nullish(),
  reasoning_effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']).nullish(),
  response_format: responseFormat.nullish(),
  safety_identifier: text.nullish(),
  seed: seed.nullish(),
  service_tier: z.enum(['auto', 'default', 'flex', 'scale', 'priority']).nullish(),
  stop: z
    .union([text, z.array(text).max(4)])
    .nullish()
    .describe('Up to 4 sequences that end the answer.'),
  store: z.boolean().nullish(),
  stream: z.boolean().nullish(),
  stream_options: z
    .looseObject({ include_usage: z.boolean().nullish(), include_obfuscation: z.boolean().nullish() })
    .nullish()
    .describe('Only with `stream: true`.'),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  tool_choice: toolChoice.nullish(),
  tools: z
    .array(z.discriminatedUnion('type', [functionTool, customTool]))
    .max(128)
    .nullish(),
  user: text.nullish().describe('Being replaced by `safety_identifier` and `prompt_cache_key`.'),
  verbosity: z.enum(['low', 'medium', 'high']).nullish(),
  web_search_options: z
    .looseObject({
      search_context_size: z.enum(['low', 'medium', 'high']).nullish(),
      user_location: z
        .looseObject({
          type: z.literal('approximate'),
          approximate: z.looseObject({
            city: text.nullish(),
            country: text.nullish(),
            region: text.nullish(),
            timezone: text.nullish(),
          }),
        })
        .nullish(),
    })
    .nullish(),
})

export type ChatRequest = z.output<typeof chatRequest>
