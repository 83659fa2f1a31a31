/** The thinking before an answer, and its signature. */
import type { Conversation } from '../../behaviours/answers/conversation.ts'
import type { Random } from '../../engine/random.ts'
import type { Call } from '../../protocol/call.ts'
import type { Script } from '../../protocol/script.ts'
import { clip } from '../../protocol/wording.ts'
import type { MessagesRequest } from './request.ts'

/**
 * The thinking before an answer, if the request enables it. With `adaptive`, the model thinks unless low
 * effort is requested. Thinking is always shorter than the smallest budget.
 */
export function thoughtFor(
  { body: { thinking, output_config: config }, content }: Call<MessagesRequest>,
  conversation: Conversation,
): Script {
  const thinks = thinking?.type === 'enabled' || (thinking?.type === 'adaptive' && config?.effort !== 'low')
  if (!thinks) return []
  const random = content.fork('thinking')
  return [{ kind: 'reasoning', text: thoughtOn(conversation), signature: signatureOf(random) }]
}

const maxQuoteLength = 160

/** A few sentences on the question. */
function thoughtOn({ lastUser }: Conversation): string {
  const question = clip(lastUser.replace(/\s+/g, ' ').trim(), maxQuoteLength).toWellFormed()
  return (
    `The user asks: "${question}". I should settle what is meant before I answer. ` +
    'The main points come first, then the details that matter.'
  )
}

const base64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

const signatureLength = 180
const redactedLength = 240

/** The signature of a thinking block. */
export function signatureOf(thought: Random): string {
  return sealed(thought.fork('signature'), signatureLength)
}

/** A redacted thinking block. */
export function redactedOf(thought: Random): string {
  return sealed(thought.fork('redacted'), redactedLength)
}

// Looks like encrypted bytes in base64.
function sealed(random: Random, characters: number): string {
  let text = 'E'
  while (text.length < characters - 1) text += base64[random.integer(0, base64.length - 1)]
  return `${text}=`
}
