/**
 * A chat answer before it is formatted as a body or a stream: its choices with ids, log probabilities and
 * audio, and the usage.
 */
import {
  scriptedCounts,
  type TokenizedPart,
  type TokenizedScript,
  type TokenizedWords,
  type UsageCounts,
} from '../../behaviours/scripts/tokenize-script.ts'
import { type TokenizedText, type TokenText, tokensOf } from '../../behaviours/tokens/tokens.ts'
import { mintId } from '../../engine/random.ts'
import type { Sandbox } from '../../engine/sandbox.ts'
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
  voiceOf,
} from './details.ts'
import { type PromptTokens, promptTokens } from './read-request.ts'
import type { ChatRequest } from './schema.ts'
import { type Spoken, speakerFor } from './spoken.ts'

export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'function_call'

/** A tool call in the form of its tool, numbered within its choice. */
export interface ChatCall {
  readonly index: number
  readonly id: string
  readonly form: 'function' | 'custom'
  readonly name: string
  readonly said: TokenizedText
}

export type ChatWords = TokenizedWords & { readonly annotations?: readonly Annotation[] }

export type ChatPart =
  | Exclude<TokenizedPart, TokenizedWords | { kind: 'calls' | 'redacted' }>
  | ChatWords
  /** Parallel tool calls; their chunks alternate. */
  | { readonly kind: 'calls'; readonly calls: readonly ChatCall[] }

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
  readonly usage: Usage
  /** True if the stream omits its usage. */
  readonly hidesUsage: boolean
}

type Usage = ReturnType<typeof usageOf>

/** The answer to a valid request. Throws a 400 for an unsupported schema. */
export function answerChat(call: Call<ChatRequest>, context: Context): ChatAnswer {
  const { body, identity, now } = call
  const { sandbox } = context
  const speak = speakerFor(call, context)
  const choices: ChatChoice[] = []
  for (let index = 0; index < (body.n ?? 1); index++)
    choices.push(choiceOf(speak(index), index, call, sandbox))
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
    usage: usageOf(promptTokens(body, tokensOf(context), context), choices, given),
    hidesUsage,
  }
}

function choiceOf(spoken: Spoken, index: number, call: Call<ChatRequest>, sandbox: Sandbox): ChatChoice {
  const { body, identity, content, now } = call
  const { script } = spoken
  const calls: ChatCall[] = []
  const parts: ChatPart[] = []
  // Citations have offsets in the whole text.
  let textLength = 0
  for (const part of script.parts) {
    if (part.kind === 'calls') {
      const made = part.calls.map(({ id, name, said }, at): ChatCall => {
        const number = calls.length + at
        const fork = `choice ${index} call ${number}`
        return {
          index: number,
          id: id ?? mintId('call_', sandbox.tag, identity.fork(fork), 24),
          form: isCustom(name, body) ? 'custom' : 'function',
          name,
          said,
        }
      })
      calls.push(...made)
      parts.push({ kind: 'calls', calls: made })
    } else if (part.kind === 'text') {
      const start = textLength
      textLength += part.said.text.length
      const annotations = part.citations && annotationsAt(part.citations, start, textLength)
      parts.push(annotations?.length ? { ...part, annotations } : part)
    }
    // This API does not show redacted reasoning.
    else if (part.kind !== 'redacted') parts.push(part)
  }
  const legacy = body.functions != null && calls.length <= 1
  const finish = finishOf(script, calls.length > 0)
  const voice = body.modalities != null && parts.some(isText) ? voiceOf(body) : undefined
  const { hidden, accepted, rejected } = spoken
  return {
    script,
    hidden,
    accepted,
    rejected,
    index,
    parts,
    calls,
    legacy,
    finish: legacy && finish === 'tool_calls' ? 'function_call' : finish,
    logprobs: undefined,
    speech: voice && {
      id: mintId('audio_', sandbox.tag, identity.fork(`audio ${index}`)),
      expiresAt: Math.floor(now / 1000) + 3600,
      media: speechOf(voice, tokenTextsOf(parts, 'text').length, content.fork(`choice ${index}`)),
    },
  }
}

function finishOf({ finish, cut }: TokenizedScript, called: boolean): FinishReason {
  if (cut !== undefined) return cut.by === 'tokens' ? 'length' : 'stop'
  if (finish === 'function_call') return finish
  const neutral = finish === undefined ? undefined : neutralFinish(finish)
  return neutral ?? (called ? 'tool_calls' : 'stop')
}

const isCustom = (name: string, { tools }: ChatRequest): boolean =>
  tools?.some((tool) => tool.type === 'custom' && tool.custom.name === name) === true

function withLogprobs(choice: ChatChoice, { body, content }: Call<ChatRequest>): ChatChoice {
  const { index, parts, speech } = choice
  if (speech !== undefined) return choice
  const random = content.fork(`choice ${index}`)
  const top = body.top_logprobs ?? 0
  const texts = parts.filter(isText)
  const given = texts.flatMap(({ said, logprobs }) =>
    logprobs === undefined
      ? said.tokenTexts.map(() => undefined)
      : said.tokenTexts.map((_, at) => logprobs[at]),
  )
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
export const tokenTextsOf = (parts: readonly ChatPart[], kind: 'text' | 'refusal'): readonly TokenText[] =>
  parts.flatMap((part) => (part.kind === kind ? part.said.tokenTexts : []))

function usageOf(asked: PromptTokens, choices: readonly ChatChoice[], given: Partial<UsageCounts>) {
  let [output, reasoning, aloud, accepted, rejected] = [0, 0, 0, 0, 0]
  for (const choice of choices) {
    const { tokens } = choice.script
    output += choice.hidden + tokens.all + choice.rejected
    reasoning += choice.hidden + tokens.reasoning
    accepted += choice.accepted
    rejected += choice.rejected
    if (choice.speech !== undefined) aloud += tokens.text
  }
  const counts = scriptedCounts({ input: asked.all, output, reasoning, cached: 0 }, given)
  return {
    prompt_tokens: counts.input,
    completion_tokens: counts.output,
    total_tokens: counts.input + counts.output,
    prompt_tokens_details: {
      audio_tokens: Math.min(asked.audio, counts.input),
      cached_tokens: counts.cached,
    },
    completion_tokens_details: {
      accepted_prediction_tokens: accepted,
      audio_tokens: Math.min(aloud, counts.output),
      reasoning_tokens: counts.reasoning,
      rejected_prediction_tokens: rejected,
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
    for (const part of parts) if ('said' in part) bytes += part.said.text.length
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
  let details = logprobs === true ? ` with \`logprobs\` (\`top_logprobs\`: ${top_logprobs ?? 0})` : ''
  if (hasSound) details = ' with `audio`'
  const large = hasSound ? 'audio' : 'logprobs'
  return {
    param: choices > 1 ? 'n' : large,
    made: `${choices} ${choices === 1 ? 'choice' : 'choices'}${details}`,
    instead: 'fewer choices (n) or fewer tokens (max_completion_tokens)',
  }
}
