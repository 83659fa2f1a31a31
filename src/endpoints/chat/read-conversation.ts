/** A chat request in neutral words, and what it costs in tokens. Knows nothing of answers. */
import type { AnswerFormat, Conversation, Tool, ToolChoice, ToolResult } from '../../behaviours/conversation.ts'
import type { Tokens } from '../../behaviours/tokens.ts'
import type { Settings } from '../../protocol/settings.ts'
import type { ChatMessage, ChatRequest } from './schema.ts'

// Each message costs a few tokens of framing, and the answer is primed with a few more.
const perMessage = 3
const priming = 3
const imageTokens = { low: 85, high: 765 } as const

/** What was said, in neutral words. */
export function readConversation(messages: readonly ChatMessage[]): Conversation {
  const instructions: string[] = []
  const results: ToolResult[] = []
  const names = new Map<string, string>()
  let lastUser = ''
  for (const message of messages) {
    switch (message.role) {
      case 'system':
      case 'developer':
        instructions.push(textOf(message.content))
        break
      case 'user':
        lastUser = textOf(message.content)
        results.length = 0
        break
      case 'assistant':
        results.length = 0
        for (const call of message.tool_calls ?? []) names.set(call.id, call.type === 'function' ? call.function.name : call.custom.name)
        break
      case 'tool':
        results.push({ name: names.get(message.tool_call_id), text: textOf(message.content) })
        break
      case 'function':
        results.push({ name: message.name, text: message.content ?? '' })
        break
    }
  }
  return { instructions: instructions.join('\n'), lastUser, toolResults: results }
}

/** The text of a content: a string, or its text parts joined. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map((part: { type: string; text?: string }) => (part.type === 'text' ? (part.text ?? '') : '')).filter((text) => text !== '').join('\n')
}

/** The tools, modern and legacy, that the request offers. */
export function readTools(body: ChatRequest): readonly Tool[] {
  if (body.functions != null) return body.functions.map(({ name, description, parameters }) => ({ kind: 'function', name, description: description ?? '', ...(parameters == null ? {} : { parameters }) }))
  const tools = (body.tools ?? []).map((tool): Tool => {
    if (tool.type === 'function') {
      const { name, description, parameters } = tool.function
      return { kind: 'function', name, description: description ?? '', ...(parameters == null ? {} : { parameters }) }
    }
    const { name, description, format } = tool.custom
    const pattern = format?.type === 'grammar' && format.grammar.syntax === 'regex' ? { pattern: format.grammar.definition } : {}
    return { kind: 'custom', name, description: description ?? '', ...pattern }
  })
  const choice = body.tool_choice
  if (choice == null || typeof choice !== 'object' || choice.type !== 'allowed_tools') return tools
  const allowed = new Set(choice.allowed_tools.tools.map((tool) => (tool.type === 'function' ? tool.function.name : tool.custom.name)))
  return tools.filter(({ name }) => allowed.has(name))
}

/** Whether and which tools must be called. */
export function readChoice(body: ChatRequest): ToolChoice {
  if (body.functions != null) {
    const choice = body.function_call
    return choice == null || choice === 'auto' ? { mode: 'auto' } : choice === 'none' ? { mode: 'none' } : { mode: 'named', name: choice.name }
  }
  const choice = body.tool_choice
  if (choice == null) return { mode: 'auto' }
  if (typeof choice === 'string') return { mode: choice }
  if (choice.type === 'allowed_tools') return { mode: choice.allowed_tools.mode }
  return { mode: 'named', name: choice.type === 'function' ? choice.function.name : choice.custom.name }
}

/** The shape the text of the answer must have. */
export function readFormat(body: ChatRequest): AnswerFormat {
  const format = body.response_format
  if (format?.type === 'json_object') return { kind: 'json' }
  if (format?.type === 'json_schema') return { kind: 'schema', schema: format.json_schema.schema ?? { type: 'object' } }
  return { kind: 'text' }
}

/** What the request costs: text by the tokenizer, pictures and sound by flat rates. */
export function promptTokens(body: ChatRequest, tokens: Tokens, settings: Settings): { readonly all: number; readonly audio: number } {
  let all = priming
  let audio = 0
  for (const message of body.messages) {
    all += perMessage + 1
    if (typeof message.content === 'string') all += tokens.count(message.content)
    else for (const part of message.content ?? []) {
      const cost = partTokens(part, tokens, settings)
      all += cost.all
      audio += cost.audio
    }
    if ('name' in message && typeof message.name === 'string') all += 1 + tokens.count(message.name)
    if (message.role === 'assistant') {
      for (const call of message.tool_calls ?? []) all += 3 + (call.type === 'function' ? tokens.count(call.function.name) + tokens.count(call.function.arguments) : tokens.count(call.custom.name) + tokens.count(call.custom.input))
      if (message.function_call != null) all += 3 + tokens.count(message.function_call.name) + tokens.count(message.function_call.arguments)
    }
  }
  if (body.tools != null && body.tools.length > 0) all += tokens.count(JSON.stringify(body.tools))
  if (body.functions != null) all += tokens.count(JSON.stringify(body.functions))
  if (body.response_format?.type === 'json_schema') all += tokens.count(JSON.stringify(body.response_format.json_schema))
  return { all, audio }
}

type Part = Exclude<NonNullable<ChatMessage['content']>, string>[number]

function partTokens(part: Part, tokens: Tokens, settings: Settings): { all: number; audio: number } {
  switch (part.type) {
    case 'text':
      return { all: tokens.count(part.text), audio: 0 }
    case 'refusal':
      return { all: tokens.count(part.refusal), audio: 0 }
    case 'image_url': {
      // Larger pictures are discarded: the call succeeds and they cost nothing (contract 4.2).
      if (dataBytes(part.image_url.url) > settings.limits.chatImageBytes) return { all: 0, audio: 0 }
      return { all: imageTokens[part.image_url.detail === 'low' ? 'low' : 'high'], audio: 0 }
    }
    case 'input_audio': {
      const heard = Math.max(1, Math.ceil((part.input_audio.data.length * 3) / 4 / 4800))
      return { all: heard, audio: heard }
    }
    case 'file':
      return { all: part.file.file_data === undefined ? 100 : Math.max(1, Math.ceil(dataBytes(part.file.file_data) / 4)), audio: 0 }
  }
}

/** How many bytes the base64 of a data: URL stands for; 0 for an address elsewhere, which is never fetched. */
function dataBytes(url: string): number {
  const comma = url.indexOf(',')
  if (!url.startsWith('data:') || comma < 0) return url.startsWith('http') ? 0 : Math.floor((url.length * 3) / 4)
  const padding = url.endsWith('==') ? 2 : url.endsWith('=') ? 1 : 0
  return Math.floor(((url.length - comma - 1) * 3) / 4) - padding
}
