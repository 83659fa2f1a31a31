/** A chat request in neutral terms: its conversation, its output parameters and its token cost. */
import type { AnswerFormat, Conversation, Tool, ToolChoice } from '../../behaviours/answers/conversation.ts'
import { ConversationReader } from '../../behaviours/answers/read-conversation.ts'
import type { CountTokens, Tokens } from '../../behaviours/tokens/tokens.ts'
import { imageInRequest } from '../../behaviours/uploads/upload.ts'
import { isFields, listOf } from '../../engine/fields.ts'
import type { Context } from '../../protocol/endpoint.ts'
import { type ChatMessage, type ChatRequest, imageElsewhere } from './schema.ts'

/** The conversation, independent of the API. */
export function readConversation(messages: readonly ChatMessage[]): Conversation {
  const conversation = new ConversationReader()
  for (const message of messages) {
    const text = contentText(message.content)
    switch (message.role) {
      case 'system':
      case 'developer':
        break
      case 'user':
        conversation.user(text)
        break
      case 'assistant': {
        conversation.assistant()
        for (const call of message.tool_calls ?? []) conversation.call(call.id, toolName(call), inputOf(call))
        // Legacy function calls have no id.
        const { function_call: older } = message
        if (older != null) conversation.call(undefined, older.name, older.arguments)
        break
      }
      case 'tool':
        conversation.result(message.tool_call_id, text)
        break
      case 'function':
        conversation.result(undefined, text, message.name)
        break
    }
  }
  return conversation.read()
}

/** The text of a content: a string, or its text parts joined. Invalid parts have none. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content
  return listOf(content)
    .map((part) => (isFields(part) && part['type'] === 'text' ? part['text'] : ''))
    .filter((text) => typeof text === 'string' && text !== '')
    .join('\n')
}

/** The output that a request asks for. */
export interface AnswerOptions {
  readonly format: AnswerFormat
  /** All tools, modern and legacy. */
  readonly tools: readonly Tool[]
  /** The tools that may be called. */
  readonly callable: readonly Tool[]
  readonly choice: ToolChoice
}

/** Reads the format and the tools of a request. */
export function readAnswerOptions(body: ChatRequest): AnswerOptions {
  const format: AnswerFormat =
    body.response_format?.type === 'json_schema'
      ? {
          kind: 'schema',
          schema: body.response_format.json_schema.schema ?? anyObject,
          path: 'response_format.json_schema.schema',
        }
      : { kind: body.response_format?.type === 'json_object' ? 'json' : 'text' }
  if (body.functions != null) {
    const tools = body.functions.map((definition, at) =>
      functionTool(definition, `functions[${at}].parameters`),
    )
    const choice = body.function_call ?? 'auto'
    const mode: ToolChoice =
      typeof choice === 'string' ? { mode: choice } : { mode: 'named', name: choice.name }
    return { format, tools, callable: tools, choice: mode }
  }
  const tools = body.tools == null ? [] : body.tools.map(readTool)
  const choice = body.tool_choice ?? 'auto'
  if (typeof choice === 'string') return { format, tools, callable: tools, choice: { mode: choice } }
  if (choice.type !== 'allowed_tools')
    return { format, tools, callable: tools, choice: { mode: 'named', name: toolName(choice) } }
  const { mode, tools: listed } = choice.allowed_tools
  const allowed = new Set(listed.map(toolName))
  return { format, tools, callable: tools.filter(({ name }) => allowed.has(name)), choice: { mode } }
}

const anyObject = { type: 'object' }

function readTool(tool: NonNullable<ChatRequest['tools']>[number], index: number): Tool {
  if (tool.type === 'function') return functionTool(tool.function, `tools[${index}].function.parameters`)
  const { name, description, format } = tool.custom
  const custom = { kind: 'custom', name, description: description ?? '' } as const
  if (format?.type !== 'grammar') return { ...custom, path: `tools[${index}].custom.format` }
  const { syntax, definition } = format.grammar
  if (syntax === 'lark')
    return { ...custom, unwritable: true, path: `tools[${index}].custom.format.grammar.syntax` }
  return {
    ...custom,
    parameters: { type: 'string', pattern: definition },
    path: `tools[${index}].custom.format.grammar.definition`,
  }
}

function functionTool(
  { name, description, parameters }: NonNullable<ChatRequest['functions']>[number],
  path: string,
): Tool {
  const schema = parameters == null ? undefined : argumentsSchema(parameters)
  return { kind: 'function', name, description: description ?? '', path, parameters: schema }
}

/** Arguments are an object even if their schema does not require it. */
function argumentsSchema(schema: boolean | Readonly<Record<string, unknown>>): unknown {
  if (schema === true) return anyObject
  return schema === false || schema['type'] !== undefined ? schema : { ...anyObject, ...schema }
}

function inputOf(
  call: { type: 'function'; function: { arguments: string } } | { type: 'custom'; custom: { input: string } },
): string {
  return call.type === 'function' ? call.function.arguments : call.custom.input
}

/** The name of a tool or of a reference to one. */
export function toolName(
  tool: { type: 'function'; function: { name: string } } | { type: 'custom'; custom: { name: string } },
): string {
  return tool.type === 'function' ? tool.function.name : tool.custom.name
}

// Each message costs a few framing tokens and one for its role; the start of the answer costs a few more.
const perMessage = 4
const perCall = 3
const priming = 3
const perImage = { low: 85, high: 765 } as const
const perFileId = 100
// Audio counts ten tokens per second of 24,000 samples of 16 bits.
const audioBytesPerToken = 4800
const fileBytesPerToken = 4
const maxImageBytes = 8 * 1024 * 1024

export interface PromptTokens {
  readonly all: number
  /** The tokens of audio among `all`. */
  readonly audio: number
}

/** Throws a 400 for a reference to an unusable image. */
export function promptTokens(body: ChatRequest, tokenizer: Tokens, context: Context): PromptTokens {
  const counted = { characters: 0, tokens: 0 }
  const count: CountTokens = (text) => tokenizer.count(text, counted)
  let all = priming
  let audio = 0
  const say = (...texts: readonly string[]): void => {
    for (const text of texts) all += count(text)
  }
  let at = -1
  for (const message of body.messages) {
    at++
    all += perMessage
    if (typeof message.content === 'string') all += count(message.content)
    else
      for (const [index, part] of (message.content ?? []).entries()) {
        const cost = partTokens(part, ['messages', at, 'content', index], count, context)
        all += cost
        if (part.type === 'input_audio') audio += cost
      }
    if ('name' in message && typeof message.name === 'string') {
      all += 1
      say(message.name)
    }
    if (message.role !== 'assistant') continue
    if (message.refusal != null) say(message.refusal)
    for (const call of message.tool_calls ?? []) {
      all += perCall
      say(toolName(call), inputOf(call))
    }
    if (message.function_call != null) {
      all += perCall
      say(message.function_call.name, message.function_call.arguments)
    }
  }
  if (body.tools != null && body.tools.length > 0) say(JSON.stringify(body.tools))
  if (body.functions != null) say(JSON.stringify(body.functions))
  if (body.response_format?.type === 'json_schema') say(JSON.stringify(body.response_format.json_schema))
  return { all, audio }
}

type Part = Exclude<NonNullable<ChatMessage['content']>, string>[number]

function partTokens(part: Part, field: readonly PropertyKey[], count: CountTokens, context: Context): number {
  switch (part.type) {
    case 'text':
      return count(part.text)
    case 'refusal':
      return count(part.refusal)
    case 'image_url':
      // Larger images are discarded; the request succeeds, and they cost nothing.
      if (imageBytes(part.image_url.url, field, context) > maxImageBytes) return 0
      return perImage[part.image_url.detail === 'low' ? 'low' : 'high']
    case 'input_audio':
      return Math.max(1, Math.ceil(base64Bytes(part.input_audio.data) / audioBytesPerToken))
    case 'file':
      return part.file.file_data === undefined
        ? perFileId
        : Math.max(1, Math.ceil(dataBytes(part.file.file_data) / fileBytesPerToken))
  }
}

/**
 * The size in bytes of an image in the request or an upload; 0 for an external URL, which is never fetched.
 */
function imageBytes(url: string, field: readonly PropertyKey[], context: Context): number {
  if (/^data:/i.test(url)) return dataBytes(url)
  return imageInRequest(url, [...field, 'image_url', 'url'], imageElsewhere, context)?.bytes.size ?? 0
}

/** The number of bytes in a data: URL or plain base64; 0 for an external URL, which is never fetched. */
function dataBytes(url: string): number {
  return /^https?:/i.test(url) ? 0 : base64Bytes(url, url.indexOf(',') + 1)
}

function base64Bytes(text: string, from = 0): number {
  const padding = /={0,2}$/.exec(text)?.[0].length ?? 0
  return Math.max(0, Math.floor(((text.length - from) * 3) / 4) - padding)
}
