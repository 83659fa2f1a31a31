/** A completion before it takes a wire form, plain or streamed: ids, choices, usage. */
import { fakesOf, prepareAnswer } from '../../behaviours/answers/answer.ts'
import type { AnswerFormat, Tool } from '../../behaviours/answers/conversation.ts'
import { createSchemas, noSchemas, type Schemas } from '../../behaviours/json-schema/schemas.ts'
import { tokensOf } from '../../behaviours/tokens/tokens.ts'
import { mintId } from '../../engine/ids.ts'
import { isListed } from '../../protocol/auth.ts'
import type { Call } from '../../protocol/call.ts'
import type { Context } from '../../protocol/endpoint.ts'
import { checkReplySize } from '../../protocol/reply-size.ts'
import { type Annotation, annotate, citationFrom } from './citation.ts'
import { logprobsOf, type OutputLogprob } from './logprobs.ts'
import { type ChatOutput, outputOf, readPrediction } from './output.ts'
import { type PromptTokens, promptTokens } from './prompt-tokens.ts'
import { readAnswerOptions, readConversation } from './read-conversation.ts'
import { bytesOf, causeOf } from './reply-bytes.ts'
import type { ChatRequest } from './schema.ts'
import { type AudioAnswer, speechOf, voiceOf } from './speech.ts'

export interface CompletionChoice {
  readonly index: number
  readonly output: ChatOutput
  /** The text or the refusal; empty with tool calls. */
  readonly text: string
  readonly callIds: readonly string[]
  readonly annotations: readonly Annotation[]
  /** One for each piece of the output. */
  readonly logprobs: readonly OutputLogprob[] | undefined
  readonly speech: AudioAnswer | undefined
}

/** What the plain body and every event of a stream begin with. */
export interface CompletionHead {
  readonly id: string
  /** Unix seconds. */
  readonly created: number
  readonly model: string
  readonly serviceTier: string
  readonly fingerprint: string
}

export interface Completion extends CompletionHead {
  /** True when tool calls take the legacy form. */
  readonly legacy: boolean
  readonly choices: readonly CompletionChoice[]
  readonly usage: CompletionUsage
}

/** As on the wire (contract 2.6). */
export interface CompletionUsage {
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly total_tokens: number
  readonly prompt_tokens_details: { readonly audio_tokens: number; readonly cached_tokens: number }
  readonly completion_tokens_details: {
    readonly accepted_prediction_tokens: number
    readonly audio_tokens: number
    readonly reasoning_tokens: number
    readonly rejected_prediction_tokens: number
  }
}

/**
 * The completion of a valid request. Throws 400 for a schema that cannot be followed, even if this call
 * does not use it.
 */
export function complete(call: Call<ChatRequest>, context: Context): Completion {
  const { body, identity, plan } = call
  const { world, settings } = context
  const { id, created, model, serviceTier, fingerprint } = headOf(call, context)
  const tokens = tokensOf(context)
  const legacy = body.functions != null
  const { format, tools, callable, choice } = readAnswerOptions(body)
  const asksForShape = tools.length > 0 || format.kind !== 'text'
  const schemas = asksForShape ? checkedSchemas(format, tools) : noSchemas
  const answer = prepareAnswer(
    {
      conversation: readConversation(body.messages),
      tools: callable,
      choice,
      parallel: !legacy && body.parallel_tool_calls !== false,
      format,
      verbosity: body.verbosity ?? 'medium',
      planned: plan.answer,
      schemas,
    },
    () => fakesOf(context),
  )
  const reasons = isListed(body.model, settings.chat.reasoningModels)
  const prediction = body.prediction == null ? undefined : readPrediction(body.prediction, tokens)
  const voice = body.modalities == null ? undefined : voiceOf(body)
  const cites = body.web_search_options != null && voice === undefined && format.kind === 'text'

  const choiceAt = (index: number): CompletionChoice => {
    const random = call.content.fork(`choice ${index}`)
    const plain = answer(random)
    const citation =
      cites && plain.kind === 'text' && !plain.given ? citationFrom(random.fork('citation')) : undefined
    const full =
      citation === undefined || plain.kind !== 'text'
        ? plain
        : { ...plain, text: `${plain.text} ${citation.text}` }
    const output = outputOf(full, body, { reasons, finish: plan.answer?.finish, prediction, random, tokens })
    const speech =
      voice === undefined || output.kind !== 'text'
        ? undefined
        : speechOf(voice, output.speech.pieces.length, index, call, world, random)
    const { text } = output.speech
    return {
      index,
      output,
      text,
      callIds: output.calls.map((_call, at) =>
        mintId('call_', world.tag, identity.fork(`choice ${index} call ${at}`), 24),
      ),
      annotations: citation === undefined ? [] : annotate(text, citation),
      logprobs: undefined,
      speech,
    }
  }
  const written: CompletionChoice[] = []
  for (let index = 0; index < (body.n ?? 1); index++) written.push(choiceAt(index))
  if (written.length > 1 || body.logprobs === true || voice !== undefined)
    checkReplySize(bytesOf(body, written), causeOf(body), context)
  const choices = body.logprobs === true ? withLogprobs(written, call) : written

  const asked = promptTokens(body, tokens, context)
  return {
    id,
    created,
    model,
    serviceTier,
    fingerprint,
    legacy,
    choices,
    usage: usageOf(asked, choices),
  }
}

/** Made last, and only when their size has been checked: there may be a great many. */
function withLogprobs(
  choices: readonly CompletionChoice[],
  { body, content }: Call<ChatRequest>,
): readonly CompletionChoice[] {
  return choices.map((choice) => {
    const { index, output, speech } = choice
    if (output.kind === 'calls' || speech !== undefined) return choice
    const random = content.fork(`choice ${index}`).fork('logprobs')
    return { ...choice, logprobs: logprobsOf(output.speech.pieces, body.top_logprobs ?? 0, random) }
  })
}

/** Who answers, and when. */
export function headOf({ body, identity, now }: Call<ChatRequest>, { world }: Context): CompletionHead {
  return {
    id: mintId('chatcmpl-', world.tag, identity, 29),
    created: Math.floor(now / 1000),
    model: body.model,
    serviceTier: body.service_tier == null || body.service_tier === 'auto' ? 'default' : body.service_tier,
    fingerprint: world.fingerprint,
  }
}

/** The schemas of a request. Throws 400 for one that cannot be followed. */
export function checkedSchemas(format: AnswerFormat, tools: readonly Tool[]): Schemas {
  const schemas = createSchemas()
  for (const { parameters, path } of tools) if (parameters !== undefined) schemas.check(parameters, path)
  if (format.kind === 'schema') schemas.check(format.schema, format.path)
  return schemas
}

function usageOf(asked: PromptTokens, choices: readonly CompletionChoice[]): CompletionUsage {
  let [written, accepted, spoken, reasoning, rejected] = [0, 0, 0, 0, 0]
  for (const { output, speech } of choices) {
    written += output.tokens
    accepted += output.accepted
    reasoning += output.reasoning
    rejected += output.rejected
    if (speech !== undefined) spoken += output.tokens - output.reasoning - output.rejected
  }
  return {
    prompt_tokens: asked.all,
    completion_tokens: written,
    total_tokens: asked.all + written,
    prompt_tokens_details: { audio_tokens: asked.audio, cached_tokens: 0 },
    completion_tokens_details: {
      accepted_prediction_tokens: accepted,
      audio_tokens: spoken,
      reasoning_tokens: reasoning,
      rejected_prediction_tokens: rejected,
    },
  }
}
