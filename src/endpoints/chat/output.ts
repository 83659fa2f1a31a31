/** One choice of an answer: cut by stop sequences and token limits, counted, with its finish reason. */
import type { ModelAnswer, ToolCall } from '../../behaviours/answers/answer-request.ts'
import { stopIn } from '../../behaviours/answers/stop-sequence.ts'
import { firstTokens, joinPieces, type Piece, tokenCount } from '../../behaviours/tokens/pieces.ts'
import type { TokenizedText, Tokens } from '../../behaviours/tokens/tokens.ts'
import type { Random } from '../../engine/random.ts'
import type { PlannedAnswer } from '../../protocol/plan.ts'
import type { ChatRequest } from './schema.ts'

export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'function_call'

/** A tool call with its arguments in pieces, as far as the limit allows. */
export interface OutputCall {
  readonly tool: ToolCall['tool']
  readonly pieces: readonly Piece[]
}

export interface ChatOutput {
  readonly kind: ModelAnswer['kind']
  /** The text or the refusal; empty with tool calls. Its pieces are worked out when asked for. */
  readonly speech: Pick<TokenizedText, 'text' | 'pieces'>
  readonly calls: readonly OutputCall[]
  readonly finish: FinishReason
  /** All tokens written, including reasoning and rejected predictions. */
  readonly tokens: number
  readonly reasoning: number
  /** Tokens of the prediction that the output begins with, and the others. */
  readonly accepted: number
  readonly rejected: number
}

/** What an output depends on beside its answer. */
export interface OutputOptions {
  /** Whether the model thinks before it answers. */
  readonly reasons: boolean
  /** How the answer ends when not by itself. */
  readonly finish: PlannedAnswer['finish']
  readonly prediction: readonly Piece[] | undefined
  readonly random: Random
  readonly tokens: Tokens
}

/** The pieces of a predicted output. */
export function readPrediction(
  { content }: NonNullable<ChatRequest['prediction']>,
  tokens: Tokens,
): readonly Piece[] {
  return tokens.pieces(typeof content === 'string' ? content : content.map((part) => part.text).join(''))
}

const perCall = 4
// Models end long answers by themselves. Without a limit, one call for many choices of a long text with
// all logprobs would need more memory than a process has.
const maxChoiceLength = 16_384
const maxAnswerLength = 8 * maxChoiceLength
// Each alternative is a line of JSON, so alternatives count too.
const maxAlternatives = 600_000
const thinking: Readonly<Record<NonNullable<ChatRequest['reasoning_effort']>, readonly [number, number]>> = {
  none: [0, 0],
  minimal: [0, 16],
  low: [32, 128],
  medium: [128, 384],
  high: [384, 1024],
  xhigh: [1024, 2048],
  max: [1024, 4096],
}

/** The output of an answer under the request's limits. */
export function outputOf(
  answer: ModelAnswer,
  body: ChatRequest,
  { reasons, finish, prediction, random, tokens }: OutputOptions,
): ChatOutput {
  const choices = body.n ?? 1
  const limit = Math.min(
    body.max_completion_tokens ?? body.max_tokens ?? maxChoiceLength,
    maxChoiceLength,
    Math.floor(maxAnswerLength / choices),
    Math.floor(maxAlternatives / (choices * (1 + (body.top_logprobs ?? 0)))),
  )
  const reasoning = reasons
    ? Math.min(limit, random.fork('reasoning').integer(...thinking[body.reasoning_effort ?? 'medium']))
    : 0
  const left = limit - reasoning
  const written =
    left === 0
      ? silence
      : answer.kind === 'calls'
        ? sayCalls(answer.calls, left, finish, body, tokens)
        : sayText(answer, left, finish, body, tokens)
  const { accepted, rejected } =
    prediction === undefined ? notPredicted : compare(prediction, written.speech.pieces)
  const { kind, speech, calls, finish: end } = written
  return {
    kind,
    speech,
    calls,
    finish: end,
    tokens: reasoning + written.tokens + rejected,
    reasoning,
    accepted,
    rejected,
  }
}

type WrittenOutput = Pick<ChatOutput, 'kind' | 'speech' | 'calls' | 'finish' | 'tokens'>

const nothing: WrittenOutput['speech'] = { text: '', pieces: [] }
// Reasoning used up the limit.
const silence: WrittenOutput = { kind: 'text', speech: nothing, calls: [], finish: 'length', tokens: 0 }

function sayText(
  answer: Extract<ModelAnswer, { text: string }>,
  limit: number,
  finish: PlannedAnswer['finish'],
  body: ChatRequest,
  tokens: Tokens,
): WrittenOutput {
  const written = answer.text.toWellFormed()
  const text = answer.kind === 'text' && body.stop != null ? stopAt(written, body) : written
  const speech = tokens.say(finish === undefined ? text : firstHalf(tokens.pieces(text, 2 * limit)), limit)
  return {
    kind: answer.kind,
    speech,
    calls: [],
    finish: speech.cut ? 'length' : (finish ?? 'stop'),
    tokens: speech.tokens,
  }
}

// A planned end comes in the middle of the answer.
function firstHalf(pieces: readonly Piece[]): string {
  return joinPieces(pieces.slice(0, Math.max(1, pieces.length >> 1)))
}

// A limit cuts the arguments of a call in the middle, as in reality: the client must notice by `length`.
function sayCalls(
  wanted: readonly ToolCall[],
  limit: number,
  finish: PlannedAnswer['finish'],
  body: ChatRequest,
  tokens: Tokens,
): WrittenOutput {
  const whole = wanted.map(({ tool, input }) => ({
    tool,
    pieces: tokens.pieces(input.toWellFormed(), 2 * limit),
    head: perCall + tokens.count(tool.name),
  }))
  const size = whole.reduce((sum, { head, pieces }) => sum + head + tokenCount(pieces), 0)
  const budget = finish === undefined ? limit : Math.min(limit, Math.max(1, size >> 1))
  if (size <= budget)
    return {
      kind: 'calls',
      speech: nothing,
      calls: whole,
      finish: finish ?? (body.functions != null ? 'function_call' : 'tool_calls'),
      tokens: size,
    }
  const calls: OutputCall[] = []
  let used = 0
  for (const { tool, head, pieces } of whole) {
    if (calls.length > 0 && used + head > budget) break
    const keptPieces = firstTokens(pieces, budget - used - head)
    calls.push({ tool, pieces: keptPieces })
    if (keptPieces.length < pieces.length) break
    used += head + tokenCount(keptPieces)
  }
  return {
    kind: 'calls',
    speech: nothing,
    calls,
    finish: budget < limit ? (finish as FinishReason) : 'length',
    tokens: budget,
  }
}

/** The stop sequences of a request. */
export function stopsOf({ stop }: Pick<ChatRequest, 'stop'>): readonly string[] {
  return stop == null ? [] : (typeof stop === 'string' ? [stop] : stop).map((one) => one.toWellFormed())
}

function stopAt(text: string, body: ChatRequest): string {
  const found = stopIn(text, stopsOf(body))
  return found === undefined ? text : text.slice(0, found.at)
}

const notPredicted = { accepted: 0, rejected: 0 }

/** How many tokens of a prediction an output begins with, and how many it does not use. */
function compare(
  prediction: readonly Piece[],
  output: readonly Piece[],
): { accepted: number; rejected: number } {
  const differs = prediction.findIndex(({ text }, index) => text !== output[index]?.text)
  const accepted = tokenCount(differs < 0 ? prediction : prediction.slice(0, differs))
  return { accepted, rejected: tokenCount(prediction) - accepted }
}
