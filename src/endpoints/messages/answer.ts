/** A message before it is written as a body or a stream: id, blocks, stop reason, usage. */
import { prepareAnswer } from '../../behaviours/answers/answer.ts'
import {
  scriptedCounts,
  type TokenizedScript,
  type TokenizedWords,
  tokenizeScript,
  type WireItem,
} from '../../behaviours/scripts/tokenize-script.ts'
import { type TokenizedText, tokensOf } from '../../behaviours/tokens/tokens.ts'
import { mintId } from '../../engine/random.ts'
import type { Call } from '../../protocol/call.ts'
import type { Context } from '../../protocol/endpoint.ts'
import type { FinishWord, OwnFinishWord, Script, ScriptedCitation } from '../../protocol/script.ts'
import { prefillOf, promptTokens, readAnswerOptions, readConversation } from './read-request.ts'
import type { MessagesRequest } from './request.ts'
import { redactedOf, signatureOf, thoughtFor } from './thinking.ts'

export type StopReason =
  | 'end_turn'
  | 'max_tokens'
  | 'stop_sequence'
  | 'tool_use'
  | 'pause_turn'
  | 'refusal'
  | 'model_context_window_exceeded'

/** A citation of a text block in the format of this API. */
type Citation = Readonly<Record<string, unknown>>

/** What a stream sends inside a block, in order. */
type BlockItem =
  | { readonly kind: 'say'; readonly encoded: TokenizedText }
  | { readonly kind: 'cite'; readonly citation: Citation }
  | WireItem

type BlockKind =
  /** `shown` is false if the thinking is counted but hidden. */
  | { readonly kind: 'thinking'; readonly shown: boolean; readonly signature: string }
  | { readonly kind: 'redacted'; readonly data: string }
  | { readonly kind: 'text'; readonly citations?: readonly Citation[] | undefined }
  /** Its text is the input as JSON. */
  | { readonly kind: 'call'; readonly name: string; readonly id: string }

export type Block = BlockKind & { readonly items: BlockItem[] }

interface Blocks {
  /** The waits and faults before the first block. */
  readonly before: readonly WireItem[]
  readonly blocks: readonly Block[]
  /** The waits and faults after the stop reason. */
  readonly after: readonly WireItem[]
}

export interface Message extends Blocks {
  readonly id: string
  readonly model: string
  readonly stopReason: StopReason
  readonly stopSequence: string | null
  readonly usage: {
    readonly input_tokens: number
    readonly cache_creation_input_tokens?: number
    readonly cache_read_input_tokens?: number
    readonly output_tokens: number
  }
  /** Virtual milliseconds. */
  readonly waits: number
}

/** The response to a valid request. Throws a 400 for an unsupported schema or an unusable image. */
export function answerMessage(call: Call<MessagesRequest>, context: Context): Message {
  const { body, identity, plan } = call
  const tokens = tokensOf(context)
  const input = promptTokens(body, tokens, context)
  const byDefault = defaultAnswer(call, context)
  const limits = { tokens: body.max_tokens, stop: body.stop_sequences ?? [] }
  // A script that violates the contract on purpose has no limits.
  const script =
    plan.script === undefined
      ? tokenizeScript(byDefault(), tokens, { ...limits, end: plan.answer?.finish })
      : tokenizeScript(plan.script, tokens, plan.offContract === true ? undefined : limits)
  const { all: output, reasoning } = script.tokens
  const counts = scriptedCounts({ input, output, reasoning, cached: 0 }, script.usage)
  const caches = { cache_creation_input_tokens: 0, cache_read_input_tokens: counts.cached }
  return {
    id: mintId('msg_', context.sandbox.tag, identity),
    model: body.model,
    ...blocksOf(script, call, context),
    ...stopOf(script, limits.stop),
    waits: script.waits,
    usage: {
      // In this API, input tokens exclude cached tokens.
      input_tokens: Math.max(0, counts.input - counts.cached),
      ...(counts.cached > 0 ? caches : {}),
      output_tokens: counts.output,
    },
  }
}

/** Checks the schemas of a request, and prepares its default answer. */
function defaultAnswer(call: Call<MessagesRequest>, context: Context): () => Script {
  const { body, content, plan } = call
  const options = readAnswerOptions(body, context)
  return () => {
    const conversation = readConversation(body.messages)
    const prefill = prefillOf(body.messages)
    const [first, ...more] = prepareAnswer({
      ...options,
      conversation,
      // The response continues a prefilled answer.
      choice: prefill && options.choice.mode === 'auto' ? { mode: 'none' } : options.choice,
      verbosity: 'medium',
      planned: plan.answer,
      rule: plan.rule,
    })(content)
    const thought = thoughtFor(call, conversation)
    if (first === undefined) return thought
    if (!prefill || first.kind !== 'text') return [...thought, first, ...more]
    const { text } = first
    return [
      ...thought,
      { kind: 'text', text: text.startsWith(prefill) ? text.slice(prefill.length) : ` ${text}` },
    ]
  }
}

const stopReasons: Readonly<Record<FinishWord | 'function_call' | 'stop_sequence', StopReason>> = {
  stop: 'end_turn',
  stop_sequence: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  function_call: 'tool_use',
  content_filter: 'refusal',
}

function stopOf(
  { cut, finish, sequence, parts }: TokenizedScript,
  sequences: readonly string[],
): Pick<Message, 'stopReason' | 'stopSequence'> {
  const ended = (stopReason: StopReason, stopSequence: string | null = null) => ({ stopReason, stopSequence })
  if (cut !== undefined) return cut.by === 'stop' ? ended('stop_sequence', cut.sequence) : ended('max_tokens')
  // Default: the first stop sequence of the request, if any.
  const stop = finish === 'stop_sequence' ? (sequence ?? sequences[0]) : undefined
  if (stop !== undefined) return ended('stop_sequence', stop)
  if (finish !== undefined) return ended(stopReasonOf(finish))
  if (parts.some(({ kind }) => kind === 'calls')) return ended('tool_use')
  return ended(parts.some(({ kind }) => kind === 'refusal') ? 'refusal' : 'end_turn')
}

function stopReasonOf(finish: FinishWord | OwnFinishWord): StopReason {
  return Object.hasOwn(stopReasons, finish)
    ? stopReasons[finish as keyof typeof stopReasons]
    : (finish as StopReason)
}

/**
 * Arranges the parts of a script in blocks. Parts of one kind continue the same block, which allows waits in
 * the middle of a text; a part with citations or a signature is a separate block. What happens after the last
 * chunk of a block happens inside it.
 */
function blocksOf(
  { parts }: TokenizedScript,
  { body, content, identity, plan }: Call<MessagesRequest>,
  { sandbox }: Context,
): Blocks {
  const before: WireItem[] = []
  const after: WireItem[] = []
  const blocks: Block[] = []
  let place: { push(item: WireItem): unknown } = before
  /** The kind of words that the next part can continue. */
  let open: TokenizedWords['kind'] | undefined
  const begin = (block: BlockKind): BlockItem[] => {
    const items: BlockItem[] = []
    blocks.push({ ...block, items })
    place = items
    return items
  }
  const thought = (signature: string | undefined): BlockKind => {
    const random = content.fork(`thinking ${blocks.length}`)
    return plan.answer?.redactedThinking === true
      ? { kind: 'redacted', data: redactedOf(random) }
      : { kind: 'thinking', shown: isShown(body), signature: signature ?? signatureOf(random) }
  }
  const words = ({ kind, encoded, citations, signature }: TokenizedWords): void => {
    const isAlone = citations !== undefined || signature !== undefined
    if (isAlone || open !== kind) {
      // This API has no blocks with empty text.
      if (kind !== 'reasoning' && encoded.text === '') return
      begin(kind === 'reasoning' ? thought(signature) : { kind: 'text', citations: citationsOf(citations) })
      open = isAlone ? undefined : kind
    }
    blocks.at(-1)?.items.push({ kind: 'say', encoded })
    for (const citation of citationsOf(citations) ?? []) blocks.at(-1)?.items.push({ kind: 'cite', citation })
  }
  for (const part of parts)
    switch (part.kind) {
      case 'text':
      case 'refusal':
      case 'reasoning':
        words(part)
        break
      case 'redacted':
        open = undefined
        begin({
          kind: 'redacted',
          data: part.data ?? redactedOf(content.fork(`thinking ${blocks.length}`)),
        })
        break
      case 'calls':
        open = undefined
        for (const { name, id, encoded } of part.calls) {
          const random = identity.fork(`block ${blocks.length}`)
          begin({ kind: 'call', name, id: id ?? mintId('toolu_', sandbox.tag, random, 24) }).push({
            kind: 'say',
            encoded,
          })
        }
        break
      case 'finish':
        place = after
        break
      case 'usage':
        break
      default:
        place.push(part)
    }
  return { before, blocks, after }
}

/**
 * The citations of a script: a URL becomes a web search result, citations in the format of this API are
 * unchanged, and other formats are omitted.
 */
function citationsOf(written: readonly ScriptedCitation[] | undefined): readonly Citation[] | undefined {
  return written?.flatMap((citation): readonly Citation[] => {
    const { type, url, title = null, cited_text = '' } = citation
    if (type !== undefined) return type === 'url_citation' ? [] : [citation]
    return [{ type: 'web_search_result_location', url, title, cited_text, encrypted_index: '' }]
  })
}

// A request that hides thinking gets no thinking, even from a script.
function isShown({ thinking }: MessagesRequest): boolean {
  return !((thinking?.type === 'enabled' || thinking?.type === 'adaptive') && thinking.display === 'omitted')
}
