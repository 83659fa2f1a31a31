/** The input tokens of a chat request: text by the tokenizer, images, audio and files by rates. */
import type { TokenCount, Tokens } from '../../behaviours/tokens/tokens.ts'
import { pictureInRequest } from '../../behaviours/uploads/picture-in-request.ts'
import type { Context } from '../../protocol/endpoint.ts'
import { type ChatMessage, pictureElsewhere } from './message-schema.ts'
import type { ChatRequest } from './schema.ts'

// Each message costs a few tokens of framing and one for its role; the start of the answer costs a few
// more.
const perMessage = 4
const perCall = 3
const priming = 3
const perImage = { low: 85, high: 765 } as const
const perFileId = 100
// Audio counts ten tokens per second of 24,000 samples of 16 bits.
const audioBytesPerToken = 4800
const fileBytesPerToken = 4

export interface PromptTokens {
  readonly all: number
  /** Those of `all` that were heard. */
  readonly audio: number
}

/** Throws 400 for a picture that is named and cannot be used. */
export function promptTokens(body: ChatRequest, tokenizer: Tokens, context: Context): PromptTokens {
  const tokens = tokenizer.ofCall()
  let all = priming
  let audio = 0
  const say = (...texts: readonly string[]): void => {
    for (const text of texts) all += tokens.count(text)
  }
  let at = -1
  for (const message of body.messages) {
    at++
    all += perMessage
    if (typeof message.content === 'string') all += tokens.count(message.content)
    else
      for (const [index, part] of (message.content ?? []).entries()) {
        const cost = partTokens(part, ['messages', at, 'content', index], tokens, context)
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
      say(
        ...(call.type === 'function'
          ? [call.function.name, call.function.arguments]
          : [call.custom.name, call.custom.input]),
      )
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

function partTokens(part: Part, field: readonly PropertyKey[], tokens: TokenCount, context: Context): number {
  switch (part.type) {
    case 'text':
      return tokens.count(part.text)
    case 'refusal':
      return tokens.count(part.refusal)
    case 'image_url':
      // Larger images are discarded: the call succeeds and they cost nothing (contract 4.2).
      if (pictureBytes(part.image_url.url, field, context) > context.settings.limits.chatImageBytes) return 0
      return perImage[part.image_url.detail === 'low' ? 'low' : 'high']
    case 'input_audio':
      return Math.max(1, Math.ceil(base64Bytes(part.input_audio.data) / audioBytesPerToken))
    case 'file':
      return part.file.file_data === undefined
        ? perFileId
        : Math.max(1, Math.ceil(dataBytes(part.file.file_data) / fileBytesPerToken))
  }
}

/** How many bytes a picture has, in the request or uploaded; 0 for one elsewhere, which is never fetched. */
function pictureBytes(url: string, field: readonly PropertyKey[], context: Context): number {
  if (/^data:/i.test(url)) return dataBytes(url)
  return pictureInRequest(url, [...field, 'image_url', 'url'], pictureElsewhere, context)?.bytes.size ?? 0
}

/** How many bytes a data: URL or bare base64 holds; 0 for an address elsewhere, which is never fetched. */
function dataBytes(url: string): number {
  return /^https?:/i.test(url) ? 0 : base64Bytes(url, url.indexOf(',') + 1)
}

function base64Bytes(text: string, from = 0): number {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  return Math.max(0, Math.floor(((text.length - from) * 3) / 4) - padding)
}
