/**
 * The text of a stream of server-sent events, and whether it came to its end: chat, messages and images
 * (wire-formats 2.4, 3.4, 4).
 */
import { type Fields, parsed } from './observed-call.ts'

export interface StreamedText {
  /** True once an event says how the answer ended. */
  readonly isFinished: boolean
  /** The text of each choice; one for messages. */
  readonly texts: readonly string[]
}

/** The journal keeps no more of a reply than this. */
const maxLength = 60_000

/** The text of a stream; undefined for other replies, and for one that was not kept whole. */
export function readStream(reply: string | undefined): StreamedText | undefined {
  if (reply === undefined || reply.length > maxLength || !/^(?:\uFEFF)?(?:data|event|:)/.test(reply))
    return undefined
  const texts: string[] = []
  let isFinished = false
  for (const [, line = ''] of reply.matchAll(/^data: ?(.*)$/gm)) {
    if (line.trim() === '[DONE]') isFinished = true
    const event = parsed(line)
    if (event === null || typeof event !== 'object') continue
    const { choices, type, delta } = event as Fields
    for (const choice of Array.isArray(choices) ? choices : []) {
      const {
        index,
        delta: chunk,
        finish_reason: reason,
      } = (choice ?? {}) as { index?: unknown; delta?: { content?: unknown } | null; finish_reason?: unknown }
      if (reason !== undefined && reason !== null) isFinished = true
      // The contract allows 128 choices; a script could write any index, and the list must stay short.
      if (
        typeof chunk?.content === 'string' &&
        Number.isInteger(index) &&
        Number(index) >= 0 &&
        Number(index) < 128
      )
        texts[Number(index)] = (texts[Number(index)] ?? '') + chunk.content
    }
    const { text, stop_reason: stopped } = (delta ?? {}) as { text?: unknown; stop_reason?: unknown }
    if (type === 'content_block_delta' && typeof text === 'string') texts[0] = (texts[0] ?? '') + text
    if (
      type === 'message_stop' ||
      (type === 'message_delta' && stopped !== undefined && stopped !== null) ||
      (typeof type === 'string' && type.endsWith('.completed'))
    )
      isFinished = true
  }
  return { isFinished, texts: Array.from(texts, (text) => text ?? '') }
}

/**
 * The text of a plain reply of chat or messages, which is always complete. Undefined for other replies, and
 * for one that was not kept whole.
 */
export function readWhole(reply: string | undefined): StreamedText | undefined {
  const body = parsed(reply)
  if (body === null || typeof body !== 'object') return undefined
  const { choices, content } = body as Fields
  const texts: string[] = []
  for (const choice of Array.isArray(choices) ? choices : []) {
    const { message } = (choice ?? {}) as { message?: { content?: unknown } | null }
    if (typeof message?.content === 'string') texts.push(message.content)
  }
  const blocks = Array.isArray(content)
    ? content
        .map((block: unknown) => (block as { text?: unknown } | null)?.text)
        .filter((text) => typeof text === 'string')
    : []
  if (blocks.length > 0) texts.push(blocks.join(''))
  return texts.length === 0 ? undefined : { isFinished: true, texts }
}
