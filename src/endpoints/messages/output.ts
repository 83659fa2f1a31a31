/**
 * An answer by default, block by block: what is thought before, cut by stop sequences and the token limit,
 * counted, with its stop reason.
 */
import type { ModelAnswer, ToolCall } from '../../behaviours/answers/answer-request.ts'
import type { Conversation } from '../../behaviours/answers/conversation.ts'
import { stopIn } from '../../behaviours/scripts/tokenize-script.ts'
import { firstTokens, type Piece, type Tokens, tokenCount } from '../../behaviours/tokens/tokens.ts'
import type { Random } from '../../engine/random.ts'
import type { Call } from '../../protocol/call.ts'
import { clip } from '../../protocol/wording.ts'
import type { MessagesRequest } from './request.ts'

export type StopReason =
  | 'end_turn'
  | 'max_tokens'
  | 'stop_sequence'
  | 'tool_use'
  | 'pause_turn'
  | 'refusal'
  | 'model_context_window_exceeded'

/** What a text block cites, in the words of this API (wire-formats 3.3). */
export type Citation = Readonly<Record<string, unknown>>

export type Block =
  /** `shown` is false when the thinking counts but is hidden. */
  | {
      readonly kind: 'thinking'
      readonly pieces: readonly Piece[]
      readonly shown: boolean
      readonly signature: string
    }
  | { readonly kind: 'redacted'; readonly data: string }
  | {
      readonly kind: 'text'
      readonly pieces: readonly Piece[]
      /** As on the wire; only scripts cite. */
      readonly citations?: readonly Citation[]
    }
  /** The pieces of the input's JSON text; `whole` is false when the limit has cut it. */
  | {
      readonly kind: 'call'
      readonly name: string
      readonly pieces: readonly Piece[]
      readonly whole: boolean
    }

interface MessageOutput {
  readonly blocks: readonly Block[]
  readonly stopReason: StopReason
  readonly stopSequence: string | null
  /** Of everything written, including thinking. */
  readonly tokens: number
}

/** A thought before it is cut. `budget` is in tokens. */
interface Thought {
  readonly text: string
  readonly budget: number
  readonly shown: boolean
  readonly signature: string
  /** Replaces the thinking when it must not be seen. */
  readonly redacted: string | undefined
}

interface Limits {
  readonly maxTokens: number
  readonly stopSequences: readonly string[]
  /** A planned end in the middle of the answer. */
  readonly cut: 'content_filter' | 'length' | undefined
}

const perCall = 4

/** The output of an answer under its limits. */
export function outputOf(
  answer: ModelAnswer,
  thought: Thought | undefined,
  limits: Limits,
  tokens: Tokens,
): MessageOutput {
  const blocks: Block[] = []
  let remaining = limits.maxTokens
  if (thought !== undefined) {
    const pieces = firstTokens(tokens.pieces(thought.text), thought.budget)
    const keptPieces = firstTokens(pieces, remaining)
    remaining -= tokenCount(keptPieces)
    if (thought.redacted !== undefined) blocks.push({ kind: 'redacted', data: thought.redacted })
    else
      blocks.push({
        kind: 'thinking',
        pieces: keptPieces,
        shown: thought.shown,
        signature: thought.signature,
      })
    if (keptPieces.length < pieces.length)
      return { blocks, stopReason: 'max_tokens', stopSequence: null, tokens: limits.maxTokens }
  }
  const result =
    answer.kind === 'calls'
      ? sayCalls(answer.calls, remaining, tokens)
      : sayText(answer, remaining, limits, tokens)
  return {
    ...result,
    blocks: [...blocks, ...result.blocks],
    tokens: limits.maxTokens - remaining + result.tokens,
  }
}

function sayText(
  answer: Exclude<ModelAnswer, { kind: 'calls' }>,
  remaining: number,
  limits: Limits,
  tokens: Tokens,
): MessageOutput {
  const found = stopIn(answer.text, limits.stopSequences)
  const text = (found === undefined ? answer.text : answer.text.slice(0, found.at)).toWellFormed()
  const all = tokens.pieces(text)
  const pieces = limits.cut === undefined ? all : all.slice(0, Math.max(1, all.length >> 1))
  const keptPieces = firstTokens(pieces, remaining)
  // A character that the limit splits is left out, but its tokens count.
  const short = keptPieces.length < pieces.length
  const blocks: readonly Block[] = keptPieces.length === 0 ? [] : [{ kind: 'text', pieces: keptPieces }]
  const result = { blocks, stopSequence: null, tokens: short ? remaining : tokenCount(keptPieces) }
  if (short || limits.cut === 'length') return { ...result, stopReason: 'max_tokens' }
  if (limits.cut === 'content_filter' || answer.kind === 'refusal')
    return { ...result, stopReason: 'refusal' }
  if (found !== undefined) return { ...result, stopReason: 'stop_sequence', stopSequence: found.sequence }
  return { ...result, stopReason: 'end_turn' }
}

// A limit cuts the input of a call in the middle, as in reality: the client must notice by `max_tokens`.
function sayCalls(calls: readonly ToolCall[], remaining: number, tokens: Tokens): MessageOutput {
  const blocks: Block[] = []
  let used = 0
  for (const { tool, input } of calls) {
    const head = perCall + tokens.count(tool.name)
    const pieces = tokens.pieces(input)
    const keptPieces = firstTokens(pieces, remaining - used - head)
    const short = used + head > remaining || keptPieces.length < pieces.length
    if (used + head <= remaining)
      blocks.push({ kind: 'call', name: tool.name, pieces: keptPieces, whole: !short })
    if (short) return { blocks, stopReason: 'max_tokens', stopSequence: null, tokens: remaining }
    used += head + tokenCount(keptPieces)
  }
  return { blocks, stopReason: 'tool_use', stopSequence: null, tokens: used }
}

/** What the model thinks before it answers, when the request asks for it. */
export function thoughtFor(
  { body, content, plan }: Call<MessagesRequest>,
  conversation: Conversation,
): Thought | undefined {
  const { thinking } = body
  if (!thinksFirst(body) || (thinking?.type !== 'enabled' && thinking?.type !== 'adaptive')) return undefined
  const random = content.fork('thinking')
  const text = thoughtOn(conversation, random)
  return {
    text,
    budget: thinking.type === 'enabled' ? thinking.budget_tokens : Number.POSITIVE_INFINITY,
    shown: thinking.display !== 'omitted',
    signature: signatureOf(random),
    redacted: plan.answer?.redactedThinking === true ? redactedOf(random) : undefined,
  }
}

/**
 * Whether the answer begins with thinking. `adaptive` leaves it to the model, which thinks unless low
 * effort is requested.
 */
function thinksFirst({ thinking, output_config: config }: MessagesRequest): boolean {
  return thinking?.type === 'enabled' || (thinking?.type === 'adaptive' && config?.effort !== 'low')
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
  // A reserved word controls the simulator and is no topic.
  const asked = clip(
    lastUser
      .replace(/\[sim:[^\]\n]{0,40}\]/g, '')
      .replace(/\s+/g, ' ')
      .trim(),
    maxQuoteLength,
  )
  const start = random.integer(0, middles.length - 1)
  const steps = Array.from(
    { length: random.integer(2, 4) },
    (_, index) => middles[(start + index) % middles.length] as string,
  )
  return [
    asked === '' ? 'The user has sent no text.' : `${random.pick(openings)}"${asked}"`,
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

/** The signature of a thought. */
export function signatureOf(thought: Random): string {
  return sealed(thought.fork('signature'), signatureLength)
}

/** A thought that is kept from the client. */
export function redactedOf(thought: Random): string {
  return sealed(thought.fork('redacted'), redactedLength)
}

// Looks like encrypted bytes in base64.
function sealed(random: Random, characters: number): string {
  let text = 'E'
  while (text.length < characters - 1) text += base64[random.integer(0, base64.length - 1)]
  return `${text}=`
}
