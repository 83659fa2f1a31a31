/** A chat request in neutral terms: its conversation, its output parameters and its token cost. */
import type {
  AnswerFormat,
  AnswerRequest,
  Conversation,
  Tool,
  ToolChoice,
} from '../../behaviours/answers/conversation.ts'
import { noSchemas, schemasOf } from '../../behaviours/answers/loaded-schemas.ts'
import { ConversationReader, textOf } from '../../behaviours/answers/read-conversation.ts'
import type { CountedTexts, Tokens } from '../../behaviours/tokens/tokens.ts'
import { imageInRequest } from '../../behaviours/uploads/upload.ts'
import type { Context } from '../../protocol/endpoint.ts'
import { type ChatMessage, type ChatRequest, imageElsewhere } from './schema.ts'

/** The conversation, independent of the API. */
export function readConversation(messages: readonly ChatMessage[]): Conversation {
  const conversation = new ConversationReader()
  for (const message of messages)
    switch (message.role) {
      case 'user':
        conversation.user(textOf(message.content))
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
        conversation.result(message.tool_call_id, textOf(message.content))
        break
      case 'function':
        conversation.result(undefined, textOf(message.content), message.name)
        break
    }
  return conversation
}

/** Reads the format and the tools of a request. Throws a 400 for an unsupported schema, even if unused. */
export function readAnswerOptions(
  body: ChatRequest,
  context: Context,
): Pick<AnswerRequest, 'tools' | 'choice' | 'parallel' | 'format' | 'schemas'> {
  const { response_format: response } = body
  const format: AnswerFormat =
    response?.type === 'json_schema'
      ? {
          kind: 'schema',
          schema: response.json_schema.schema ?? anyObject,
          path: 'response_format.json_schema.schema',
        }
      : { kind: response?.type === 'json_object' ? 'json' : 'text' }
  const parallel = body.functions == null && body.parallel_tool_calls !== false
  if (body.tools == null && body.functions == null && format.kind === 'text')
    return { tools: [], choice: { mode: 'auto' }, parallel, format, schemas: noSchemas }
  const schemas = schemasOf(context)
  const tools =
    body.functions?.map((definition, at) => functionTool(definition, `functions[${at}].parameters`)) ??
    (body.tools ?? []).map(readTool)
  for (const { parameters, path } of tools) if (parameters !== undefined) schemas.check(parameters, path)
  if (format.kind === 'schema') schemas.check(format.schema, format.path)
  const { choice, allowed } = readChoice(body)
  const callable = allowed === undefined ? tools : tools.filter(({ name }) => allowed.includes(name))
  return { tools: callable, choice, parallel, format, schemas }
}

/** Whether and which tools must be called, and the names of those that may be. */
function readChoice(body: ChatRequest): { choice: ToolChoice; allowed?: readonly string[] } {
  const { functions, function_call: older, tool_choice: choice } = body
  if (functions != null)
    return {
      choice:
        typeof older === 'object' && older !== null
          ? { mode: 'named', name: older.name }
          : { mode: older ?? 'auto' },
    }
  if (choice == null || typeof choice === 'string') return { choice: { mode: choice ?? 'auto' } }
  if (choice.type !== 'allowed_tools') return { choice: { mode: 'named', name: toolName(choice) } }
  const { mode, tools } = choice.allowed_tools
  return { choice: { mode }, allowed: tools.map(toolName) }
}

const anyObject = { type: 'object' }

function readTool(tool: NonNullable<ChatRequest['tools']>[number], index: number): Tool {
  if (tool.type === 'function') return functionTool(tool.function, `tools[${index}].function.parameters`)
  const { name, description } = tool.custom
  // A custom tool takes any text; its grammar is not followed.
  return { kind: 'custom', name, description: description ?? '', path: `tools[${index}].custom` }
}

/** Arguments are an object even if their schema does not require it. */
function functionTool(
  { name, description, parameters }: NonNullable<ChatRequest['functions']>[number],
  path: string,
): Tool {
  const tool = { kind: 'function', name, description: description ?? '', path } as const
  if (parameters == null) return tool
  if (parameters === true) return { ...tool, parameters: anyObject }
  const isTyped = parameters === false || parameters['type'] !== undefined
  return { ...tool, parameters: isTyped ? parameters : { ...anyObject, ...parameters } }
}

const inputOf = (
  call: { type: 'function'; function: { arguments: string } } | { type: 'custom'; custom: { input: string } },
): string => (call.type === 'function' ? call.function.arguments : call.custom.input)

/** The name of a tool or of a reference to one. */
export const toolName = (
  tool: { type: 'function'; function: { name: string } } | { type: 'custom'; custom: { name: string } },
): string => (tool.type === 'function' ? tool.function.name : tool.custom.name)

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

interface PromptTokens {
  readonly all: number
  /** The tokens of audio among `all`. */
  readonly audio: number
}

/** Throws a 400 for a reference to an unusable image. */
export function promptTokens(body: ChatRequest, tokenizer: Tokens, context: Context): PromptTokens {
  const counted: CountedTexts = { characters: 0, tokens: 0 }
  let all = priming
  let audio = 0
  for (const [at, message] of body.messages.entries()) {
    all += perMessage
    if (typeof message.content === 'string') all += tokenizer.count(message.content, counted)
    else
      for (const [index, part] of (message.content ?? []).entries()) {
        const field = ['messages', at, 'content', index]
        const text = textIn(part)
        const cost = text === undefined ? fileTokens(part, field, context) : tokenizer.count(text, counted)
        all += cost
        if (part.type === 'input_audio') audio += cost
      }
    const { name } = message
    if (typeof name === 'string') all += 1 + tokenizer.count(name, counted)
    if (message.role !== 'assistant') continue
    const { refusal, tool_calls: calls, function_call: older } = message
    if (refusal != null) all += tokenizer.count(refusal, counted)
    for (const call of calls ?? [])
      all += perCall + tokenizer.count(toolName(call), counted) + tokenizer.count(inputOf(call), counted)
    if (older != null)
      all += perCall + tokenizer.count(older.name, counted) + tokenizer.count(older.arguments, counted)
  }
  const { tools, functions, response_format: format } = body
  const declared = [tools?.length === 0 ? undefined : tools, functions]
  if (format?.type === 'json_schema') declared.push(format.json_schema as never)
  for (const value of declared) if (value != null) all += tokenizer.count(JSON.stringify(value), counted)
  return { all, audio }
}

type Part = Exclude<NonNullable<ChatMessage['content']>, string>[number]

function textIn(part: Part): string | undefined {
  if (part.type === 'text') return part.text
  return part.type === 'refusal' ? part.refusal : undefined
}

function fileTokens(part: Part, field: readonly PropertyKey[], context: Context): number {
  switch (part.type) {
    case 'image_url': {
      const { url, detail } = part.image_url
      const place = [...field, 'image_url', 'url']
      // External images are never fetched.
      const bytes = /^data:/i.test(url)
        ? base64Bytes(url, url.indexOf(',') + 1)
        : (imageInRequest(url, place, imageElsewhere, context)?.bytes.size ?? 0)
      // Larger images are discarded; the request succeeds, and they cost nothing.
      return bytes > maxImageBytes ? 0 : perImage[detail === 'low' ? 'low' : 'high']
    }
    case 'input_audio':
      return Math.max(1, Math.ceil(base64Bytes(part.input_audio.data) / audioBytesPerToken))
    case 'file': {
      const { file_data: data } = part.file
      if (data === undefined) return perFileId
      return Math.max(1, Math.ceil(base64Bytes(data, data.indexOf(',') + 1) / fileBytesPerToken))
    }
    default:
      return 0
  }
}

/** The number of bytes in a data: URL or plain base64. */
function base64Bytes(text: string, from = 0): number {
  const padding = /={0,2}$/.exec(text)?.[0].length ?? 0
  return Math.max(0, Math.floor(((text.length - from) * 3) / 4) - padding)
}
