/**
 * A scripted chat answer before it takes a wire form: what each choice says, with its own ids, log
 * probabilities and audio, and the usage.
 */
import type { ScriptLimits } from '../../behaviours/answers/cut-script.ts'
import {
  scriptedCounts,
  type TokenizedScript,
  tokenizeScript,
} from '../../behaviours/answers/scripted-text.ts'
import type { TokenizedCall, TokenizedPart } from '../../behaviours/answers/tokenized-script.ts'
import { joinPieces, type Piece } from '../../behaviours/tokens/pieces.ts'
import { tokensOf } from '../../behaviours/tokens/tokens.ts'
import { mintId } from '../../engine/ids.ts'
import type { Call } from '../../protocol/call.ts'
import type { Context } from '../../protocol/endpoint.ts'
import { neutralFinish, type Script, type ScriptedLogprob } from '../../protocol/script.ts'
import { type Annotation, annotationsAt } from './citation.ts'
import { type CompletionHead, type CompletionUsage, checkedSchemas, headOf } from './completion.ts'
import { logprobsOf, type OutputLogprob } from './logprobs.ts'
import { type FinishReason, stopsOf } from './output.ts'
import { type PromptTokens, promptTokens } from './prompt-tokens.ts'
import { readAnswerOptions } from './read-conversation.ts'
import type { ChatRequest } from './schema.ts'
import { type AudioAnswer, speechOf, voiceOf } from './speech.ts'

/** A call in the form that its tool has. */
export interface ScriptedCall extends TokenizedCall {
  readonly form: 'function' | 'custom'
}

export interface ScriptedChoice {
  readonly index: number
  readonly spoken: TokenizedScript
  /** True for one choice of each script: what happens on the wire happens once. */
  readonly acts: boolean
  readonly calls: readonly ScriptedCall[]
  /** One for each call, in order. */
  readonly callIds: readonly string[]
  /** True when its one call takes the legacy form, which has room for no more. */
  readonly legacy: boolean
  readonly finish: FinishReason
  /** One for each piece of all texts, and of all refusals. */
  readonly logprobs:
    | { readonly text: readonly OutputLogprob[]; readonly refusal: readonly OutputLogprob[] }
    | undefined
  /** One list for each text that cites, by its place among the parts. */
  readonly annotations: ReadonlyMap<TokenizedPart, readonly Annotation[]>
  readonly speech: AudioAnswer | undefined
}

export interface ScriptedAnswer extends CompletionHead {
  readonly choices: readonly ScriptedChoice[]
  /** All waits together, in virtual milliseconds. */
  readonly waits: number
  readonly usage: CompletionUsage
  /** True when a stream does not report its usage. */
  readonly hidesUsage: boolean
}

/**
 * The answer of a script to a valid request, within the limits of the call; without them when it breaks the
 * contract on purpose. Throws 400 for a schema that cannot be followed.
 */
export function scriptedAnswer(call: Call<ChatRequest>, script: Script, context: Context): ScriptedAnswer {
  const { body, plan } = call
  const { format, tools } = readAnswerOptions(body)
  checkedSchemas(format, tools)
  const tokens = tokensOf(context)
  const limits: ScriptLimits | undefined =
    plan.offContract === true
      ? undefined
      : { tokens: body.max_completion_tokens ?? body.max_tokens ?? undefined, stop: stopsOf(body) }
  const count = body.n ?? 1
  const scripts = (plan.choices ?? [script]).slice(0, count).map((one) => tokenizeScript(one, tokens, limits))
  const choices = Array.from({ length: count }, (_, index) =>
    choiceOf(scripts[Math.min(index, scripts.length - 1)] as TokenizedScript, index, scripts.length, {
      call,
      context,
    }),
  )
  return {
    ...headOf(call, context),
    choices,
    waits: scripts.reduce((sum, { waits }) => sum + waits, 0),
    usage: usageOf(promptTokens(body, tokens, context), choices),
    hidesUsage: scripts.some(({ hidesUsage }) => hidesUsage),
  }
}

function choiceOf(
  spoken: TokenizedScript,
  index: number,
  scripts: number,
  { call, context }: { readonly call: Call<ChatRequest>; readonly context: Context },
): ScriptedChoice {
  const { body, identity, content } = call
  const { world } = context
  const custom = new Set(
    (body.tools ?? []).flatMap((tool) => (tool.type === 'custom' ? [tool.custom.name] : [])),
  )
  const calls = spoken.parts
    .flatMap((part) => (part.kind === 'calls' ? part.calls : []))
    .map((one): ScriptedCall => ({ ...one, form: custom.has(one.name) ? 'custom' : 'function' }))
  const random = content.fork(`choice ${index}`)
  const texts = saidPieces(spoken, 'text')
  const voice = saysText(spoken) ? voiceOf(body) : undefined
  const legacy = body.functions != null && calls.length <= 1
  const finish = finishOf(spoken, calls.length > 0)
  return {
    index,
    spoken,
    acts: index < scripts,
    calls,
    callIds: calls.map(
      ({ id }, at) => id ?? mintId('call_', world.tag, identity.fork(`choice ${index} call ${at}`), 24),
    ),
    legacy,
    finish: legacy && finish === 'tool_calls' ? 'function_call' : finish,
    logprobs:
      body.logprobs === true && voice === undefined
        ? {
            text: logprobsOf(texts, body.top_logprobs ?? 0, random.fork('logprobs'), givenLogprobs(spoken)),
            refusal: logprobsOf(
              saidPieces(spoken, 'refusal'),
              body.top_logprobs ?? 0,
              random.fork('refusal logprobs'),
            ),
          }
        : undefined,
    annotations: annotationsOf(spoken),
    speech: voice === undefined ? undefined : speechOf(voice, texts.length, index, call, world, random),
  }
}

function finishOf({ finish, cut }: TokenizedScript, calls: boolean): FinishReason {
  if (cut !== undefined) return cut.by === 'tokens' ? 'length' : 'stop'
  if (finish === 'function_call') return finish
  return neutralFinish(finish) ?? (calls ? 'tool_calls' : 'stop')
}

/** What the script says of single pieces of its texts. */
function givenLogprobs({ parts }: TokenizedScript): readonly (ScriptedLogprob | undefined)[] {
  return parts.flatMap((part) =>
    part.kind === 'text' ? part.pieces.map((_, index) => part.logprobs?.[index]) : [],
  )
}

/** What is cited at its place in the whole text. */
function annotationsOf({ parts }: TokenizedScript): ScriptedChoice['annotations'] {
  const found = new Map<TokenizedPart, readonly Annotation[]>()
  let start = 0
  for (const part of parts) {
    if (part.kind !== 'text') continue
    const end = start + part.text.length
    const annotations = annotationsAt(part.citations ?? [], start, end)
    if (annotations.length > 0) found.set(part, annotations)
    start = end
  }
  return found
}

/** The whole text of one kind; undefined when the script has none. */
export function writtenText(
  { parts }: TokenizedScript,
  kind: 'text' | 'reasoning' | 'refusal',
): string | undefined {
  const texts = parts.flatMap((part) => (part.kind === kind ? [part.text] : []))
  return texts.length === 0 ? undefined : texts.join('')
}

/** The input of a call as written. */
export const inputOf = ({ pieces }: TokenizedCall): string => joinPieces(pieces)

const saysText = (spoken: TokenizedScript): boolean => spoken.parts.some(({ kind }) => kind === 'text')

function saidPieces({ parts }: TokenizedScript, kind: 'text' | 'refusal'): readonly Piece[] {
  return parts.flatMap((part) => (part.kind === kind ? part.pieces : []))
}

function usageOf(asked: PromptTokens, choices: readonly ScriptedChoice[]): CompletionUsage {
  const counted = { input: asked.all, output: 0, reasoning: 0, cached: 0 }
  let [given, spoken]: [TokenizedScript['usage'], number] = [{}, 0]
  for (const { spoken: said, speech } of choices) {
    counted.output += said.tokens.all
    counted.reasoning += said.tokens.reasoning
    if (speech !== undefined) spoken += said.tokens.text
    given = { ...given, ...said.usage }
  }
  const counts = scriptedCounts(counted, given)
  return {
    prompt_tokens: counts.input,
    completion_tokens: counts.output,
    total_tokens: counts.input + counts.output,
    prompt_tokens_details: {
      audio_tokens: Math.min(asked.audio, counts.input),
      cached_tokens: counts.cached,
    },
    completion_tokens_details: {
      accepted_prediction_tokens: 0,
      audio_tokens: Math.min(spoken, counts.output),
      reasoning_tokens: counts.reasoning,
      rejected_prediction_tokens: 0,
    },
  }
}
