/** A messages request in neutral terms: its conversation, its output parameters and its token cost. */

import type {
  AnswerFormat,
  AnswerRequest,
  Conversation,
  Tool,
  ToolChoice,
} from '../../behaviours/answers/conversation.ts'
import { noSchemas, schemasOf } from '../../behaviours/answers/loaded-schemas.ts'
import { ConversationReader, textOf } from '../../behaviours/answers/read-conversation.ts'
import type { CountTokens, Tokens } from '../../behaviours/tokens/tokens.ts'
import { imageInRequest } from '../../behaviours/uploads/upload.ts'
import type { Context } from '../../protocol/endpoint.ts'
import {
  type AssistantBlock,
  type CustomTool,
  imageElsewhere,
  type MessagesRequest,
  type UserBlock,
} from './request.ts'

type Messages = MessagesRequest['messages']

/** The conversation in neutral terms, without the start of the answer. Messages with one role are a turn. */
export function readConversation(messages: Messages): Conversation {
  const conversation = new ConversationReader()
  const texts: string[] = []
  for (const [at, { role, content }] of messages.entries()) {
    if (role === 'assistant' && at === messages.length - 1) break
    if (role === 'assistant') conversation.assistant()
    for (const block of typeof content === 'string' ? [] : content) {
      if (block.type === 'tool_use') conversation.call(block.id, block.name, JSON.stringify(block.input))
      if (block.type === 'tool_result') conversation.result(block.tool_use_id, textOf(block.content))
    }
    if (role !== 'user') continue
    texts.push(textOf(content))
    if (messages[at + 1]?.role === 'user') continue
    conversation.user(texts.filter((text) => text !== '').join('\n'))
    texts.length = 0
  }
  return conversation
}

/** The start of the answer: the text of a final assistant message, if any. */
export function prefillOf(messages: Messages): string | undefined {
  const last = messages.at(-1)
  return last?.role === 'assistant' ? textOf(last.content, '') : undefined
}

/**
 * The tools that may be called. The arguments of server tools are unknown here, so these are called only if
 * `tool_choice` names one.
 */
function readTools({ tools, tool_choice: choice }: MessagesRequest): readonly Tool[] {
  return (tools ?? []).flatMap((tool, index): Tool[] => {
    const common = { kind: 'function', name: tool.name, path: `tools[${index}].input_schema` } as const
    if (isCustom(tool))
      return [{ ...common, description: tool.description ?? '', parameters: tool.input_schema }]
    return choice?.type === 'tool' && choice.name === tool.name ? [{ ...common, description: '' }] : []
  })
}

const isCustom = (tool: NonNullable<MessagesRequest['tools']>[number]): tool is CustomTool =>
  tool.type == null || tool.type === 'custom'

function readChoice(choice: MessagesRequest['tool_choice']): ToolChoice {
  if (choice?.type === 'tool') return { mode: 'named', name: choice.name }
  return { mode: choice?.type === 'any' ? 'required' : (choice?.type ?? 'auto') }
}

/** The required format of the answer's text. */
function readFormat({ output_config: config, output_format: older }: MessagesRequest): AnswerFormat {
  const [format, path] =
    config?.format != null ? [config.format, 'output_config.format.schema'] : [older, 'output_format.schema']
  return format == null ? { kind: 'text' } : { kind: 'schema', schema: format.schema, path }
}

/** The output parameters. Throws a 400 for an unsupported schema, even if unused. */
export function readAnswerOptions(
  body: MessagesRequest,
  context: Context,
): Pick<AnswerRequest, 'tools' | 'choice' | 'parallel' | 'format' | 'schemas'> {
  const { tool_choice: choice } = body
  const tools = readTools(body)
  const format = readFormat(body)
  const hasNone = tools.length === 0 && format.kind === 'text'
  const schemas = hasNone ? noSchemas : schemasOf(context)
  for (const { parameters, path } of tools) if (parameters !== undefined) schemas.check(parameters, path)
  if (format.kind === 'schema') schemas.check(format.schema, format.path)
  return {
    tools,
    choice: readChoice(choice),
    parallel: choice == null || choice.type === 'none' || choice.disable_parallel_tool_use !== true,
    format,
    schemas,
  }
}

// Each message costs a few framing tokens, and the start of the answer costs a few more.
const perMessage = 4
const priming = 3
const perCall = 3
const imageTokens = 1600
const linkedDocument = 1600
const charactersOfBase64 = 4
const bytesPerToken = 4

/** `input_tokens` of a request. Throws a 400 for a reference to an unusable image. */
export function promptTokens(body: MessagesRequest, tokenizer: Tokens, context: Context): number {
  const counted = { characters: 0, tokens: 0 }
  const counter = { count: (text: string) => tokenizer.count(text, counted), context }
  let all = priming + contentTokens(body.system, ['system'], counter)
  for (const [index, { content }] of body.messages.entries())
    all += perMessage + contentTokens(content, ['messages', index, 'content'], counter)
  if (body.tools != null && body.tools.length > 0) all += counter.count(JSON.stringify(body.tools))
  const format = body.output_config?.format ?? body.output_format
  if (format != null) all += counter.count(JSON.stringify(format.schema))
  return all
}

type Content = string | readonly (UserBlock | AssistantBlock)[] | null | undefined
type Path = readonly PropertyKey[]

interface Counter {
  readonly count: CountTokens
  readonly context: Context
}

function contentTokens(content: Content, path: Path, counter: Counter): number {
  if (typeof content === 'string') return counter.count(content)
  let all = 0
  for (const [index, block] of (content ?? []).entries()) all += blockTokens(block, [...path, index], counter)
  return all
}

function blockTokens(block: UserBlock | AssistantBlock, path: Path, counter: Counter): number {
  const { count, context } = counter
  switch (block.type) {
    case 'text':
      return count(block.text)
    case 'image': {
      const { source } = block
      if (source.type === 'url')
        imageInRequest(source.url, [...path, 'source', 'url'], imageElsewhere, context)
      // File ids are not checked, except references to uploads.
      if (source.type === 'file')
        imageInRequest(source.file_id, [...path, 'source', 'file_id'], { fits: /^/, expected: '' }, context)
      return imageTokens
    }
    case 'document': {
      const { source } = block
      if (source.type === 'text') return count(source.data)
      if (source.type === 'content')
        return contentTokens(source.content, [...path, 'source', 'content'], counter)
      if (source.type !== 'base64') return linkedDocument
      return Math.ceil((source.data.length * 3) / charactersOfBase64 / bytesPerToken)
    }
    case 'search_result':
      return count(block.title) + contentTokens(block.content, [...path, 'content'], counter)
    case 'tool_result':
      return perCall + contentTokens(block.content, [...path, 'content'], counter)
    case 'tool_use':
      return perCall + count(block.name) + count(JSON.stringify(block.input))
    // Earlier thinking is not counted.
    case 'thinking':
    case 'redacted_thinking':
      return 0
  }
}
