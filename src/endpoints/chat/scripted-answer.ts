/**
 * A scripted chat answer before it takes a wire form: the same text in every choice, each with its own ids,
 * log probabilities and audio, and the usage.
 */
import {
  scriptedCounts,
  type TokenizedCall,
  type TokenizedScript,
  tokenizeScript,
} from '../../behaviours/answers/scripted-text.ts'
import { joinPieces, type Piece } from '../../behaviours/tokens/pieces.ts'
import { tokensOf } from '../../behaviours/tokens/tokens.ts'
import { mintId } from '../../engine/ids.ts'
import type { Call } from '../../protocol/call.ts'
import type { Context } from '../../protocol/endpoint.ts'
import type { Script } from '../../protocol/script.ts'
import { type CompletionHead, type CompletionUsage, checkedSchemas, headOf } from './completion.ts'
import { logprobsOf, type OutputLogprob } from './logprobs.ts'
import type { FinishReason } from './output.ts'
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
  /** One for each call, in order. */
  readonly callIds: readonly string[]
  /** One for each piece of all texts, and of all refusals. */
  readonly logprobs:
    | { readonly text: readonly OutputLogprob[]; readonly refusal: readonly OutputLogprob[] }
    | undefined
  readonly speech: AudioAnswer | undefined
}

export interface ScriptedAnswer extends CompletionHead {
  readonly spoken: TokenizedScript
  readonly calls: readonly ScriptedCall[]
  /** True when its one call takes the legacy form, which has room for no more. */
  readonly legacy: boolean
  readonly finish: FinishReason
  readonly choices: readonly ScriptedChoice[]
  readonly usage: CompletionUsage
}

/**
 * The answer of a script to a valid request. Scripts are exact: no limit and no stop sequence cuts them.
 * Throws 400 for a schema that cannot be followed.
 */
export function scriptedAnswer(call: Call<ChatRequest>, script: Script, context: Context): ScriptedAnswer {
  const { body, identity, content } = call
  const { world, settings } = context
  const { format, tools } = readAnswerOptions(body)
  checkedSchemas(format, tools)
  const tokens = tokensOf(context)
  const spoken = tokenizeScript(script, tokens)
  const custom = new Set(
    (body.tools ?? []).flatMap((tool) => (tool.type === 'custom' ? [tool.custom.name] : [])),
  )
  const calls = spoken.parts
    .flatMap((part) => (part.kind === 'calls' ? part.calls : []))
    .map((one): ScriptedCall => ({ ...one, form: custom.has(one.name) ? 'custom' : 'function' }))
  const legacy = body.functions != null && calls.length <= 1
  const texts = saidPieces(spoken, 'text')
  const refusals = saidPieces(spoken, 'refusal')
  const voice = saysText(spoken) ? voiceOf(body) : undefined
  const choices = Array.from({ length: body.n ?? 1 }, (_, index): ScriptedChoice => {
    const random = content.fork(`choice ${index}`)
    return {
      index,
      callIds: calls.map(
        ({ id }, at) => id ?? mintId('call_', world.tag, identity.fork(`choice ${index} call ${at}`), 24),
      ),
      logprobs:
        body.logprobs === true && voice === undefined
          ? {
              text: logprobsOf(texts, body.top_logprobs ?? 0, random.fork('logprobs')),
              refusal: logprobsOf(refusals, body.top_logprobs ?? 0, random.fork('refusal logprobs')),
            }
          : undefined,
      speech: voice === undefined ? undefined : speechOf(voice, texts.length, index, call, world, random),
    }
  })
  const finish = spoken.finish ?? (calls.length > 0 ? 'tool_calls' : 'stop')
  return {
    ...headOf(call, context),
    spoken,
    calls,
    legacy,
    finish: legacy && finish === 'tool_calls' ? 'function_call' : finish,
    choices,
    usage: usageOf(promptTokens(body, tokens, settings), spoken, choices.length, voice !== undefined),
  }
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

function usageOf(
  asked: PromptTokens,
  { tokens, usage }: TokenizedScript,
  choices: number,
  speaks: boolean,
): CompletionUsage {
  const counts = scriptedCounts(
    { input: asked.all, output: choices * tokens.all, reasoning: choices * tokens.reasoning, cached: 0 },
    usage,
  )
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
      audio_tokens: speaks ? Math.min(choices * tokens.text, counts.output) : 0,
      reasoning_tokens: counts.reasoning,
      rejected_prediction_tokens: 0,
    },
  }
}
