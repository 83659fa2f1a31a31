/** An answer block by block: cut by stop sequences and the token limit, counted, with its stop reason. */
import type { ModelAnswer, ToolCall } from '../../behaviours/answers/answer-request.ts'
import { stopIn } from '../../behaviours/answers/stop-sequence.ts'
import { firstTokens, type Piece, tokenCount } from '../../behaviours/tokens/pieces.ts'
import type { Tokens } from '../../behaviours/tokens/tokens.ts'

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

export interface MessageOutput {
  readonly blocks: readonly Block[]
  readonly stopReason: StopReason
  readonly stopSequence: string | null
  /** Of everything written, including thinking. */
  readonly tokens: number
}

/** A thought before it is cut. `budget` is in tokens. */
export interface Thought {
  readonly text: string
  readonly budget: number
  readonly shown: boolean
  readonly signature: string
  /** Replaces the thinking when it must not be seen. */
  readonly redacted: string | undefined
}

export interface Limits {
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
