/**
 * A chat answer before it is written as a body or a stream: its choices with ids, log probabilities and
 * audio, and the usage.
 */
import { prepareAnswer } from '../../behaviours/answers/answer.ts'
import {
  scriptedCounts,
  type TokenizedPart,
  type TokenizedScript,
  type TokenizedWords,
  tokenizeScript,
  type UsageCounts,
} from '../../behaviours/scripts/tokenize-script.ts'
import { type TokenizedText, type Tokens, type TokenText, tokensOf } from '../../behaviours/tokens/tokens.ts'
import { mintId } from '../../engine/random.ts'
import { isListed } from '../../protocol/auth.ts'
import type { Call } from '../../protocol/call.ts'
import type { Context } from '../../protocol/endpoint.ts'
import { mediaBytes } from '../../protocol/media.ts'
import { neutralFinish } from '../../protocol/script.ts'
import { checkResponseSize, type SizeCause } from '../../protocol/traffic.ts'
import {
  type Annotation,
  type AudioAnswer,
  annotationsAt,
  logprobsOf,
  type OutputLogprob,
  speechOf,
} from './details.ts'
import { promptTokens, readAnswerOptions, readConversation } from './read-request.ts'
import type { ChatRequest } from './schema.ts'

export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'function_call'

/** A tool call in the form of its tool, numbered within its choice. */
export interface ChatCall {
  readonly index: number
  readonly id: string
  readonly form: 'function' | 'custom'
  readonly name: string
  readonly encoded: TokenizedText
}

export type ChatWords = TokenizedWords & { readonly annotations?: readonly Annotation[] }

export type ChatPart =
  | Exclude<TokenizedPart, TokenizedWords | { kind: 'calls' | 'redacted' }>
  | ChatWords
  /** Parallel tool calls; their chunks alternate. */
  | { readonly kind: 'calls'; readonly calls: readonly ChatCall[] }

/** The content of a choice: a script within the limits of the request. */
interface Spoken {
  readonly script: TokenizedScript
  /** The number of hidden reasoning tokens. */
  readonly hidden: number
}

export interface ChatChoice extends Spoken {
  readonly index: number
  readonly parts: readonly ChatPart[]
  readonly calls: readonly ChatCall[]
  /** True if its only tool call has the legacy form, `function_call`. */
  readonly legacy: boolean
  readonly finish: FinishReason
  /** One per chunk of all texts and all refusals. */
  readonly logprobs:
    | { readonly text: readonly OutputLogprob[]; readonly refusal: readonly OutputLogprob[] }
    | undefined
  readonly speech: AudioAnswer | undefined
}

export interface ChatAnswer {
  readonly id: string
  /** Unix seconds. */
  readonly created: number
  readonly model: string
  readonly serviceTier: string
  readonly fingerprint: string
  readonly choices: readonly ChatChoice[]
  /** The number of choices with a separate script; effects on the wire happen only once. */
  readonly scripts: number
  /** The sum of all waits, in virtual milliseconds. */
  readonly waits: number
  /** The wire format. */
  readonly usage: Readonly<Record<string, unknown>>
  /** True if the stream omits its usage. */
  readonly hidesUsage: boolean
}

/** The answer to a valid request. Throws a 400 for an unsupported schema or an unusable image. */
export function answerChat(call: Call<ChatRequest>, context: Context): ChatAnswer {
  const { body, identity, now } = call
  const { sandbox } = context
  const tokens = tokensOf(context)
  const choices: ChatChoice[] = []
  for (const spoken of choiceScripts(call, tokens, context))
    choices.push(choiceOf(spoken, choices.length, call, context))
  if (choices.length > 1 || body.logprobs === true || body.modalities != null)
    checkResponseSize(bytesOf(body, choices), causeOf(body), context)
  // Created last, after the size check, because there may be very many.
  if (body.logprobs === true) for (const choice of choices) choices[choice.index] = withLogprobs(choice, call)
  // Several choices may follow the same script.
  const scripts = new Set<TokenizedScript>()
  const given: Partial<UsageCounts> = {}
  let waits = 0
  let hidesUsage = false
  for (const { script } of choices) {
    if (scripts.has(script)) continue
    scripts.add(script)
    Object.assign(given, script.usage)
    waits += script.waits
    hidesUsage ||= script.hidesUsage
  }
  return {
    id: mintId('chatcmpl-', sandbox.tag, identity, 29),
    created: Math.floor(now / 1000),
    model: body.model,
    serviceTier: body.service_tier == null || body.service_tier === 'auto' ? 'default' : body.service_tier,
    fingerprint: sandbox.fingerprint,
    choices,
    scripts: scripts.size,
    waits,
    usage: usageOf(promptTokens(body, tokens, context), choices, given),
    hidesUsage,
  }
}

// Models end long answers themselves. Without a limit, a request for many long choices with all logprobs
// would exhaust the memory of the process.
const maxChoiceLength = 16_384
const maxAnswerLength = 8 * maxChoiceLength
// Each alternative is a line of JSON and counts too.
const maxAlternatives = 600_000

/** The minimum and maximum of reasoning tokens. */
const thinking: Readonly<Record<NonNullable<ChatRequest['reasoning_effort']>, readonly [number, number]>> = {
  none: [0, 0],
  minimal: [0, 16],
  low: [32, 128],
  medium: [128, 384],
  high: [384, 1024],
  xhigh: [1024, 2048],
  max: [1024, 4096],
}

/** The content of the choices in their order: of the scripts, or of default answers. */
function choiceScripts(call: Call<ChatRequest>, tokens: Tokens, context: Context): readonly Spoken[] {
  const { body, plan } = call
  const options = readAnswerOptions(body, context)
  const count = body.n ?? 1
  const spoken: Spoken[] = []
  const most = body.max_completion_tokens ?? body.max_tokens ?? Number.POSITIVE_INFINITY
  const stop = [body.stop ?? []].flat().map((one) => one.toWellFormed())
  if (plan.script !== undefined) {
    // A script that violates the contract on purpose has no limits.
    const limits = plan.offContract === true ? undefined : { tokens: most, stop }
    const scripts = (plan.choices ?? [plan.script])
      .slice(0, count)
      .map((script) => tokenizeScript(script, tokens, limits))
    for (let index = 0; index < count; index++)
      spoken.push({ script: scripts[Math.min(index, scripts.length - 1)] as TokenizedScript, hidden: 0 })
    return spoken
  }
  const answer = prepareAnswer({
    ...options,
    conversation: readConversation(body.messages),
    verbosity: body.verbosity ?? 'medium',
    planned: plan.answer,
    rule: plan.rule,
  })
  const reasons = isListed(body.model, context.settings.chat.reasoningModels)
  // The maximum number of tokens per choice.
  const limit = Math.min(
    most,
    maxChoiceLength,
    Math.floor(maxAnswerLength / count),
    Math.floor(maxAlternatives / (count * (1 + (body.top_logprobs ?? 0)))),
  )
  for (let index = 0; index < count; index++) {
    const random = call.content.fork(`choice ${index}`)
    const script = answer(random)
    const thought = reasons
      ? random.fork('reasoning').integer(...thinking[body.reasoning_effort ?? 'medium'])
      : 0
    const hidden = Math.min(limit, thought)
    const limits = { tokens: limit - hidden, stop, end: plan.answer?.finish }
    spoken.push({ script: tokenizeScript(script, tokens, limits), hidden })
  }
  return spoken
}

function choiceOf(spoken: Spoken, index: number, call: Call<ChatRequest>, context: Context): ChatChoice {
  const { body, identity, content, now } = call
  const { script, hidden } = spoken
  const calls: ChatCall[] = []
  const parts: ChatPart[] = []
  // Citations have offsets in the whole text.
  let textLength = 0
  for (const part of script.parts) {
    if (part.kind === 'calls') {
      const first = calls.length
      for (const { id, name, encoded } of part.calls) {
        const random = identity.fork(`choice ${index} call ${calls.length}`)
        calls.push({
          index: calls.length,
          id: id ?? mintId('call_', context.sandbox.tag, random, 24),
          form: isCustom(name, body) ? 'custom' : 'function',
          name,
          encoded,
        })
      }
      parts.push({ kind: 'calls', calls: calls.slice(first) })
    } else if (part.kind === 'text') {
      const start = textLength
      textLength += part.encoded.text.length
      const annotations = part.citations && annotationsAt(part.citations, start, textLength)
      parts.push(annotations?.length ? { ...part, annotations } : part)
    }
    // This API does not show redacted reasoning.
    else if (part.kind !== 'redacted') parts.push(part)
  }
  const { cut, finish } = script
  let ended: FinishReason = calls.length > 0 ? 'tool_calls' : 'stop'
  if (cut !== undefined) ended = cut.by === 'tokens' ? 'length' : 'stop'
  else if (finish !== undefined)
    ended = finish === 'function_call' ? finish : (neutralFinish(finish) ?? 'stop')
  const legacy = body.functions != null && calls.length <= 1
  const { audio } = body
  const isSpeech = audio != null && body.modalities?.includes('audio') === true && parts.some(isText)
  return {
    script,
    hidden,
    index,
    parts,
    calls,
    legacy,
    finish: legacy && ended === 'tool_calls' ? 'function_call' : ended,
    logprobs: undefined,
    speech: isSpeech
      ? {
          id: mintId('audio_', context.sandbox.tag, identity.fork(`audio ${index}`)),
          expiresAt: Math.floor(now / 1000) + 3600,
          media: speechOf(audio, tokenTextsOf(parts, 'text').length, content.fork(`choice ${index}`)),
        }
      : undefined,
  }
}

const isCustom = (name: string, { tools }: ChatRequest): boolean =>
  tools?.some((tool) => tool.type === 'custom' && tool.custom.name === name) === true

function withLogprobs(choice: ChatChoice, { body, content }: Call<ChatRequest>): ChatChoice {
  const { index, parts, speech } = choice
  if (speech !== undefined) return choice
  const random = content.fork(`choice ${index}`)
  const top = body.top_logprobs ?? 0
  const texts = parts.filter(isText)
  const given = texts.flatMap(({ encoded, logprobs }) => encoded.tokenTexts.map((_, at) => logprobs?.[at]))
  const refusals = random.fork(texts.length === 0 ? 'logprobs' : 'refusal logprobs')
  return {
    ...choice,
    logprobs: {
      text: logprobsOf(tokenTextsOf(parts, 'text'), top, random.fork('logprobs'), given),
      refusal: logprobsOf(tokenTextsOf(parts, 'refusal'), top, refusals),
    },
  }
}

const isText = (part: ChatPart): part is ChatWords => part.kind === 'text'

/** The token texts of all texts, or of all refusals. */
const tokenTextsOf = (parts: readonly ChatPart[], kind: 'text' | 'refusal'): readonly TokenText[] =>
  parts.flatMap((part) => (part.kind === kind ? part.encoded.tokenTexts : []))

function usageOf(
  prompt: ReturnType<typeof promptTokens>,
  choices: readonly ChatChoice[],
  given: Partial<UsageCounts>,
): Readonly<Record<string, unknown>> {
  let [output, reasoning, aloud] = [0, 0, 0]
  for (const { hidden, script, speech } of choices) {
    output += hidden + script.tokens.all
    reasoning += hidden + script.tokens.reasoning
    if (speech !== undefined) aloud += script.tokens.text
  }
  const counts = scriptedCounts({ input: prompt.all, output, reasoning, cached: 0 }, given)
  return {
    prompt_tokens: counts.input,
    completion_tokens: counts.output,
    total_tokens: counts.input + counts.output,
    prompt_tokens_details: {
      audio_tokens: Math.min(prompt.audio, counts.input),
      cached_tokens: counts.cached,
    },
    completion_tokens_details: {
      accepted_prediction_tokens: 0,
      audio_tokens: Math.min(aloud, counts.output),
      reasoning_tokens: counts.reasoning,
      rejected_prediction_tokens: 0,
    },
  }
}

/** The bytes of one log probability, and of the JSON around a chunk of text in a stream. */
const perProbability = 60
const perEvent = 250

/** The approximate size of the choices on the wire, before their details are created. */
function bytesOf(body: ChatRequest, choices: readonly ChatChoice[]): number {
  const perToken =
    (body.stream === true ? perEvent : 0) +
    (body.logprobs === true ? perProbability * (1 + (body.top_logprobs ?? 0)) : 0)
  let bytes = 0
  for (const { parts, script, hidden, speech } of choices) {
    for (const part of parts) if ('encoded' in part) bytes += part.encoded.text.length
    bytes += (hidden + script.tokens.all) * perToken
    // Base64 turns three bytes into four.
    if (speech !== undefined) bytes += Math.ceil((mediaBytes(speech.media) * 4) / 3)
  }
  return bytes
}

/** The parameters that cause the size. */
function causeOf({ n, logprobs, top_logprobs, modalities }: ChatRequest): SizeCause {
  const choices = n ?? 1
  const hasSound = modalities?.includes('audio') === true
  const listed = logprobs === true ? ` with \`logprobs\` (\`top_logprobs\`: ${top_logprobs ?? 0})` : ''
  const large = hasSound ? 'audio' : 'logprobs'
  return {
    param: choices > 1 ? 'n' : large,
    made: `${choices} ${choices === 1 ? 'choice' : 'choices'}${hasSound ? ' with `audio`' : listed}`,
    instead: 'fewer choices (n) or fewer tokens (max_completion_tokens)',
  }
}
