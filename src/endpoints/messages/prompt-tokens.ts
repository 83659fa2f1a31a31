/** What a messages request costs in tokens: text by the tokenizer, pictures and documents by flat rates. */
import type { TokenCount, Tokens } from '../../behaviours/tokens/tokens.ts'
import type { AssistantBlock, MessagesRequest, UserBlock } from './request.ts'

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
