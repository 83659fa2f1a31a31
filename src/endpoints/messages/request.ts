/** The request of messages. */

import * as z from 'zod'
import { looksLikePath } from '../../behaviours/uploads/file-url.ts'
import { bodyFields } from '../../protocol/body-fields.ts'

const text = () => z.string()
const base64 = () => z.string().regex(/^[A-Za-z0-9+/]+={0,2}$/, 'expected base64')
/** Sources of images other than uploads. */
export const imageElsewhere = {
  fits: /^https?:\/\/\S+$/i,
  expected: 'expected an http(s) URL, or the `path` of an uploaded file',
}
const imageUrl = () =>
  z.string().refine((url) => imageElsewhere.fits.test(url) || looksLikePath(url), imageElsewhere.expected)
const address = () => z.string().regex(/^https?:\/\/\S+$/i, 'expected an http(s) URL')
const cached = () => ({
  cache_control: z
    .looseObject({ type: z.literal('ephemeral'), ttl: z.enum(['5m', '1h']).nullish() })
    .nullish(),
})

const textBlock = () => z.looseObject({ type: z.literal('text'), text: text(), ...cached() })
const fileSource = () => z.looseObject({ type: z.literal('file'), file_id: z.string().min(1) })
const imageBlock = () =>
  z.looseObject({
    type: z.literal('image'),
    source: z.discriminatedUnion('type', [
      z.looseObject({
        type: z.literal('base64'),
        media_type: z.enum(['image/jpeg', 'image/png', 'image/gif', 'image/webp']),
        data: base64(),
      }),
      z.looseObject({ type: z.literal('url'), url: imageUrl() }),
      fileSource(),
    ]),
    ...cached(),
  })
const documentBlock = () =>
  z.looseObject({
    type: z.literal('document'),
    source: z.discriminatedUnion('type', [
      z.looseObject({ type: z.literal('base64'), media_type: z.literal('application/pdf'), data: base64() }),
      z.looseObject({ type: z.literal('text'), media_type: z.literal('text/plain'), data: text() }),
      z.looseObject({ type: z.literal('url'), url: address() }),
      z.looseObject({
        type: z.literal('content'),
        content: z.union([text(), z.array(z.discriminatedUnion('type', [textBlock(), imageBlock()]))]),
      }),
      fileSource(),
    ]),
    title: text().nullish(),
    context: text().nullish(),
    ...cached(),
  })
const searchResultBlock = () =>
  z.looseObject({
    type: z.literal('search_result'),
    source: text(),
    title: text(),
    content: z.array(textBlock()),
    ...cached(),
  })
const toolUseBlock = () =>
  z.looseObject({
    type: z.literal('tool_use'),
    id: z.string().regex(/^[a-zA-Z0-9_-]{1,256}$/, 'expected letters, digits, dashes or underscores'),
    name: z.string().min(1),
    input: z.record(z.string(), z.unknown()),
    ...cached(),
  })
const toolResultBlock = () =>
  z.looseObject({
    type: z.literal('tool_result'),
    tool_use_id: z.string().min(1),
    content: z
      .union([
        text(),
        z.array(
          z.discriminatedUnion('type', [textBlock(), imageBlock(), documentBlock(), searchResultBlock()]),
        ),
      ])
      .nullish(),
    is_error: z.boolean().nullish(),
    ...cached(),
  })
const thinkingBlock = () =>
  z.looseObject({ type: z.literal('thinking'), thinking: text(), signature: text() })
const redactedThinkingBlock = () => z.looseObject({ type: z.literal('redacted_thinking'), data: text() })

const userBlock = () =>
  z.discriminatedUnion('type', [
    textBlock(),
    imageBlock(),
    documentBlock(),
    searchResultBlock(),
    toolResultBlock(),
  ])
const assistantBlock = () =>
  z.discriminatedUnion('type', [textBlock(), toolUseBlock(), thinkingBlock(), redactedThinkingBlock()])

// Clients of the OpenAI family send their instructions in this role.
const isInstruction = (role: unknown): boolean => role === 'system' || role === 'developer'

const message = () =>
  z.discriminatedUnion(
    'role',
    [
      z.looseObject({ role: z.literal('user'), content: z.union([text(), z.array(userBlock())]) }),
      z.looseObject({ role: z.literal('assistant'), content: z.union([text(), z.array(assistantBlock())]) }),
    ],
    {
      error: ({ input }) =>
        isInstruction((input as { role?: unknown } | null)?.role)
          ? 'put instructions in the `system` field'
          : undefined,
    },
  )

const toolName = () =>
  z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/, 'expected 1 to 128 letters, digits, dashes or underscores')
const customTool = () =>
  z.looseObject({
    type: z.literal('custom').nullish(),
    name: toolName(),
    description: text().nullish(),
    input_schema: z.looseObject({ type: z.literal('object') }),
    strict: z.boolean().nullish(),
    ...cached(),
  })
// Server tools (web search, bash, …): accepted, but called only if `tool_choice` names them.
const serviceTool = () =>
  z.looseObject({
    type: z
      .string()
      .regex(
        /^[a-z][a-z0-9_]*_\d{8}$/,
        'expected "custom" or the type of a server tool, such as web_search_20250305',
      ),
    name: toolName(),
  })

const parallel = () => ({ disable_parallel_tool_use: z.boolean().nullish() })
const toolChoice = () =>
  z.discriminatedUnion('type', [
    z.looseObject({ type: z.literal('auto'), ...parallel() }),
    z.looseObject({ type: z.literal('any'), ...parallel() }),
    z.looseObject({ type: z.literal('none') }),
    z.looseObject({ type: z.literal('tool'), name: z.string().min(1), ...parallel() }),
  ])

const display = () => ({ display: z.enum(['summarized', 'omitted']).nullish() })
const thinking = () =>
  z.discriminatedUnion('type', [
    z.looseObject({ type: z.literal('enabled'), budget_tokens: z.int().min(1024), ...display() }),
    z.looseObject({ type: z.literal('adaptive'), ...display() }),
    z.looseObject({ type: z.literal('disabled') }),
    // The form of thinking blocks is not checked.
    z.looseObject({ type: z.literal('between_tools') }),
  ])

const outputFormat = () =>
  z.looseObject({
    type: z.literal('json_schema'),
    schema: z.record(z.string(), z.unknown()),
  })

/** The request. Unknown fields are allowed; the client report lists them. */
export const messagesRequest = bodyFields(['model', 'max_tokens', 'messages'], {
  // Bounded like the model of chat, because responses repeat it.
  model: () => z.string().min(1).max(512).describe('The model id.'),
  max_tokens: () =>
    z
      .int()
      .min(1)
      // Checked against the setting; the document states its default, the bound of the contract.
      .meta({
        maximum: 8192,
        description:
          'The maximum number of output tokens, including thinking: 1 to 8192 (setting ' +
          '`messages.maxTokens`).',
      }),
  messages: () =>
    z
      .array(message())
      .min(1)
      .describe(
        'The messages of the conversation. Consecutive messages with the same role are merged. If ' +
          'the last message has the role `assistant`, the response continues its text.',
      ),
  cache_control: () => cached().cache_control,
  container: () => z.union([text(), z.looseObject({})]).nullish(),
  inference_geo: () => text().nullish(),
  metadata: () => z.looseObject({ user_id: text().nullish() }).nullish().describe('Data about the end user.'),
  output_config: () =>
    z
      .looseObject({
        format: outputFormat().nullish(),
        effort: z.enum(['low', 'medium', 'high', 'xhigh', 'max']).nullish(),
      })
      .nullish()
      .describe('Output options. The response conforms to the JSON Schema in `format`.'),
  output_format: () => outputFormat().nullish().describe('Deprecated; see `output_config.format`.'),
  service_tier: () => z.enum(['auto', 'standard_only']).nullish(),
  speed: () => z.enum(['standard', 'fast']).nullish(),
  stop_sequences: () =>
    z
      .array(z.string().regex(/\S/, 'expected at least one non-whitespace character'))
      .max(4)
      .nullish()
      .describe('Up to 4 stop sequences.'),
  stream: () => z.boolean().nullish(),
  system: () =>
    z
      .union([text(), z.array(textBlock())])
      .nullish()
      .describe('The system prompt.'),
  temperature: () => z.number().min(0).max(1).nullish(),
  thinking: () => thinking().nullish(),
  tool_choice: () => toolChoice().nullish(),
  tools: () => z.array(z.union([customTool(), serviceTool()])).nullish(),
  top_k: () => z.int().min(1).nullish(),
  top_p: () => z.number().min(0).max(1).nullish(),
})

export type MessagesRequest = z.output<ReturnType<typeof messagesRequest>>
export type CustomTool = z.output<ReturnType<typeof customTool>>
export type UserBlock = z.output<ReturnType<typeof userBlock>>
export type AssistantBlock = z.output<ReturnType<typeof assistantBlock>>
