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
  return [{ kind: 'reasoning', text: thoughtOn(conversation, random), signature: signatureOf(random) }]
}

const openings = [
  'The user asks: ',
  'Let me read this again: ',
  'The question is: ',
  'What is wanted here: ',
] as const
const middles = [
  'I should settle what is meant before I answer.',
  'There may be more than one way to read this, and the plain one fits best.',
  'Let me go through it step by step.',
  'The main points come first, then the details that matter.',
  'I can check the parts one after the other.',
  'A short and direct answer serves best.',
] as const
const endings = [
  'That is enough to answer.',
  'Now I can answer.',
  'I will answer in this order.',
  'This holds together, so I can write it down.',
] as const
const maxQuoteLength = 160

/** A few sentences on the question. */
function thoughtOn({ lastUser, toolResults }: Conversation, random: Random): string {
  const question = clip(lastUser.replace(/\s+/g, ' ').trim(), maxQuoteLength)
  const start = random.integer(0, middles.length - 1)
  const steps = Array.from(
    { length: random.integer(2, 4) },
    (_, index) => middles[(start + index) % middles.length] as string,
  )
  return [
    question === '' ? 'The user has sent no text.' : `${random.pick(openings)}"${question}"`,
    ...(toolResults.length === 0 ? [] : ['The tools have answered, so I can use what they returned.']),
    ...steps,
    random.pick(endings),
  ]
    .join(' ')
    .toWellFormed()
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
