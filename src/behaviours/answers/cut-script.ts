/** Cuts a script where the call's own limits end an answer: at a stop sequence, or behind its last token. */
import { firstTokens, joinPieces, type Piece, tokenCount } from '../tokens/pieces.ts'
import type { Tokens } from '../tokens/tokens.ts'
import { stopIn } from './stop-sequence.ts'
import type { TokenizedCall, TokenizedPart } from './tokenized-script.ts'

/** What a call allows an answer to say. */
export interface ScriptLimits {
  /** Tokens of everything that is written, reasoning too; undefined when nothing limits them. */
  readonly tokens: number | undefined
  readonly stop: readonly string[]
}

export interface CutParts {
  readonly parts: readonly TokenizedPart[]
  /** Why they end where they do; undefined when nothing cut them. */
  readonly cut: { readonly by: 'tokens' } | { readonly by: 'stop'; readonly sequence: string } | undefined
}

/** The overhead of a call beside its name and input, in tokens. */
export const perCall = 4

/** The parts up to the cut. What stands behind it is never said, nor does it happen. */
export function cutParts(parts: readonly TokenizedPart[], limits: ScriptLimits, tokens: Tokens): CutParts {
  const stopped = cutAtStop(parts, limits.stop, tokens)
  const kept = limits.tokens === undefined ? undefined : cutAtTokens(stopped.parts, limits.tokens, tokens)
  return kept === undefined ? stopped : { parts: kept, cut: { by: 'tokens' } }
}

type WordsPart = Extract<TokenizedPart, { readonly pieces: readonly Piece[] }>

// A sequence may begin in one text of the script and end in another: the client reads them as one.
function cutAtStop(parts: readonly TokenizedPart[], sequences: readonly string[], tokens: Tokens): CutParts {
  if (sequences.length === 0) return { parts, cut: undefined }
  const said = parts.map((part) => (part.kind === 'text' ? part.text : '')).join('')
  const found = stopIn(said, sequences)
  if (found === undefined) return { parts, cut: undefined }
  let before = 0
  for (const [index, part] of parts.entries()) {
    if (part.kind !== 'text') continue
    const end = before + part.text.length
    if (found.at < end) {
      const text = part.text.slice(0, found.at - before)
      return {
        parts: [...parts.slice(0, index), shortened(part, piecesUpTo(part.pieces, text.length, tokens))],
        cut: { by: 'stop', sequence: found.sequence },
      }
    }
    before = end
  }
  return { parts, cut: undefined }
}

/** The parts that fit into a limit; undefined when all do. */
function cutAtTokens(
  parts: readonly TokenizedPart[],
  limit: number,
  tokens: Tokens,
): readonly TokenizedPart[] | undefined {
  let left = limit
  for (const [index, part] of parts.entries()) {
    const before = parts.slice(0, index)
    if (part.kind === 'calls') {
      const calls: TokenizedCall[] = []
      for (const call of part.calls) {
        left -= perCall + tokens.count(call.name)
        if (left >= 0) calls.push(callWithin(call, left, tokens))
        left -= tokenCount(call.pieces)
        if (left < 0) return calls.length === 0 ? before : [...before, { kind: 'calls', calls }]
      }
    } else if ('pieces' in part) {
      const size = tokenCount(part.pieces)
      if (size > left) return [...before, shortened(part, piecesWithin(part.pieces, left, tokens))]
      left -= size
    }
  }
  return undefined
}

// The arguments of a call are cut in the middle, as in reality: the client must notice by the finish reason.
function callWithin(call: TokenizedCall, limit: number, tokens: Tokens): TokenizedCall {
  const pieces = piecesWithin(call.pieces, limit, tokens)
  return { ...call, pieces, input: joinPieces(pieces) }
}

// What was to be cited is no longer said as a whole.
function shortened({ kind, signature }: WordsPart, pieces: readonly Piece[]): WordsPart {
  return { kind, text: joinPieces(pieces), pieces, ...(signature === undefined ? {} : { signature }) }
}

/** A piece that a script gives may hold many tokens: the one that does not fit is split. */
function piecesWithin(pieces: readonly Piece[], limit: number, tokens: Tokens): readonly Piece[] {
  const kept = firstTokens(pieces, limit)
  const next = pieces[kept.length]
  if (next === undefined) return kept
  const rest = firstTokens(tokens.pieces(next.text), limit - tokenCount(kept))
  return rest.length === 0 ? kept : [...kept, pieceOf(joinPieces(rest), tokens)]
}

function piecesUpTo(pieces: readonly Piece[], length: number, tokens: Tokens): readonly Piece[] {
  const kept: Piece[] = []
  let left = length
  for (const piece of pieces) {
    if (left <= 0) break
    kept.push(piece.text.length <= left ? piece : pieceOf(piece.text.slice(0, left), tokens))
    left -= piece.text.length
  }
  return kept
}

const pieceOf = (text: string, tokens: Tokens): Piece => ({
  text,
  quoted: JSON.stringify(text),
  tokens: tokens.count(text),
})
