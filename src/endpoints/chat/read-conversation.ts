/** A chat request in neutral words. */
import {
  type AnsweredCall,
  type AnswerFormat,
  type Conversation,
  carriesOn,
  type PastCall,
  type Tool,
  type ToolChoice,
} from '../../behaviours/answers/conversation.ts'
import type { ChatMessage } from './message-schema.ts'
import type { ChatRequest } from './schema.ts'

/** The conversation, independent of the API. */
export function readConversation(messages: readonly ChatMessage[]): Conversation {
  const instructions: string[] = []
  const results: AnsweredCall[] = []
  // By their ids; a result takes the place of its call.
  const calls = new Map<string, PastCall>()
  let lastUser = ''
  let previousUser: string | undefined
  let lastTool: string | undefined
  const answer = (id: string, name: string | undefined, result: string): void => {
    const call = { ...(calls.get(id) ?? pastCall(name, '')), result }
    calls.set(id, call)
    results.push(call)
  }
  let previous: ChatMessage['role'] | undefined
  for (const message of messages) {
    switch (message.role) {
      case 'system':
      case 'developer':
        instructions.push(contentText(message.content))
        break
      case 'user': {
        const said = contentText(message.content)
        if (results.length > 0 && carriesOn(said)) break
        // Messages in a row are one.
        if (previous !== 'user' && lastUser !== '') previousUser = lastUser
        lastUser = previous === 'user' ? `${lastUser}\n${said}` : said
        for (const { name } of calls.values()) lastTool = name ?? lastTool
        calls.clear()
        break
      }
      case 'assistant':
        results.length = 0
        for (const call of message.tool_calls ?? [])
          calls.set(call.id, pastCall(toolName(call), inputOf(call)))
        if (message.function_call != null) {
          const { name, arguments: input } = message.function_call
          calls.set(`function ${name} ${calls.size}`, pastCall(name, input))
        }
        break
      case 'tool':
        answer(message.tool_call_id, undefined, contentText(message.content))
        break
      case 'function':
        answer(openCall(calls, message.name), message.name, message.content ?? '')
        break
    }
    previous = message.role
  }
  // Some agents hand on what another has said, and nothing else.
  if (lastUser === '' && previous === 'assistant') lastUser = contentText(messages.at(-1)?.content)
  return {
    instructions: instructions.join('\n'),
    lastUser,
    previousUser,
    calls: [...calls.values()],
    lastTool,
    toolResults: results,
  }
}

const pastCall = (name: string | undefined, input: string): PastCall => ({
  name,
  input,
  result: undefined,
  failed: false,
})

// Results of the older `functions` have no id: they answer the call of that name that waits.
function openCall(calls: ReadonlyMap<string, PastCall>, name: string): string {
  for (const [id, call] of calls) if (call.name === name && call.result === undefined) return id
  return `function ${name} ${calls.size}`
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

function inputOf(
  call: { type: 'function'; function: { arguments: string } } | { type: 'custom'; custom: { input: string } },
): string {
  return call.type === 'function' ? call.function.arguments : call.custom.input
}

/** The name of a tool, or of one that is referred to. */
export function toolName(
  tool: { type: 'function'; function: { name: string } } | { type: 'custom'; custom: { name: string } },
): string {
  return tool.type === 'function' ? tool.function.name : tool.custom.name
}
