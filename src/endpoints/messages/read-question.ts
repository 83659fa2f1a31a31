/** A messages request in neutral words. */
import {
  type AnsweredCall,
  type AnswerFormat,
  type Conversation,
  carriesOn,
  type PastCall,
  type Tool,
  type ToolChoice,
} from '../../behaviours/answers/conversation.ts'
import type { CustomTool, MessagesRequest, UserBlock } from './request.ts'
import { type Turn, turnText } from './turns.ts'

/** What was said, in neutral words. A last turn of the assistant is not said yet: it is continued. */
export function readConversation(system: MessagesRequest['system'], turns: readonly Turn[]): Conversation {
  // By their ids; a result takes the place of its call.
  const calls = new Map<string, PastCall>()
  let toolResults: AnsweredCall[] = []
  let lastUser = ''
  let previousUser: string | undefined
  let lastTool: string | undefined
  for (const [at, turn] of turns.entries()) {
    if (turn.role === 'assistant') {
      if (at < turns.length - 1) toolResults = []
      for (const { block } of turn.blocks)
        if (block.type === 'tool_use')
          calls.set(block.id, {
            name: block.name,
            input: JSON.stringify(block.input),
            result: undefined,
            failed: false,
          })
      continue
    }
    toolResults = []
    for (const { block } of turn.blocks) {
      if (block.type !== 'tool_result') continue
      const asked = calls.get(block.tool_use_id)
      const call = {
        name: asked?.name,
        input: asked?.input ?? '',
        result: resultText(block),
        failed: block.is_error === true,
      }
      calls.set(block.tool_use_id, call)
      toolResults.push(call)
    }
    const said = turnText(turn.blocks, '\n')
    // Tool results answer a question that was asked before; words beside them are a new one.
    if (toolResults.length > 0 && carriesOn(said)) continue
    if (lastUser !== '') previousUser = lastUser
    lastUser = said
    for (const { name } of calls.values()) lastTool = name ?? lastTool
    calls.clear()
  }
  return {
    instructions: systemText(system),
    lastUser,
    previousUser,
    calls: [...calls.values()],
    lastTool,
    toolResults,
  }
}

function systemText(system: MessagesRequest['system']): string {
  return typeof system === 'string' ? system : (system ?? []).map(({ text }) => text).join('\n')
}

function resultText({ content }: Extract<UserBlock, { type: 'tool_result' }>): string {
  if (typeof content === 'string') return content
  return (content ?? []).flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
}

/** What a last turn of the assistant has begun to say; empty when there is none. */
export function prefillOf(turns: readonly Turn[]): string {
  const last = turns.at(-1)
  return last?.role === 'assistant' ? turnText(last.blocks, '') : ''
}

/**
 * The tools that may be called. The arguments of the service's own tools are unknown here, so they are
 * called only when a choice names one.
 */
export function readTools({ tools, tool_choice: choice }: MessagesRequest): readonly Tool[] {
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

/** The shape the text of the answer must have. */
export function readFormat({ output_config: config, output_format: older }: MessagesRequest): AnswerFormat {
  if (config?.format != null)
    return { kind: 'schema', schema: config.format.schema, path: 'output_config.format.schema' }
  if (older != null) return { kind: 'schema', schema: older.schema, path: 'output_format.schema' }
  return { kind: 'text' }
}

/** Every JSON Schema of the request and where it stands. */
export function* schemasIn(
  body: MessagesRequest,
): Generator<{ readonly schema: unknown; readonly path: string }> {
  for (const { parameters, path } of readTools(body))
    if (parameters !== undefined) yield { schema: parameters, path }
  const format = readFormat(body)
  if (format.kind === 'schema') yield format
}
