/** The wire shapes of chat completions (contract 2.6 and 4.2; names from wire-formats 2.1 and 2.2). */
import * as z from 'zod'

const text = z.string()
const name = z
  .string()
  .regex(/^[a-zA-Z0-9_-]{1,64}$/, 'expected 1 to 64 letters, digits, dashes or underscores')

// Looked for one wrong letter at a time: a pattern over the whole of a large picture would overflow the
// regular expression's stack.
const isBase64 = (text: string): boolean => text !== '' && !/[^A-Za-z0-9+/=_-]/.test(text)
const dataUrl = /^data:image\/[\w.+-]+(?:;[\w=.-]+)*;base64,/i
const isImageUrl = (url: string): boolean =>
  /^https?:\/\/[^\s/]/i.test(url) || (dataUrl.test(url) && isBase64(url.slice(url.indexOf(',') + 1)))

const textPart = z.looseObject({ type: z.literal('text'), text })
const refusalPart = z.looseObject({ type: z.literal('refusal'), refusal: text })
const imagePart = z.looseObject({
  type: z.literal('image_url'),
  image_url: z.looseObject({
    url: z.string().refine(isImageUrl, 'expected an http(s) address, or a data: URL of an image in base64'),
    detail: z.enum(['auto', 'low', 'high']).optional(),
  }),
})
const audioPart = z.looseObject({
  type: z.literal('input_audio'),
  input_audio: z.looseObject({
    data: z.string().refine(isBase64, 'expected base64'),
    format: z.enum(['wav', 'mp3']),
  }),
})
const filePart = z.looseObject({
  type: z.literal('file'),
  file: z
    .looseObject({ file_id: text.optional(), file_data: text.optional(), filename: text.optional() })
    .refine(
      (file) => file.file_id !== undefined || file.file_data !== undefined,
      'expected `file_id` or `file_data`, got neither',
    ),
})

const userPart = z.discriminatedUnion('type', [textPart, imagePart, audioPart, filePart])
const assistantPart = z.discriminatedUnion('type', [textPart, refusalPart])
const plainContent = z.union([text, z.array(z.discriminatedUnion('type', [textPart])).min(1)])

const functionCall = z.looseObject({
  id: z.string().min(1),
  type: z.literal('function'),
  function: z.looseObject({ name: z.string().min(1), arguments: text }),
})
const customCall = z.looseObject({
  id: z.string().min(1),
  type: z.literal('custom'),
  custom: z.looseObject({ name: z.string().min(1), input: text }),
})

const systemMessage = z.looseObject({
  role: z.literal('system'),
  content: plainContent,
  name: text.optional(),
})
const developerMessage = z.looseObject({
  role: z.literal('developer'),
  content: plainContent,
  name: text.optional(),
})
const userMessage = z.looseObject({
  role: z.literal('user'),
  content: z.union([text, z.array(userPart).min(1)]),
  name: text.optional(),
})
const assistantMessage = z.looseObject({
  role: z.literal('assistant'),
  content: z.union([text, z.array(assistantPart).min(1)]).nullish(),
  refusal: text.nullish(),
  name: text.optional(),
  audio: z.looseObject({ id: text }).nullish(),
  tool_calls: z
    .array(z.discriminatedUnion('type', [functionCall, customCall]))
    .min(1)
    .nullish(),
  function_call: z.looseObject({ name: text, arguments: text }).nullish(),
})
const toolMessage = z.looseObject({
  role: z.literal('tool'),
  content: plainContent,
  tool_call_id: z.string().min(1),
})
const functionMessage = z.looseObject({
  role: z.literal('function'),
  content: text.nullable(),
  name: z.string().min(1),
})

export const messageSchema = z.discriminatedUnion('role', [
  userMessage,
  assistantMessage,
  systemMessage,
  developerMessage,
  toolMessage,
  functionMessage,
])

const jsonSchemaOf = z.union([z.record(z.string(), z.unknown()), z.boolean()])
const functionDefinition = z.looseObject({
  name,
  description: text.nullish(),
  parameters: jsonSchemaOf.nullish(),
  strict: z.boolean().nullish(),
})
const functionTool = z.looseObject({ type: z.literal('function'), function: functionDefinition })
const grammar = z.looseObject({ definition: z.string().min(1), syntax: z.enum(['lark', 'regex']) })
const customTool = z.looseObject({
  type: z.literal('custom'),
  custom: z.looseObject({
    name,
    description: text.nullish(),
    format: z
      .discriminatedUnion('type', [
        z.looseObject({ type: z.literal('text') }),
        z.looseObject({ type: z.literal('grammar'), grammar }),
      ])
      .nullish(),
  }),
})

const namedFunction = z.looseObject({
  type: z.literal('function'),
  function: z.looseObject({ name: z.string().min(1) }),
})
const namedCustom = z.looseObject({
  type: z.literal('custom'),
  custom: z.looseObject({ name: z.string().min(1) }),
})
const allowedTools = z.looseObject({
  mode: z.enum(['auto', 'required']),
  tools: z.array(z.discriminatedUnion('type', [namedFunction, namedCustom])).min(1),
})
const toolChoice = z.union([
  z.enum(['auto', 'none', 'required']),
  z.discriminatedUnion('type', [
    namedFunction,
    namedCustom,
    z.looseObject({ type: z.literal('allowed_tools'), allowed_tools: allowedTools }),
  ]),
])

const responseFormat = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text') }),
  z.looseObject({ type: z.literal('json_object') }),
  z.looseObject({
    type: z.literal('json_schema'),
    json_schema: z.looseObject({
      name,
      description: text.nullish(),
      schema: jsonSchemaOf.nullish(),
      strict: z.boolean().nullish(),
    }),
  }),
])

// The contract bounds the seed by about ±9.22e18, which is beyond the whole numbers that a double holds.
const seed = z
  .number()
  .refine(
    (value) => Number.isInteger(value) && Math.abs(value) <= 2 ** 63,
    'expected a whole number between -9223372036854775808 and 9223372036854775807',
  )

const metadata = z
  .record(z.string().max(64), z.string().max(512))
  .refine((pairs) => Object.keys(pairs).length <= 16, {
    error: ({ input }) => `expected at most 16 pairs, got ${Object.keys(input as object).length}`,
  })

/** The request. Unknown fields are let through here; `chat.unknownParameters` decides about them. */
export const chatRequest = z.looseObject({
  messages: z.array(messageSchema).min(1).describe('The conversation so far; at least one message.'),
  // Every event of a stream repeats it: without a bound, one call could ask for more text than a process can
  // hold.
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
  logit_bias: z
    .record(z.string().regex(/^\d+$/, 'expected a token id'), z.number().min(-100).max(100))
    .nullish(),
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
  tools: z.array(z.discriminatedUnion('type', [functionTool, customTool])).nullish(),
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
export type ChatMessage = z.output<typeof messageSchema>

const usage = z.strictObject({
  prompt_tokens: z.int().min(0),
  completion_tokens: z.int().min(0),
  total_tokens: z.int().min(0),
  prompt_tokens_details: z.strictObject({ audio_tokens: z.int().min(0), cached_tokens: z.int().min(0) }),
  completion_tokens_details: z.strictObject({
    accepted_prediction_tokens: z.int().min(0),
    audio_tokens: z.int().min(0),
    reasoning_tokens: z.int().min(0),
    rejected_prediction_tokens: z.int().min(0),
  }),
})

const tokenLogprob = z.strictObject({
  token: text,
  logprob: z.number().max(0),
  bytes: z.array(z.int().min(0).max(255)),
})
const logprobs = z.strictObject({
  content: z.array(tokenLogprob.extend({ top_logprobs: z.array(tokenLogprob) })).nullable(),
  refusal: z.array(tokenLogprob.extend({ top_logprobs: z.array(tokenLogprob) })).nullable(),
})
const finishReason = z.enum(['stop', 'length', 'tool_calls', 'content_filter', 'function_call'])
const serviceTier = z.enum(['auto', 'default', 'flex', 'scale', 'priority'])

const annotation = z.strictObject({
  type: z.literal('url_citation'),
  url_citation: z.strictObject({ start_index: z.int(), end_index: z.int(), url: z.url(), title: text }),
})
const answeredCall = z.discriminatedUnion('type', [
  z.strictObject({
    id: text,
    type: z.literal('function'),
    function: z.strictObject({ name: text, arguments: text }),
  }),
  z.strictObject({
    id: text,
    type: z.literal('custom'),
    custom: z.strictObject({ name: text, input: text }),
  }),
])

/** The plain reply (contract 2.6). */
export const chatCompletion = z.strictObject({
  id: z.string().startsWith('chatcmpl-'),
  object: z.literal('chat.completion'),
  created: z.int(),
  model: text,
  choices: z
    .array(
      z.strictObject({
        index: z.int().min(0),
        message: z.strictObject({
          role: z.literal('assistant'),
          content: text.nullable(),
          refusal: text.nullable(),
          reasoning_content: text
            .optional()
            .describe('What was thought, as compatible services show it; only scripts say it.'),
          annotations: z.array(annotation).optional(),
          tool_calls: z.array(answeredCall).min(1).optional(),
          function_call: z.strictObject({ name: text, arguments: text }).optional(),
          audio: z.strictObject({ id: text, expires_at: z.int(), data: text, transcript: text }).optional(),
        }),
        logprobs: logprobs.nullable(),
        finish_reason: finishReason,
      }),
    )
    .min(1),
  usage,
  service_tier: serviceTier,
  system_fingerprint: text,
})

const deltaCall = z.strictObject({
  index: z.int().min(0),
  id: text.optional(),
  type: z.enum(['function', 'custom']).optional(),
  function: z.strictObject({ name: text.optional(), arguments: text }).optional(),
  custom: z.strictObject({ name: text.optional(), input: text }).optional(),
})

/** One event of the stream (wire-formats 2.4). */
export const chatChunk = z.strictObject({
  id: z.string().startsWith('chatcmpl-'),
  object: z.literal('chat.completion.chunk'),
  created: z.int(),
  model: text,
  service_tier: serviceTier,
  system_fingerprint: text,
  choices: z.array(
    z.strictObject({
      index: z.int().min(0),
      delta: z.strictObject({
        role: z.literal('assistant').optional(),
        content: text.nullable().optional(),
        refusal: text.nullable().optional(),
        reasoning_content: text.nullable().optional(),
        tool_calls: z.array(deltaCall).optional(),
        function_call: z.strictObject({ name: text.optional(), arguments: text }).optional(),
        annotations: z.array(annotation).optional(),
        audio: z
          .strictObject({
            id: text.optional(),
            transcript: text.optional(),
            data: text.optional(),
            expires_at: z.int().optional(),
          })
          .optional(),
      }),
      logprobs: logprobs.nullable(),
      finish_reason: finishReason.nullable(),
    }),
  ),
  usage: usage.nullable().optional(),
})
