/** The request of chat completions. */

import * as z from 'zod'
import { looksLikePath } from '../../behaviours/uploads/file-url.ts'
import { bodyFields } from '../../protocol/body-fields.ts'

const text = () => z.string()

// Searches for one invalid character: a pattern over a whole large image would overflow the stack.
const isBase64 = (text: string): boolean => text !== '' && !/[^A-Za-z0-9+/=_-]/.test(text)
const dataUrl = /^data:image\/[\w.+-]+(?:;[\w=.-]+)*;base64,/i
/** Sources of images other than uploads. */
export const imageElsewhere = {
  fits: /^https?:\/\/[^\s/]/i,
  expected: 'expected an http(s) URL, a data: URL with a base64 image, or the `path` of an uploaded file',
}
const isImageUrl = (url: string): boolean =>
  imageElsewhere.fits.test(url) ||
  looksLikePath(url) ||
  (dataUrl.test(url) && isBase64(url.slice(url.indexOf(',') + 1)))

const textPart = () => z.looseObject({ type: z.literal('text'), text: text() })
const refusalPart = () => z.looseObject({ type: z.literal('refusal'), refusal: text() })
const imagePart = () =>
  z.looseObject({
    type: z.literal('image_url'),
    image_url: z.looseObject({
      url: z.string().refine(isImageUrl, imageElsewhere.expected),
      detail: z.enum(['auto', 'low', 'high']).optional(),
    }),
  })
const audioPart = () =>
  z.looseObject({
    type: z.literal('input_audio'),
    input_audio: z.looseObject({
      data: z.string().refine(isBase64, 'expected base64'),
      format: z.enum(['wav', 'mp3']),
    }),
  })
const filePart = () =>
  z.looseObject({
    type: z.literal('file'),
    file: z
      .looseObject({ file_id: text().optional(), file_data: text().optional(), filename: text().optional() })
      .refine(
        (file) => file.file_id !== undefined || file.file_data !== undefined,
        'expected `file_id` or `file_data`, got neither',
      ),
  })

const userPart = () => z.discriminatedUnion('type', [textPart(), imagePart(), audioPart(), filePart()])
const assistantPart = () => z.discriminatedUnion('type', [textPart(), refusalPart()])
const plainContent = () => z.union([text(), z.array(z.discriminatedUnion('type', [textPart()])).min(1)])

const word = () => z.string().min(1)
const functionCall = () =>
  z.looseObject({
    id: word(),
    type: z.literal('function'),
    function: z.looseObject({ name: word(), arguments: text() }),
  })
const customCall = () =>
  z.looseObject({
    id: word(),
    type: z.literal('custom'),
    custom: z.looseObject({ name: word(), input: text() }),
  })

const instructions = () => ({ content: plainContent(), name: text().optional() })
const systemMessage = () => z.looseObject({ role: z.literal('system'), ...instructions() })
const developerMessage = () => z.looseObject({ role: z.literal('developer'), ...instructions() })
const userMessage = () =>
  z.looseObject({
    role: z.literal('user'),
    content: z.union([text(), z.array(userPart()).min(1)]),
    name: text().optional(),
  })
const assistantMessage = () =>
  z.looseObject({
    role: z.literal('assistant'),
    content: z.union([text(), z.array(assistantPart()).min(1)]).nullish(),
    refusal: text().nullish(),
    name: text().optional(),
    audio: z.looseObject({ id: text() }).nullish(),
    tool_calls: z
      .array(z.discriminatedUnion('type', [functionCall(), customCall()]))
      .min(1)
      .nullish(),
    function_call: z.looseObject({ name: text(), arguments: text() }).nullish(),
  })
const toolMessage = () =>
  z.looseObject({
    role: z.literal('tool'),
    content: plainContent(),
    tool_call_id: word(),
  })
const functionMessage = () =>
  z.looseObject({ role: z.literal('function'), content: text().nullable(), name: word() })

const messageSchema = () =>
  z.discriminatedUnion('role', [
    userMessage(),
    assistantMessage(),
    systemMessage(),
    developerMessage(),
    toolMessage(),
    functionMessage(),
  ])

export type ChatMessage = z.output<ReturnType<typeof messageSchema>>

const name = () =>
  z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/, 'expected 1 to 64 letters, digits, dashes or underscores')

const jsonSchemaOf = () => z.union([z.record(z.string(), z.unknown()), z.boolean()])

/**
 * Whether the root of a schema requires an object, as the upstream demands for arguments and strict formats
 * (docs/decisions/structured-output.md).
 */
function hasObjectRoot(
  schema: z.output<ReturnType<typeof jsonSchemaOf>> | null | undefined,
  strict: boolean,
): boolean {
  if (schema == null || typeof schema === 'boolean') return true
  const { type, $ref } = schema
  return type === 'object' || (type === undefined && (!strict || $ref !== undefined))
}

const functionDefinition = () =>
  z
    .looseObject({
      name: name(),
      description: text().nullish(),
      parameters: jsonSchemaOf().nullish(),
      strict: z.boolean().nullish(),
    })
    .refine(({ parameters, strict }) => hasObjectRoot(parameters, strict === true), {
      path: ['parameters', 'type'],
      error: 'expected "object": the arguments of a function must be an object',
    })
const functionTool = () => z.looseObject({ type: z.literal('function'), function: functionDefinition() })
const grammar = () => z.looseObject({ definition: z.string().min(1), syntax: z.enum(['lark', 'regex']) })
const customTool = () =>
  z.looseObject({
    type: z.literal('custom'),
    custom: z.looseObject({
      name: name(),
      description: text().nullish(),
      format: z
        .discriminatedUnion('type', [
          z.looseObject({ type: z.literal('text') }),
          z.looseObject({ type: z.literal('grammar'), grammar: grammar() }),
        ])
        .nullish(),
    }),
  })

const named = () => z.looseObject({ name: word() })
const namedFunction = () => z.looseObject({ type: z.literal('function'), function: named() })
const namedCustom = () => z.looseObject({ type: z.literal('custom'), custom: named() })
const allowedTools = () =>
  z.looseObject({
    mode: z.enum(['auto', 'required']),
    tools: z.array(z.discriminatedUnion('type', [namedFunction(), namedCustom()])).min(1),
  })
const toolChoice = () =>
  z.union([
    z.enum(['auto', 'none', 'required']),
    z.discriminatedUnion('type', [
      namedFunction(),
      namedCustom(),
      z.looseObject({ type: z.literal('allowed_tools'), allowed_tools: allowedTools() }),
    ]),
  ])

const responseFormat = () =>
  z.discriminatedUnion('type', [
    z.looseObject({ type: z.literal('text') }),
    z.looseObject({ type: z.literal('json_object') }),
    z.looseObject({
      type: z.literal('json_schema'),
      json_schema: z
        .looseObject({
          name: name(),
          description: text().nullish(),
          schema: jsonSchemaOf().nullish(),
          strict: z.boolean().nullish(),
        })
        .refine(({ schema, strict }) => strict !== true || hasObjectRoot(schema, true), {
          path: ['schema', 'type'],
          error: 'expected "object" at the root of a strict schema: make the value a property of an object',
        }),
    }),
  ])

// The contract bounds the seed by about ±9.22e18, beyond the integers that a double can hold.
const seed = () =>
  z
    .number()
    .refine(
      (value) => Number.isInteger(value) && Math.abs(value) <= 2 ** 63,
      'expected a whole number between -9223372036854775808 and 9223372036854775807',
    )
    .meta({ type: 'integer', minimum: -(2 ** 63), maximum: 2 ** 63 })

const metadata = () =>
  z
    .record(z.string().max(64), z.string().max(512))
    .refine((pairs) => Object.keys(pairs).length <= 16, {
      error: ({ input }) => `expected at most 16 key-value pairs, got ${Object.keys(input as object).length}`,
    })
    .meta({ maxProperties: 16 })

const webSearch = () =>
  z.looseObject({
    search_context_size: z.enum(['low', 'medium', 'high']).nullish(),
    user_location: z
      .looseObject({
        type: z.literal('approximate'),
        approximate: z.looseObject({
          city: text().nullish(),
          country: text().nullish(),
          region: text().nullish(),
          timezone: text().nullish(),
        }),
      })
      .nullish(),
  })

/** The request. Unknown fields are allowed; the client report lists them. */
export const chatRequest = bodyFields(['messages', 'model'], {
  messages: () => z.array(messageSchema()).min(1).describe('The messages of the conversation, at least one.'),
  // Bounded, because every event of a stream repeats it.
  model: () => z.string().min(1).max(512).describe('The model id.'),
  audio: () =>
    z
      .looseObject({
        voice: z.union([text().min(1), z.looseObject({ id: text() })]),
        format: z.enum(['wav', 'mp3', 'flac', 'opus', 'pcm16', 'aac']),
      })
      .nullish()
      .describe('The audio output options. Required if `modalities` includes `audio`.'),
  frequency_penalty: () => z.number().min(-2).max(2).nullish(),
  presence_penalty: () => z.number().min(-2).max(2).nullish(),
  function_call: () =>
    z
      .union([z.enum(['none', 'auto']), z.looseObject({ name: z.string().min(1) })])
      .nullish()
      .describe('Deprecated; see `tool_choice`.'),
  functions: () =>
    z.array(functionDefinition()).min(1).max(128).nullish().describe('Deprecated; see `tools`.'),
  logit_bias: () =>
    z.record(z.string().regex(/^\d+$/, 'expected a token id'), z.number().min(-100).max(100)).nullish(),
  logprobs: () => z.boolean().nullish().describe('Whether to return log probabilities of the output tokens.'),
  top_logprobs: () =>
    z
      .int()
      .min(0)
      .max(20)
      .nullish()
      .describe('The number of alternatives for each token. Allowed only with `logprobs: true`.'),
  max_completion_tokens: () =>
    z.int().min(1).nullish().describe('The maximum number of output tokens, including reasoning tokens.'),
  max_tokens: () => z.int().min(1).nullish().describe('Deprecated. Reasoning models reject it.'),
  metadata: () => metadata().nullish(),
  modalities: () =>
    z
      .array(z.enum(['text', 'audio']))
      .min(1)
      .nullish(),
  n: () => z.int().min(1).max(128).nullish().describe('The number of choices. Default: 1.'),
  parallel_tool_calls: () => z.boolean().nullish(),
  prediction: () => z.looseObject({ type: z.literal('content'), content: plainContent() }).nullish(),
  prompt_cache_key: () => text().nullish(),
  reasoning_effort: () => z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']).nullish(),
  response_format: () => responseFormat().nullish(),
  safety_identifier: () => text().nullish(),
  seed: () => seed().nullish(),
  service_tier: () => z.enum(['auto', 'default', 'flex', 'scale', 'priority']).nullish(),
  stop: () =>
    z
      .union([text(), z.array(text()).max(4)])
      .nullish()
      .describe('Up to 4 stop sequences.'),
  store: () => z.boolean().nullish(),
  stream: () => z.boolean().nullish(),
  stream_options: () =>
    z
      .looseObject({ include_usage: z.boolean().nullish(), include_obfuscation: z.boolean().nullish() })
      .nullish()
      .describe('Stream options. Allowed only with `stream: true`.'),
  temperature: () => z.number().min(0).max(2).nullish(),
  top_p: () => z.number().min(0).max(1).nullish(),
  tool_choice: () => toolChoice().nullish(),
  tools: () =>
    z
      .array(z.discriminatedUnion('type', [functionTool(), customTool()]))
      .max(128)
      .nullish(),
  user: () => text().nullish().describe('Deprecated: use `safety_identifier` and `prompt_cache_key`.'),
  verbosity: () => z.enum(['low', 'medium', 'high']).nullish(),
  web_search_options: () => webSearch().nullish(),
})

export type ChatRequest = z.output<ReturnType<typeof chatRequest>>
