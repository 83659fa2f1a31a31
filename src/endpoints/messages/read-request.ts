/** A messages request in neutral words: its turns, its conversation, what it asks for, what it costs. */
import type { AnswerFormat, Conversation, Tool, ToolChoice } from '../../behaviours/answers/conversation.ts'
import { ConversationReader } from '../../behaviours/answers/read-conversation.ts'
import { createSchemas, type Schemas } from '../../behaviours/json-schema/schemas.ts'
import type { TokenCount, Tokens } from '../../behaviours/tokens/tokens.ts'
import { ApiError } from '../../protocol/errors.ts'
import { withDescribedBounds } from './described-bounds.ts'
import type { AssistantBlock, CustomTool, MessagesRequest, UserBlock } from './request.ts'

export interface PlacedBlock<Block> {
  readonly block: Block
  /** As `messages[0].content[1]`. */
  readonly field: string
}

export type Turn =
  | { readonly role: 'user'; readonly blocks: readonly PlacedBlock<UserBlock>[] }
  | { readonly role: 'assistant'; readonly blocks: readonly PlacedBlock<AssistantBlock>[] }

/** The turns, each with its blocks and their paths; string content counts as one text block. */
export function turnsOf(messages: MessagesRequest['messages']): readonly Turn[] {
  const turns: { role: Turn['role']; blocks: PlacedBlock<UserBlock | AssistantBlock>[] }[] = []
  for (const [at, { role, content }] of messages.entries()) {
    const field = `messages[${at}].content`
    const blocks: PlacedBlock<UserBlock | AssistantBlock>[] =
      typeof content !== 'string'
        ? content.map((block, index) => ({ block, field: `${field}[${index}]` }))
        : content === ''
          ? []
          : [{ block: { type: 'text', text: content }, field }]
    const last = turns.at(-1)
    // No spread: a turn may have more blocks than a call can take arguments.
    if (last?.role === role) for (const block of blocks) last.blocks.push(block)
    else turns.push({ role, blocks })
  }
  return turns as readonly Turn[]
}

/** The text blocks of some blocks, joined. */
function turnText(
  blocks: readonly { readonly block: UserBlock | AssistantBlock }[],
  between: string,
): string {
  return blocks.flatMap(({ block }) => (block.type === 'text' ? [block.text] : [])).join(between)
}

/** What was said, in neutral words. */
export function readConversation(system: MessagesRequest['system'], turns: readonly Turn[]): Conversation {
  const conversation = new ConversationReader()
  conversation.instructions(systemText(system))
  for (const turn of turns) {
    const text = turnText(turn.blocks, '\n')
    if (turn.role === 'assistant') conversation.assistant(text)
    for (const { block } of turn.blocks) {
      if (block.type === 'tool_use') conversation.call(block.id, block.name, JSON.stringify(block.input))
      if (block.type === 'tool_result')
        conversation.result(block.tool_use_id, resultText(block), { failed: block.is_error === true })
    }
    if (turn.role === 'user') conversation.user(text)
  }
  return conversation.read()
}

function systemText(system: MessagesRequest['system']): string {
  return typeof system === 'string' ? system : (system ?? []).map(({ text }) => text).join('\n')
}

function resultText({ content }: Extract<UserBlock, { type: 'tool_result' }>): string {
  if (typeof content === 'string') return content
  return (content ?? []).flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
}

/** What a last turn of the assistant has begun to say; undefined when there is none. */
export function prefillOf(turns: readonly Turn[]): string | undefined {
  const last = turns.at(-1)
  return last?.role === 'assistant' ? turnText(last.blocks, '') : undefined
}

/**
 * The tools that may be called. The arguments of the service's own tools are unknown here, so they are
 * called only when a choice names one.
 */
function readTools({ tools, tool_choice: choice }: MessagesRequest): readonly Tool[] {
  return (tools ?? []).flatMap((tool, index): Tool[] => {
    const path = `tools[${index}].input_schema`
    if (isCustom(tool))
      return [
        {
          kind: 'function',
          name: tool.name,
          description: tool.description ?? '',
          parameters: tool.input_schema,
          path,
        },
      ]
    return choice?.type === 'tool' && choice.name === tool.name
      ? [{ kind: 'function', name: tool.name, description: '', path }]
      : []
  })
}

const isCustom = (tool: NonNullable<MessagesRequest['tools']>[number]): tool is CustomTool =>
  tool.type == null || tool.type === 'custom'

/** Whether and which tools must be called. */
export function readChoice({ tool_choice: choice }: MessagesRequest): ToolChoice {
  switch (choice?.type) {
    case undefined:
    case 'auto':
      return { mode: 'auto' }
    case 'any':
      return { mode: 'required' }
    case 'none':
      return { mode: 'none' }
    case 'tool':
      return { mode: 'named', name: choice.name }
  }
}

/** Whether several tools may be called at once. */
export function readParallel({ tool_choice: choice }: MessagesRequest): boolean {
  return choice == null || choice.type === 'none' || choice.disable_parallel_tool_use !== true
}

/** The shape the text of the answer must have. */
function readFormat({ output_config: config, output_format: older }: MessagesRequest): AnswerFormat {
  if (config?.format != null)
    return { kind: 'schema', schema: config.format.schema, path: 'output_config.format.schema' }
  if (older != null) return { kind: 'schema', schema: older.schema, path: 'output_format.schema' }
  return { kind: 'text' }
}

/** What the request asks for beside its conversation. */
export interface Asked {
  readonly tools: readonly Tool[]
  readonly format: AnswerFormat
  readonly schemas: Schemas
}

/** The tools and the format, with what SDKs describe. Throws 400 for a schema that cannot be followed. */
export function readAsked(body: MessagesRequest): Asked {
  const schemas = createSchemas()
  const tools = readTools(body).map((tool) =>
    tool.parameters === undefined
      ? tool
      : { ...tool, parameters: followed(tool.parameters, tool.path, schemas) },
  )
  const format = readFormat(body)
  if (format.kind !== 'schema') return { tools, format, schemas }
  return { tools, format: { ...format, schema: followed(format.schema, format.path, schemas) }, schemas }
}

// What a description says is obeyed where it can be; only keywords are refused.
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

// Each message costs a few tokens of framing, and the start of the answer costs a few more.
const perMessage = 4
const priming = 3
const perCall = 3
const imageTokens = 1600
const linkedDocument = 1600
const charactersOfBase64 = 4
const bytesPerToken = 4

/** `input_tokens` of a request. */
export function promptTokens(body: MessagesRequest, tokenizer: Tokens): number {
  const tokens = tokenizer.ofCall()
  let all = priming
  if (typeof body.system === 'string') all += tokens.count(body.system)
  else for (const { text } of body.system ?? []) all += tokens.count(text)
  for (const { content } of body.messages) {
    all += perMessage
    if (typeof content === 'string') all += tokens.count(content)
    else for (const block of content) all += blockTokens(block, tokens)
  }
  if (body.tools != null && body.tools.length > 0) all += tokens.count(JSON.stringify(body.tools))
  const format = body.output_config?.format ?? body.output_format
  if (format != null) all += tokens.count(JSON.stringify(format.schema))
  return all
}

function blockTokens(block: UserBlock | AssistantBlock, tokens: TokenCount): number {
  switch (block.type) {
    case 'text':
      return tokens.count(block.text)
    case 'image':
      return imageTokens
    case 'document': {
      const { source } = block
      if (source.type === 'text') return tokens.count(source.data)
      if (source.type === 'base64')
        return Math.ceil((source.data.length * 3) / charactersOfBase64 / bytesPerToken)
      if (source.type !== 'content') return linkedDocument
      return typeof source.content === 'string'
        ? tokens.count(source.content)
        : source.content.reduce((sum, inner) => sum + blockTokens(inner, tokens), 0)
    }
    case 'search_result':
      return (
        tokens.count(block.title) + block.content.reduce((sum, inner) => sum + blockTokens(inner, tokens), 0)
      )
    case 'tool_result': {
      const { content } = block
      if (typeof content === 'string') return perCall + tokens.count(content)
      return (content ?? []).reduce((sum, inner) => sum + blockTokens(inner, tokens), perCall)
    }
    case 'tool_use':
      return perCall + tokens.count(block.name) + tokens.count(JSON.stringify(block.input))
    // Earlier thinking is not counted.
    case 'thinking':
    case 'redacted_thinking':
      return 0
  }
}

/** Whether a request asks for caching anywhere; then the usage says what was cached (nothing). */
export function asksForCaching({ system, tools, messages, cache_control }: MessagesRequest): boolean {
  const marked = (part: object): boolean => 'cache_control' in part && part.cache_control != null
  return (
    cache_control != null ||
    (Array.isArray(system) && system.some(marked)) ||
    (tools ?? []).some(marked) ||
    messages.some(({ content }) => typeof content !== 'string' && (content as readonly object[]).some(marked))
  )
}
