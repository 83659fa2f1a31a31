/**
 * What one choice says, in parts: an answer by default, cut by stop sequences and token limits, or a script.
 * Both are counted, and have a finish reason.
 */
import { fakesOf, prepareAnswer } from '../../behaviours/answers/answer.ts'
import type { ModelAnswer, ToolCall } from '../../behaviours/answers/answer-request.ts'
import { createSchemas, noSchemas, type Schemas } from '../../behaviours/json-schema/schemas.ts'
import {
  stopIn,
  type TokenizedCall,
  type TokenizedPart,
  type TokenizedScript,
  tokenizeScript,
  type WireItem,
} from '../../behaviours/scripts/tokenize-script.ts'
import {
  firstTokens,
  joinPieces,
  type Piece,
  type TokenizedText,
  type Tokens,
  tokenCount,
  tokensOf,
} from '../../behaviours/tokens/tokens.ts'
import type { Random } from '../../engine/random.ts'
import { isListed } from '../../protocol/auth.ts'
import type { Call } from '../../protocol/call.ts'
import type { Context } from '../../protocol/endpoint.ts'
import type { PlannedAnswer } from '../../protocol/plan.ts'
import { neutralFinish, type Script, type ScriptedLogprob } from '../../protocol/script.ts'
import { type Annotation, annotate, annotationsAt, type Citation, citationFrom, voiceOf } from './details.ts'
import { type AnswerOptions, readAnswerOptions, readConversation } from './read-request.ts'
import type { ChatRequest } from './schema.ts'

export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'function_call'

export interface WordsPart {
  readonly kind: 'text' | 'refusal' | 'reasoning'
  /** Its pieces are worked out when asked for. */
  readonly said: Pick<TokenizedText, 'text' | 'pieces'>
  readonly annotations?: readonly Annotation[] | undefined
  /** What a script says of single pieces. */
  readonly logprobs?: readonly ScriptedLogprob[] | undefined
}

/** Several calls at once take turns. */
export interface CallsPart<One> {
  readonly kind: 'calls'
  readonly calls: readonly One[]
}

/** What a choice writes, what happens on the wire in between, and where its finish reason and usage stand. */
export type SpokenPart<One> =
  | WordsPart
  | CallsPart<One>
  | WireItem
  | { readonly kind: 'finish' }
  | { readonly kind: 'usage' }

/** A call; the id is minted when a script gives none. */
export type SpokenCall = Pick<TokenizedCall, 'name' | 'pieces'> & { readonly id?: string | undefined }

export interface Spoken {
  readonly parts: readonly SpokenPart<SpokenCall>[]
  readonly finish: FinishReason
  readonly tokens: {
    /** Everything that was written, including reasoning and rejected predictions. */
    readonly all: number
    readonly text: number
    readonly reasoning: number
    /** Tokens of the prediction that the answer begins with, and the others. */
    readonly accepted: number
    readonly rejected: number
  }
  /** The script that it follows, for the first choice that does: what happens on the wire happens once. */
  readonly script?: TokenizedScript | undefined
}

/**
 * Prepares what the choices say, by their index. Throws 400 for a schema that cannot be followed, even if
 * this call does not use it.
 */
export function speakerFor(call: Call<ChatRequest>, context: Context): (index: number) => Spoken {
  const options = readAnswerOptions(call.body)
  const { format, tools } = options
  const schemas = tools.length === 0 && format.kind === 'text' ? noSchemas : createSchemas()
  for (const { parameters, path } of tools) if (parameters !== undefined) schemas.check(parameters, path)
  if (format.kind === 'schema') schemas.check(format.schema, format.path)
  const { script } = call.plan
  return script === undefined
    ? byDefault(call, options, schemas, context)
    : byScript(call, script, tokensOf(context))
}

const ending = [{ kind: 'finish' }, { kind: 'usage' }] as const

function byDefault(
  call: Call<ChatRequest>,
  { format, callable, choice }: AnswerOptions,
  schemas: Schemas,
  context: Context,
): (index: number) => Spoken {
  const { body, plan } = call
  const answer = prepareAnswer(
    {
      conversation: readConversation(body.messages),
      tools: callable,
      choice,
      parallel: body.functions == null && body.parallel_tool_calls !== false,
      format,
      verbosity: body.verbosity ?? 'medium',
      planned: plan.answer,
      schemas,
      now: call.now,
    },
    () => fakesOf(context),
    context.note,
  )
  const tokens = tokensOf(context)
  const reasons = isListed(body.model, context.settings.chat.reasoningModels)
  const prediction = body.prediction == null ? undefined : readPrediction(body.prediction, tokens)
  const cites = body.web_search_options != null && voiceOf(body) === undefined && format.kind === 'text'
  return (index) => {
    const random = call.content.fork(`choice ${index}`)
    const said = answer(random)
    const limits = {
      reasoning: reasons ? random : undefined,
      finish: plan.answer?.finish,
      prediction,
      tokens,
    }
    if (!cites || said.kind !== 'text' || said.given) return limited(said, body, limits)
    const citation = citationFrom(random.fork('citation'))
    return cited(limited({ ...said, text: `${said.text} ${citation.text}` }, body, limits), citation)
  }
}

// None when a limit or a stop sequence has cut the citation off.
function cited(spoken: Spoken, citation: Citation): Spoken {
  const parts = spoken.parts.map((part) => {
    if (part.kind !== 'text') return part
    const annotations = annotate(part.said.text, citation)
    return annotations.length === 0 ? part : { ...part, annotations }
  })
  return { ...spoken, parts }
}

/** What an answer depends on beside its request. */
interface Limits {
  /** The chance of a model that thinks before it answers. */
  readonly reasoning: Random | undefined
  /** How the answer ends when not by itself. */
  readonly finish: PlannedAnswer['finish']
  readonly prediction: readonly Piece[] | undefined
  readonly tokens: Tokens
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

/** An answer under the request's limits. */
function limited(answer: ModelAnswer, body: ChatRequest, limits: Limits): Spoken {
  const choices = body.n ?? 1
  const limit = Math.min(
    body.max_completion_tokens ?? body.max_tokens ?? maxChoiceLength,
    maxChoiceLength,
    Math.floor(maxAnswerLength / choices),
    Math.floor(maxAlternatives / (choices * (1 + (body.top_logprobs ?? 0)))),
  )
  const thought = limits.reasoning?.fork('reasoning').integer(...thinking[body.reasoning_effort ?? 'medium'])
  const reasoning = Math.min(limit, thought ?? 0)
  const left = limit - reasoning
  const { part, finish, size } =
    left === 0
      ? silence
      : answer.kind === 'calls'
        ? sayCalls(answer.calls, left, limits)
        : sayText(answer, left, body, limits)
  const { prediction } = limits
  const { accepted, rejected } =
    prediction === undefined ? notPredicted : compare(prediction, 'said' in part ? part.said.pieces : [])
  return {
    parts: 'said' in part ? [part, ...ending] : [...part.calls.map(alone), ...ending],
    finish,
    tokens: { all: reasoning + size + rejected, text: size, reasoning, accepted, rejected },
  }
}

const alone = (call: SpokenCall): CallsPart<SpokenCall> => ({ kind: 'calls', calls: [call] })

interface Said {
  readonly part: WordsPart | CallsPart<SpokenCall>
  readonly finish: FinishReason
  /** In tokens. */
  readonly size: number
}

// Reasoning used up the limit.
const silence: Said = { part: { kind: 'text', said: { text: '', pieces: [] } }, finish: 'length', size: 0 }

function sayText(
  answer: Extract<ModelAnswer, { text: string }>,
  limit: number,
  body: ChatRequest,
  { finish, tokens }: Limits,
): Said {
  const written = answer.text.toWellFormed()
  const found = answer.kind === 'text' && body.stop != null ? stopIn(written, stopsOf(body)) : undefined
  const text = found === undefined ? written : written.slice(0, found.at)
  const said = tokens.say(finish === undefined ? text : firstHalf(tokens.pieces(text, 2 * limit)), limit)
  return {
    part: { kind: answer.kind, said },
    finish: said.cut ? 'length' : (finish ?? 'stop'),
    size: said.tokens,
  }
}

// A planned end comes in the middle of the answer.
function firstHalf(pieces: readonly Piece[]): string {
  return joinPieces(pieces.slice(0, Math.max(1, pieces.length >> 1)))
}

// A limit cuts the arguments of a call in the middle, as in reality: the client must notice by `length`.
function sayCalls(wanted: readonly ToolCall[], limit: number, { finish, tokens }: Limits): Said {
  const whole = wanted.map(({ tool: { name }, input }) => ({
    name,
    pieces: tokens.pieces(input.toWellFormed(), 2 * limit),
    head: perCall + tokens.count(name),
  }))
  const size = whole.reduce((sum, { head, pieces }) => sum + head + tokenCount(pieces), 0)
  const budget = finish === undefined ? limit : Math.min(limit, Math.max(1, size >> 1))
  if (size <= budget) return { part: { kind: 'calls', calls: whole }, finish: finish ?? 'tool_calls', size }
  const calls: SpokenCall[] = []
  let used = 0
  for (const { name, head, pieces } of whole) {
    if (calls.length > 0 && used + head > budget) break
    const keptPieces = firstTokens(pieces, budget - used - head)
    calls.push({ name, pieces: keptPieces })
    if (keptPieces.length < pieces.length) break
    used += head + tokenCount(keptPieces)
  }
  const end = budget < limit ? (finish as FinishReason) : 'length'
  return { part: { kind: 'calls', calls }, finish: end, size: budget }
}

/** The stop sequences of a request. */
function stopsOf({ stop }: Pick<ChatRequest, 'stop'>): readonly string[] {
  return stop == null ? [] : (typeof stop === 'string' ? [stop] : stop).map((one) => one.toWellFormed())
}

/** The pieces of a predicted output. */
function readPrediction(
  { content }: NonNullable<ChatRequest['prediction']>,
  tokens: Tokens,
): readonly Piece[] {
  return tokens.pieces(typeof content === 'string' ? content : content.map((part) => part.text).join(''))
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

/** Scripts, within the limits of the call; without them when they break the contract on purpose. */
function byScript(
  { body, plan }: Call<ChatRequest>,
  script: Script,
  tokens: Tokens,
): (index: number) => Spoken {
  const limits =
    plan.offContract === true
      ? undefined
      : { tokens: body.max_completion_tokens ?? body.max_tokens ?? undefined, stop: stopsOf(body) }
  const scripts = (plan.choices ?? [script])
    .slice(0, body.n ?? 1)
    .map((one) => tokenizeScript(one, tokens, limits))
  return (index) => {
    const followed = scripts[Math.min(index, scripts.length - 1)] as TokenizedScript
    return {
      parts: partsOf(followed.parts),
      finish: finishOf(followed),
      tokens: { ...followed.tokens, accepted: 0, rejected: 0 },
      script: followed,
    }
  }
}

function partsOf(parts: readonly TokenizedPart[]): readonly SpokenPart<SpokenCall>[] {
  const spoken: SpokenPart<SpokenCall>[] = []
  // What is cited has its place in the whole text.
  let start = 0
  for (const part of parts) {
    // This API does not show that there was some.
    if (part.kind === 'redacted') continue
    if (!('pieces' in part)) spoken.push(part)
    else if (part.kind !== 'text') spoken.push({ kind: part.kind, said: part })
    else {
      const end = start + part.text.length
      const annotations = annotationsAt(part.citations ?? [], start, end)
      spoken.push({
        kind: 'text',
        said: part,
        annotations: annotations.length === 0 ? undefined : annotations,
        logprobs: part.logprobs,
      })
      start = end
    }
  }
  return spoken
}

function finishOf({ finish, cut, parts }: TokenizedScript): FinishReason {
  if (cut !== undefined) return cut.by === 'tokens' ? 'length' : 'stop'
  if (finish === 'function_call') return finish
  return neutralFinish(finish) ?? (parts.some(({ kind }) => kind === 'calls') ? 'tool_calls' : 'stop')
}
