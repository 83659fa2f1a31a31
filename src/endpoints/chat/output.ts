/**
 * One choice of an answer as the model says it: cut by stop sequences and token limits, counted, with its finish reason.
 * Knows nothing of plain bodies or streams, which both show the same output.
 */
import type { Answer, ToolCall } from '../../behaviours/answer.ts'
import type { Piece, Tokens } from '../../behaviours/tokens.ts'
import type { Random } from '../../engine/random.ts'
import type { ChatRequest } from './schema.ts'

export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'function_call'

export interface Output {
  readonly kind: Answer['kind']
  /** The text or the refusal, in pieces; empty with tool calls. */
  readonly pieces: readonly Piece[]
  readonly text: string
  readonly calls: readonly ToolCall[]
  readonly finish: FinishReason
  /** Visible and hidden tokens together. */
  readonly tokens: number
  readonly reasoning: number
  readonly accepted: number
  readonly rejected: number
}

const perCall = 4
const thinking: Readonly<Record<string, readonly [number, number]>> = {
  none: [0, 0],
  minimal: [0, 16],
  low: [32, 128],
  medium: [128, 384],
  high: [384, 1024],
  xhigh: [1024, 2048],
  max: [1024, 4096],
}

/** The output of an answer under the request's limits. `reasons` says that the model thinks before it answers. */
export function outputOf(answer: Answer, body: ChatRequest, options: { readonly reasons: boolean; readonly finish: 'content_filter' | 'length' | undefined; readonly random: Random; readonly tokens: Tokens }): Output {
  const { tokens, random } = options
  const limit = body.max_completion_tokens ?? body.max_tokens ?? Number.POSITIVE_INFINITY
  const [least, most] = thinking[body.reasoning_effort ?? 'medium'] as readonly [number, number]
  const planned = options.reasons ? random.fork('reasoning').integer(least, most) : 0
  const reasoning = Math.min(planned, limit)
  const left = limit - reasoning
  const none = { accepted: 0, rejected: 0, reasoning }

  if (answer.kind === 'calls') {
    const legacy = body.functions != null
    const { calls, used, cut } = limitCalls(answer.calls, left, tokens)
    return { ...none, kind: 'calls', pieces: [], text: '', calls, finish: cut ? 'length' : legacy ? 'function_call' : 'tool_calls', tokens: reasoning + used }
  }

  const stopped = answer.kind === 'text' ? stopAt(answer.text, body.stop) : answer.text
  const wellFormed = stopped.toWellFormed()
  let pieces: readonly Piece[] = tokens.pieces(wellFormed)
  let finish: FinishReason = 'stop'
  if (options.finish !== undefined) {
    pieces = pieces.slice(0, Math.max(1, pieces.length >> 1))
    finish = options.finish
  }
  const kept = within(pieces, left)
  if (kept.length < pieces.length || (pieces.length > 0 && left <= 0)) finish = 'length'
  const visible = total(kept)
  const { accepted, rejected } = predicted(body, wellFormed, tokens)
  return { kind: answer.kind, pieces: kept, text: kept.map((piece) => piece.text).join(''), calls: [], finish, tokens: reasoning + visible + rejected, reasoning, accepted, rejected }
}

const total = (pieces: readonly Piece[]): number => pieces.reduce((sum, piece) => sum + piece.tokens, 0)

function within(pieces: readonly Piece[], limit: number): readonly Piece[] {
  let used = 0
  for (const [index, piece] of pieces.entries()) {
    used += piece.tokens
    if (used > limit) return pieces.slice(0, index)
  }
  return pieces
}

function stopAt(text: string, stop: ChatRequest['stop']): string {
  const sequences = (typeof stop === 'string' ? [stop] : (stop ?? [])).filter((sequence) => sequence !== '')
  const found = sequences.map((sequence) => text.indexOf(sequence)).filter((at) => at >= 0)
  return found.length === 0 ? text : text.slice(0, Math.min(...found))
}

// A limit cuts the arguments of a call in the middle, as it does in reality: the client must notice by `length`.
function limitCalls(calls: readonly ToolCall[], limit: number, tokens: Tokens): { calls: readonly ToolCall[]; used: number; cut: boolean } {
  const kept: ToolCall[] = []
  let used = 0
  for (const call of calls) {
    const head = perCall + tokens.count(call.tool.name)
    if (used + head > limit && kept.length > 0) return { calls: kept, used, cut: true }
    const pieces = tokens.pieces(call.input)
    const allowed = within(pieces, Math.max(0, limit - used - head))
    used = Math.min(limit, used + head + total(allowed))
    if (allowed.length < pieces.length) {
      kept.push({ tool: call.tool, input: allowed.map((piece) => piece.text).join('') })
      return { calls: kept, used, cut: true }
    }
    kept.push(call)
  }
  return { calls: kept, used, cut: false }
}

/** How much of a predicted output the answer has in common with it, from the start. */
function predicted(body: ChatRequest, text: string, tokens: Tokens): { accepted: number; rejected: number } {
  if (body.prediction == null) return { accepted: 0, rejected: 0 }
  const { content } = body.prediction
  const prediction = typeof content === 'string' ? content : content.map((part) => part.text).join('')
  let same = 0
  while (same < prediction.length && same < text.length && prediction[same] === text[same]) same++
  const accepted = tokens.count(prediction.slice(0, same).toWellFormed())
  return { accepted, rejected: Math.max(0, tokens.count(prediction.toWellFormed()) - accepted) }
}
