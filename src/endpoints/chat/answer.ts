/**
 * A chat answer before it takes a wire form, plain or streamed: its choices with ids, log probabilities and
 * sound, and the usage.
 */
import {
  scriptedCounts,
  type TokenizedScript,
  type UsageCounts,
} from '../../behaviours/scripts/tokenize-script.ts'
import { type Piece, tokensOf } from '../../behaviours/tokens/tokens.ts'
import { mintId } from '../../engine/random.ts'
import type { Call } from '../../protocol/call.ts'
import type { Context } from '../../protocol/endpoint.ts'
import { mediaBytes } from '../../protocol/media.ts'
import { checkReplySize, type SizeCause } from '../../protocol/traffic.ts'
import { type AudioAnswer, logprobsOf, type OutputLogprob, speechOf, voiceOf } from './details.ts'
import { type PromptTokens, promptTokens } from './read-request.ts'
import type { ChatRequest } from './schema.ts'
import { type FinishReason, type Spoken, type SpokenPart, speakerFor, type WordsPart } from './spoken.ts'

/** A call in the form that its tool has, numbered within its choice. */
export interface ChatCall {
  readonly index: number
  readonly id: string
  readonly form: 'function' | 'custom'
  readonly name: string
  readonly pieces: readonly Piece[]
}

export type ChatPart = SpokenPart<ChatCall>

export interface ChatChoice {
  readonly index: number
  readonly parts: readonly ChatPart[]
  readonly calls: readonly ChatCall[]
  /** True when its one call takes the legacy form, which has room for no more. */
  readonly legacy: boolean
  readonly finish: FinishReason
  readonly tokens: Spoken['tokens']
  /** One for each piece of all texts, and of all refusals. */
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
  /** How many choices have a script of their own: what happens on the wire happens once. */
  readonly scripts: number
  /** All waits together, in virtual milliseconds. */
  readonly waits: number
  /** As on the wire (contract 2.6). */
  readonly usage: Usage
  /** True when a stream does not report its usage. */
  readonly hidesUsage: boolean
}

type Usage = ReturnType<typeof usageOf>

/** The answer to a valid request. Throws 400 for a schema that cannot be followed. */
export function answerChat(call: Call<ChatRequest>, context: Context): ChatAnswer {
  const { body, identity, now } = call
  const { world } = context
  const speak = speakerFor(call, context)
  const choices: ChatChoice[] = []
  const scripts = new Set<TokenizedScript>()
  for (let index = 0; index < (body.n ?? 1); index++) {
    const spoken = speak(index)
    if (spoken.script !== undefined) scripts.add(spoken.script)
    choices.push(choiceOf(spoken, index, call, context))
  }
  if (choices.length > 1 || body.logprobs === true || body.modalities != null)
    checkReplySize(bytesOf(body, choices), causeOf(body), context)
  // Made last, and only when their size has been checked: there may be a great many.
  if (body.logprobs === true) for (const choice of choices) choices[choice.index] = withLogprobs(choice, call)
  let waits = 0
  let hidesUsage = false
  for (const script of scripts) {
    waits += script.waits
    hidesUsage ||= script.hidesUsage
  }
  return {
    id: mintId('chatcmpl-', world.tag, identity, 29),
    created: Math.floor(now / 1000),
    model: body.model,
    serviceTier: body.service_tier == null || body.service_tier === 'auto' ? 'default' : body.service_tier,
    fingerprint: world.fingerprint,
    choices,
    scripts: scripts.size,
    waits,
    usage: usageOf(promptTokens(body, tokensOf(context), context), choices, scripts),
    hidesUsage,
  }
}

function choiceOf(
  { parts, finish, tokens }: Spoken,
  index: number,
  call: Call<ChatRequest>,
  { world }: Context,
): ChatChoice {
  const { body, identity, content } = call
  const calls: ChatCall[] = []
  const shown: ChatPart[] = []
  let saysText = false
  for (const part of parts) {
    saysText ||= part.kind === 'text'
    if (part.kind !== 'calls') {
      shown.push(part)
      continue
    }
    const from = calls.length
    for (const { id, name, pieces } of part.calls) {
      const at = calls.length
      const form = isCustom(name, body) ? 'custom' : 'function'
      const own = id ?? mintId('call_', world.tag, identity.fork(`choice ${index} call ${at}`), 24)
      calls.push({ index: at, id: own, form, name, pieces })
    }
    shown.push({ kind: 'calls', calls: calls.slice(from) })
  }
  const legacy = body.functions != null && calls.length <= 1
  const voice = saysText && body.modalities != null ? voiceOf(body) : undefined
  return {
    index,
    parts: shown,
    calls,
    legacy,
    finish: legacy && finish === 'tool_calls' ? 'function_call' : finish,
    tokens,
    logprobs: undefined,
    speech:
      voice === undefined
        ? undefined
        : speechOf(
            voice,
            piecesOf(parts, 'text').length,
            index,
            call,
            world,
            content.fork(`choice ${index}`),
          ),
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
  const given = texts.flatMap(({ said, logprobs }) =>
    logprobs === undefined ? said.pieces.map(() => undefined) : said.pieces.map((_, at) => logprobs[at]),
  )
  const refusals = random.fork(texts.length === 0 ? 'logprobs' : 'refusal logprobs')
  return {
    ...choice,
    logprobs: {
      text: logprobsOf(piecesOf(parts, 'text'), top, random.fork('logprobs'), given),
      refusal: logprobsOf(piecesOf(parts, 'refusal'), top, refusals),
    },
  }
}

const isText = (part: SpokenPart<unknown>): part is WordsPart => part.kind === 'text'

/** The pieces of all texts, or of all refusals. */
export function piecesOf(parts: readonly SpokenPart<unknown>[], kind: 'text' | 'refusal'): readonly Piece[] {
  return parts.flatMap((part) => (part.kind === kind ? part.said.pieces : []))
}

function usageOf(asked: PromptTokens, choices: readonly ChatChoice[], scripts: ReadonlySet<TokenizedScript>) {
  let [output, reasoning, aloud, accepted, rejected] = [0, 0, 0, 0, 0]
  for (const { tokens, speech } of choices) {
    output += tokens.all
    reasoning += tokens.reasoning
    accepted += tokens.accepted
    rejected += tokens.rejected
    if (speech !== undefined) aloud += tokens.text
  }
  let counts: UsageCounts = { input: asked.all, output, reasoning, cached: 0 }
  if (scripts.size > 0)
    counts = scriptedCounts(counts, Object.assign({}, ...Array.from(scripts, ({ usage }) => usage)))
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

/** Bytes of one log probability, and of what surrounds one piece of text in a stream. */
const perProbability = 60
const perEvent = 250

/** About how large the choices become on the wire, told before their details are made. */
function bytesOf(body: ChatRequest, choices: readonly ChatChoice[]): number {
  const perToken =
    (body.stream === true ? perEvent : 0) +
    (body.logprobs === true ? perProbability * (1 + (body.top_logprobs ?? 0)) : 0)
  let bytes = 0
  for (const { parts, tokens, speech } of choices) {
    for (const part of parts) if ('said' in part) bytes += part.said.text.length
    bytes += tokens.all * perToken
    // In base64, three bytes are four.
    if (speech !== undefined) bytes += Math.ceil((mediaBytes(speech.media) * 4) / 3)
  }
  return bytes
}

/** The parameters that make it so. */
function causeOf({ n, logprobs, top_logprobs, modalities }: ChatRequest): SizeCause {
  const choices = n ?? 1
  const withSound = modalities?.includes('audio') === true
  const details = withSound
    ? ' with `audio`'
    : logprobs === true
      ? ` with \`logprobs\` (\`top_logprobs\`: ${top_logprobs ?? 0})`
      : ''
  return {
    param: choices > 1 ? 'n' : withSound ? 'audio' : 'logprobs',
    made: `${choices} ${choices === 1 ? 'choice' : 'choices'}${details}`,
    instead: 'fewer choices (n), shorter ones (max_completion_tokens), or less of each',
  }
}
