/**
 * A messages request in neutral terms: its turns, its conversation, its output parameters and its token cost.
 */

import type { AnswerFormat, Conversation, Tool, ToolChoice } from '../../behaviours/answers/conversation.ts'
import { noSchemas, schemasOf } from '../../behaviours/answers/loaded-schemas.ts'
import { ConversationReader } from '../../behaviours/answers/read-conversation.ts'
import type { Schemas } from '../../behaviours/json-schema/schemas.ts'
import type { CountTokens, Tokens } from '../../behaviours/tokens/tokens.ts'
import { isFields, listOf } from '../../engine/fields.ts'
import type { Context } from '../../protocol/endpoint.ts'
import { ApiError } from '../../protocol/errors.ts'
import { withDescribedBounds } from './described-bounds.ts'
import type { AssistantBlock, CustomTool, MessagesRequest, UserBlock } from './request.ts'

interface PlacedBlock<Block> {
  readonly block: Block
  /** Such as `messages[0].content[1]`. */
  readonly field: string
}

export type Turn =
  | { readonly role: 'user'; readonly blocks: readonly PlacedBlock<UserBlock>[] }
  | { readonly role: 'assistant'; readonly blocks: readonly PlacedBlock<AssistantBlock>[] }

/** The turns, each with its blocks and their paths; string content counts as one text block. */
export function turnsOf(messages: MessagesRequest['messages']): readonly Turn[] {
  const turns: { role: Turn['role']; blocks: PlacedBlock<UserBlock | AssistantBlock>[] }[] = []
  for (const [at, { role, content }] of messages.entries()) {
    if (turns.at(-1)?.role !== role) turns.push({ role, blocks: [] })
    const blocks = turns.at(-1)?.blocks ?? []
    const field = `messages[${at}].content`
    if (typeof content !== 'string')
      for (const [index, block] of content.entries()) blocks.push({ block, field: `${field}[${index}]` })
    else if (content !== '') blocks.push({ block: { type: 'text', text: content }, field })
  }
  return turns as readonly Turn[]
}

/** The text of a content: a string, or its text blocks joined. Invalid blocks have none. */
export function textIn(content: unknown, between = '\n'): string {
  if (typeof content === 'string') return content
  let joined: string | undefined
  for (const block of listOf(content)) {
    const text = isFields(block) && block['type'] === 'text' ? block['text'] : undefined
    if (typeof text === 'string') joined = joined === undefined ? text : joined + between + text
  }
  return joined ?? ''
}

const turnText = ({ blocks }: Turn, between: string): string =>
  textIn(
    blocks.map(({ block }) => block),
    between,
  )

/** The conversation in neutral terms. */
export function readConversation(turns: readonly Turn[]): Conversation {
  const conversation = new ConversationReader()
  for (const turn of turns) {
    const text = turnText(turn, '\n')
    if (turn.role === 'assistant') conversation.assistant()
    for (const { block } of turn.blocks) {
      if (block.type === 'tool_use') conversation.call(block.id, block.name, JSON.stringify(block.input))
      if (block.type === 'tool_result') conversation.result(block.tool_use_id, textIn(block.content))
    }
    if (turn.role === 'user') conversation.user(text)
  }
  return conversation.read()
}

/** The text of a final assistant turn, or undefined. */
export function prefillOf(turns: readonly Turn[]): string | undefined {
  const last = turns.at(-1)
  return last?.role === 'assistant' ? turnText(last, '') : undefined
}

/**
 * The tools that may be called. The arguments of server tools are unknown here, so these are called only if
 * `tool_choice` names one.
 */
function readTools({ tools, tool_choice: choice }: MessagesRequest): readonly Tool[] {
  return (tools ?? []).flatMap((tool, index): Tool[] => {
    const own = { kind: 'function', name: tool.name, path: `tools[${index}].input_schema` } as const
    if (isCustom(tool))
      return [{ ...own, description: tool.description ?? '', parameters: tool.input_schema }]
    return choice?.type === 'tool' && choice.name === tool.name ? [{ ...own, description: '' }] : []
  })
}

const isCustom = (tool: NonNullable<MessagesRequest['tools']>[number]): tool is CustomTool =>
  tool.type == null || tool.type === 'custom'

/** Whether and which tools must be called. */
export function readChoice({ tool_choice: choice }: MessagesRequest): ToolChoice {
  if (choice?.type === 'tool') return { mode: 'named', name: choice.name }
  return { mode: choice?.type === 'any' ? 'required' : (choice?.type ?? 'auto') }
}

/** Whether parallel tool calls are allowed. */
export function readParallel({ tool_choice: choice }: MessagesRequest): boolean {
  return choice == null || choice.type === 'none' || choice.disable_parallel_tool_use !== true
}

/** The required format of the answer's text. */
function readFormat({ output_config: config, output_format: older }: MessagesRequest): AnswerFormat {
  const [format, path] =
    config?.format != null ? [config.format, 'output_config.format.schema'] : [older, 'output_format.schema']
  return format == null ? { kind: 'text' } : { kind: 'schema', schema: format.schema, path }
}

/** The output parameters of the request. */
export interface AnswerOptions {
  readonly tools: readonly Tool[]
  readonly format: AnswerFormat
  readonly schemas: Schemas
}

/** The tools and the format, including bounds in descriptions. Throws a 400 for an unsupported schema. */
export function readAnswerOptions(body: MessagesRequest, context: Context): AnswerOptions {
  const offered = readTools(body)
  const format = readFormat(body)
  const hasNone = offered.length === 0 && format.kind === 'text'
  const schemas = hasNone ? noSchemas : schemasOf(context)
  const tools = offered.map((tool) =>
    tool.parameters === undefined
      ? tool
      : { ...tool, parameters: followed(tool.parameters, tool.path, schemas) },
  )
  if (format.kind !== 'schema') return { tools, format, schemas }
  return { tools, format: { ...format, schema: followed(format.schema, format.path, schemas) }, schemas }
}

// Bounds in descriptions are best effort; only unsupported keywords are rejected.
function followed(schema: unknown, path: string, schemas: Schemas): unknown {
  const described = withDescribedBounds(schema)
  if (described !== schema) {
    try {
      schemas.check(described, path)
      return described
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
    }
  }
  schemas.check(schema, path)
  return schema
}

// Each message costs a few framing tokens, and the start of the answer costs a few more.
const perMessage = 4
const priming = 3
const perCall = 3
const imageTokens = 1600
const linkedDocument = 1600
const charactersOfBase64 = 4
const bytesPerToken = 4

/** `input_tokens` of a request. */
export function promptTokens(body: MessagesRequest, tokenizer: Tokens): number {
  const counted = { characters: 0, tokens: 0 }
  const count: CountTokens = (text) => tokenizer.count(text, counted)
  let all = priming + contentTokens(body.system, count)
  for (const { content } of body.messages) all += perMessage + contentTokens(content, count)
  if (body.tools != null && body.tools.length > 0) all += count(JSON.stringify(body.tools))
  const format = body.output_config?.format ?? body.output_format
  if (format != null) all += count(JSON.stringify(format.schema))
  return all
}

type Content = string | readonly (UserBlock | AssistantBlock)[] | null | undefined

function contentTokens(content: Content, count: CountTokens): number {
  if (typeof content === 'string') return count(content)
  let all = 0
  for (const block of content ?? []) all += blockTokens(block, count)
  return all
}

function blockTokens(block: UserBlock | AssistantBlock, count: CountTokens): number {
  switch (block.type) {
    case 'text':
      return count(block.text)
    case 'image':
      return imageTokens
    case 'document': {
      const { source } = block
      if (source.type === 'text') return count(source.data)
      if (source.type === 'content') return contentTokens(source.content, count)
      if (source.type !== 'base64') return linkedDocument
      return Math.ceil((source.data.length * 3) / charactersOfBase64 / bytesPerToken)
    }
    case 'search_result':
      return count(block.title) + contentTokens(block.content, count)
    case 'tool_result':
      return perCall + contentTokens(block.content, count)
    case 'tool_use':
      return perCall + count(block.name) + count(JSON.stringify(block.input))
    // Earlier thinking is not counted.
    case 'thinking':
    case 'redacted_thinking':
      return 0
  }
}

/** Whether a request uses caching anywhere; then the usage includes cache counts (zero). */
export function asksForCaching({ system, tools, messages, cache_control }: MessagesRequest): boolean {
  const marked = (part: object): boolean => 'cache_control' in part && part.cache_control != null
  return (
    cache_control != null ||
    (Array.isArray(system) && system.some(marked)) ||
    (tools ?? []).some(marked) ||
    messages.some(({ content }) => typeof content !== 'string' && (content as readonly object[]).some(marked))
  )
}
