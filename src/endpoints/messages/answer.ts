/**
 * A message before it is formatted as a body or a stream: id, blocks, stop reason, usage. Blocks of this API
 * cannot interleave; the steps also contain the events between chunks.
 */
import { prepareAnswer } from '../../behaviours/answers/answer.ts'
import {
  scriptedCounts,
  scriptOf,
  type TokenizedScript,
  type TokenizedWords,
  tokenizeScript,
  type WireItem,
} from '../../behaviours/scripts/tokenize-script.ts'
import { type TokenizedText, tokensOf } from '../../behaviours/tokens/tokens.ts'
import { mintId } from '../../engine/random.ts'
import type { Sandbox } from '../../engine/sandbox.ts'
import type { Call } from '../../protocol/call.ts'
import type { Context } from '../../protocol/endpoint.ts'
import type { FinishWord, OwnFinishWord, Script, ScriptedCitation } from '../../protocol/script.ts'
import {
  type AnswerOptions,
  asksForCaching,
  prefillOf,
  promptTokens,
  readChoice,
  readConversation,
  readParallel,
  type Turn,
} from './read-request.ts'
import type { MessagesRequest } from './request.ts'
import { redactedOf, signatureOf, thoughtFor } from './thinking.ts'
import { continued } from './unfinished.ts'

export type StopReason =
  | 'end_turn'
  | 'max_tokens'
  | 'stop_sequence'
  | 'tool_use'
  | 'pause_turn'
  | 'refusal'
  | 'model_context_window_exceeded'

/** The citations of a text block in the format of this API. */
export type Citation = Readonly<Record<string, unknown>>

export type Block =
  /** `shown` is false if the thinking is counted but hidden. */
  | { readonly kind: 'thinking'; text: string; readonly shown: boolean; readonly signature: string }
  | { readonly kind: 'redacted'; text: string; readonly data: string }
  | { readonly kind: 'text'; text: string; readonly citations?: readonly Citation[] }
  /** The text is its input as JSON. */
  | { readonly kind: 'call'; text: string; readonly name: string; readonly id: string }

/** The steps of a stream, in order; `block` is an index. */
export type Step =
  | { readonly kind: 'open'; readonly block: number }
  | { readonly kind: 'say'; readonly block: number; readonly said: TokenizedText }
  | { readonly kind: 'cite'; readonly block: number; readonly citation: Citation }
  | WireItem
  /** Closes the last block with the stop reason; only faults and waits follow. */
  | { readonly kind: 'finish' }

export interface Message {
  readonly id: string
  readonly model: string
  readonly blocks: readonly Block[]
  readonly steps: readonly Step[]
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

/** The response to a valid request. Throws a 400 for an unsupported schema. */
export function answerMessage(
  call: Call<MessagesRequest>,
  turns: readonly Turn[],
  options: AnswerOptions,
  context: Context,
): Message {
  const { body, identity, plan } = call
  const { sandbox } = context
  const tokens = tokensOf(context)
  const limits = { tokens: body.max_tokens, stop: body.stop_sequences ?? [] }
  // A script that violates the contract on purpose has no limits.
  const script =
    plan.script === undefined
      ? tokenizeScript(defaultScript(call, turns, options), tokens, { ...limits, end: plan.answer?.finish })
      : tokenizeScript(plan.script, tokens, plan.offContract === true ? undefined : limits)
  const { blocks, steps } = new BlockWriter(call, sandbox, script)
  const { all: output, reasoning } = script.tokens
  const input = promptTokens(body, tokens)
  const counts = scriptedCounts({ input, output, reasoning, cached: 0 }, script.usage)
  const caches = asksForCaching(body) || counts.cached > 0
  const { stopReason, stopSequence } = stopOf(script, limits.stop)
  // In this API, input tokens exclude cached tokens.
  const input_tokens = Math.max(0, counts.input - counts.cached)
  const output_tokens = counts.output
  return {
    id: mintId('msg_', sandbox.tag, identity),
    model: body.model,
    blocks,
    steps,
    stopReason,
    stopSequence,
    waits: script.waits,
    usage: caches
      ? {
          input_tokens,
          cache_creation_input_tokens: 0,
          cache_read_input_tokens: counts.cached,
          output_tokens,
        }
      : { input_tokens, output_tokens },
  }
}

function defaultScript(
  call: Call<MessagesRequest>,
  turns: readonly Turn[],
  { tools, format, schemas }: AnswerOptions,
): Script {
  const { body, content, plan } = call
  const prefill = prefillOf(turns)
  const conversation = readConversation(prefill === undefined ? turns : turns.slice(0, -1))
  const choice = readChoice(body)
  const answer = prepareAnswer({
    conversation,
    tools,
    // The response continues a prefilled answer.
    choice: prefill && choice.mode === 'auto' ? { mode: 'none' } : choice,
    parallel: readParallel(body),
    format,
    verbosity: 'medium',
    planned: plan.answer,
    rule: plan.rule,
    schemas,
  })(content)
  const said =
    prefill && answer.kind === 'text' ? { ...answer, text: continued(prefill, answer.text) } : answer
  return [...thoughtFor(call, conversation), ...scriptOf(said)]
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

/** Arranges the parts of a script in blocks. */
class BlockWriter {
  readonly blocks: Block[] = []
  readonly steps: Step[] = []
  readonly #call: Call<MessagesRequest>
  readonly #sandbox: Sandbox
  /** The text of the last block while the next part can continue it. */
  #open: TokenizedWords['kind'] | undefined

  constructor(call: Call<MessagesRequest>, sandbox: Sandbox, { parts }: TokenizedScript) {
    this.#call = call
    this.#sandbox = sandbox
    for (const part of parts) {
      switch (part.kind) {
        case 'text':
        case 'refusal':
        case 'reasoning':
          this.#words(part)
          break
        case 'redacted':
          this.#begin(this.#redacted(part.data))
          break
        case 'calls':
          for (const { name, id, said } of part.calls) {
            this.#begin({ kind: 'call', text: '', name, id: id ?? this.#callId() })
            this.#say(said)
          }
          break
        case 'usage':
          break
        default:
          this.steps.push(part)
      }
    }
  }

  // Parts of one kind continue the same block, which allows waits in the middle of a text. A part with
  // citations or a signature is a separate block. This API has no blocks with empty text.
  #words({ kind, said, citations, signature }: TokenizedWords): void {
    const isAlone = citations !== undefined || signature !== undefined
    if (isAlone || this.#open !== kind) {
      if (kind !== 'reasoning' && said.text === '') return
      this.#begin(kind === 'reasoning' ? this.#thought(signature) : textBlock(citations))
      this.#open = isAlone ? undefined : kind
    }
    this.#say(said)
    const block = this.blocks.length - 1
    for (const citation of citationsOf(citations ?? [])) this.steps.push({ kind: 'cite', block, citation })
  }

  #begin(block: Block): void {
    this.#open = undefined
    this.steps.push({ kind: 'open', block: this.blocks.push(block) - 1 })
  }

  #say(said: TokenizedText): void {
    const block = this.blocks.length - 1
    this.steps.push({ kind: 'say', block, said })
    ;(this.blocks[block] as Block).text += said.text
  }

  #thought(signature: string | undefined): Block {
    const { body, content, plan } = this.#call
    if (plan.answer?.redactedThinking === true) return this.#redacted()
    const sealed = signature ?? signatureOf(content.fork(`thinking ${this.blocks.length}`))
    return { kind: 'thinking', text: '', shown: isShown(body), signature: sealed }
  }

  #redacted(data?: string): Block {
    const sealed = data ?? redactedOf(this.#call.content.fork(`thinking ${this.blocks.length}`))
    return { kind: 'redacted', text: '', data: sealed }
  }

  #callId(): string {
    return mintId('toolu_', this.#sandbox.tag, this.#call.identity.fork(`block ${this.blocks.length}`), 24)
  }
}

const textBlock = (citations: readonly ScriptedCitation[] | undefined): Block =>
  citations === undefined
    ? { kind: 'text', text: '' }
    : { kind: 'text', text: '', citations: citationsOf(citations) }

/**
 * The citations of a script: a URL becomes a web search result, citations in the format of this API are
 * unchanged, and other formats are omitted.
 */
function citationsOf(written: readonly ScriptedCitation[]): readonly Citation[] {
  return written.flatMap((citation): readonly Citation[] => {
    const { type, url, title, cited_text } = citation
    if (type !== undefined) return type === 'url_citation' ? [] : [citation]
    return [
      {
        type: 'web_search_result_location',
        url,
        title: title ?? null,
        cited_text: cited_text ?? '',
        encrypted_index: '',
      },
    ]
  })
}

// A request that hides thinking gets no thinking, even from a script.
function isShown({ thinking }: MessagesRequest): boolean {
  return !((thinking?.type === 'enabled' || thinking?.type === 'adaptive') && thinking.display === 'omitted')
}
