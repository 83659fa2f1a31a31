/** A chat request in neutral words. */
import type {
  AnswerFormat,
  Conversation,
  Tool,
  ToolChoice,
  ToolResult,
} from '../../behaviours/answers/conversation.ts'
import type { ChatMessage } from './message-schema.ts'
import type { ChatRequest } from './schema.ts'

/** The conversation, independent of the API. */
export function readConversation(messages: readonly ChatMessage[]): Conversation {
  const instructions: string[] = []
  const results: ToolResult[] = []
  const names = new Map<string, string>()
  let lastUser = ''
  for (const message of messages) {
    switch (message.role) {
      case 'system':
      case 'developer':
        instructions.push(contentText(message.content))
        break
      case 'user':
        lastUser = contentText(message.content)
        results.length = 0
        break
      case 'assistant':
        results.length = 0
        for (const call of message.tool_calls ?? []) names.set(call.id, toolName(call))
        break
      case 'tool':
        results.push({ name: names.get(message.tool_call_id), text: contentText(message.content) })
        break
      case 'function':
        results.push({ name: message.name, text: message.content ?? '' })
        break
    }
  }
  return { instructions: instructions.join('\n'), lastUser, toolResults: results }
}

/** The text of a content: a string, or its text parts joined. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content
    .map((part: { type: string; text?: string }) => (part.type === 'text' ? (part.text ?? '') : ''))
    .filter((text) => text !== '')
    .join('\n')
}

/** What a request asks its answer to be. */
export interface AnswerOptions {
  readonly format: AnswerFormat
  /** All tools, modern and legacy. */
  readonly tools: readonly Tool[]
  /** Those of them that may be called. */
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
  return {
    kind: 'function',
    name,
    description: description ?? '',
    ...(parameters == null ? {} : { parameters }),
    path,
  }
}

/** The name of a tool, or of one that is referred to. */
export function toolName(
  tool: { type: 'function'; function: { name: string } } | { type: 'custom'; custom: { name: string } },
): string {
  return tool.type === 'function' ? tool.function.name : tool.custom.name
}
