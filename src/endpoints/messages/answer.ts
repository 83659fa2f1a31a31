/**
 * A message before it takes a wire form, plain or streamed: id, blocks, stop reason, usage. Blocks of this
 * API cannot interleave; a script says besides what happens between their pieces.
 */
import { fakesOf, prepareAnswer } from '../../behaviours/answers/answer.ts'
import type { ModelAnswer } from '../../behaviours/answers/answer-request.ts'
import {
  scriptedCounts,
  type TokenizedScript,
  tokenizeScript,
  type UsageCounts,
  type WireItem,
} from '../../behaviours/scripts/tokenize-script.ts'
import { type Piece, tokensOf } from '../../behaviours/tokens/tokens.ts'
import { mintId } from '../../engine/random.ts'
import type { Call } from '../../protocol/call.ts'
import type { Context } from '../../protocol/endpoint.ts'
import type { FinishWord, OwnFinishWord, Script, ScriptedCitation } from '../../protocol/script.ts'
import {
  type Block,
  type Citation,
  outputOf,
  redactedOf,
  type StopReason,
  signatureOf,
  thoughtFor,
} from './output.ts'
import {
  type Asked,
  asksForCaching,
  prefillOf,
  promptTokens,
  readChoice,
  readConversation,
  readParallel,
  type Turn,
} from './read-request.ts'
import type { MessagesRequest } from './request.ts'
import { beginsJson, continued, isWholeObject } from './unfinished.ts'

/** A block with the id of its call. */
export type NamedBlock =
  | Exclude<Block, { kind: 'call' }>
  | (Extract<Block, { kind: 'call' }> & { readonly id: string })

/** What a stream does, one after the other; `block` is an index. */
export type Step =
  | { readonly kind: 'open'; readonly block: number }
  | { readonly kind: 'say'; readonly block: number; readonly pieces: readonly Piece[] }
  | { readonly kind: 'cite'; readonly block: number; readonly citation: Citation }
  | WireItem
  /** Closes the last block and says why it ends; only happenings follow. */
  | { readonly kind: 'finish' }

export interface Message extends Said {
  readonly id: string
  readonly model: string
  readonly blocks: readonly NamedBlock[]
  readonly usage: {
    readonly input_tokens: number
    readonly cache_creation_input_tokens?: number
    readonly cache_read_input_tokens?: number
    readonly output_tokens: number
  }
}

/** What an answer says, before its calls have ids. */
interface Said {
  readonly blocks: readonly (Block & { readonly id?: string | undefined })[]
  readonly stopReason: StopReason
  readonly stopSequence: string | null
  /** Undefined when the blocks come one after the other. */
  readonly steps?: readonly Step[] | undefined
  /** Virtual milliseconds. */
  readonly waits: number
}

/** The message that answers a valid request. Throws 400 for a schema that cannot be followed. */
export function answerMessage(
  call: Call<MessagesRequest>,
  turns: readonly Turn[],
  asked: Asked,
  context: Context,
): Message {
  const { body, identity, plan } = call
  const { world } = context
  const said =
    plan.script === undefined ? byDefault(call, turns, asked, context) : byScript(call, plan.script, context)
  const { blocks, stopReason, stopSequence, steps, waits, output, reasoning, given } = said
  let counts: UsageCounts = { input: promptTokens(body, tokensOf(context)), output, reasoning, cached: 0 }
  if (given !== undefined) counts = scriptedCounts(counts, given)
  const caches = asksForCaching(body) || counts.cached > 0
  return {
    id: mintId('msg_', world.tag, identity),
    model: body.model,
    blocks: blocks.map((block, index) =>
      block.kind === 'call'
        ? { ...block, id: block.id ?? mintId('toolu_', world.tag, identity.fork(`block ${index}`), 24) }
        : block,
    ),
    stopReason,
    stopSequence,
    steps,
    waits,
    usage: {
      // Cached tokens are not part of this API's input tokens.
      input_tokens: Math.max(0, counts.input - counts.cached),
      ...(caches ? { cache_creation_input_tokens: 0, cache_read_input_tokens: counts.cached } : {}),
      output_tokens: counts.output,
    },
  }
}

interface Counted extends Said, Pick<UsageCounts, 'output' | 'reasoning'> {
  /** What a script says of its usage. */
  readonly given: Partial<UsageCounts> | undefined
}

function byDefault(
  call: Call<MessagesRequest>,
  turns: readonly Turn[],
  { tools, format, schemas }: Asked,
  context: Context,
): Counted {
  const { body, content, plan } = call
  const conversation = readConversation(body.system, turns)
  const prefill = prefillOf(turns)
  const choice = readChoice(body)
  const answer = prepareAnswer(
    {
      conversation,
      tools,
      // A prefilled answer is continued.
      choice: prefill !== '' && choice.mode === 'auto' ? { mode: 'none' } : choice,
      parallel: readParallel(body),
      format: beginsJson(prefill) ? { kind: 'json' } : format,
      verbosity: 'medium',
      planned: plan.answer,
      schemas,
      now: call.now,
    },
    () => fakesOf(context),
    context.note,
  )(content)
  const limits = {
    maxTokens: body.max_tokens,
    stopSequences: body.stop_sequences ?? [],
    cut: plan.answer?.finish,
  }
  const thought = thoughtFor(call, conversation)
  const said = outputOf(continuing(prefill, answer), thought, limits, tokensOf(context))
  const { blocks, stopReason, stopSequence, tokens: output } = said
  return { blocks, stopReason, stopSequence, waits: 0, output, reasoning: 0, given: undefined }
}

function continuing(prefill: string, answer: ModelAnswer): ModelAnswer {
  if (prefill === '' || answer.kind !== 'text') return answer
  return { ...answer, text: continued(prefill, answer.text, answer.given) }
}

const stopReasons: Readonly<Record<FinishWord | 'function_call' | 'stop_sequence', StopReason>> = {
  stop: 'end_turn',
  stop_sequence: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  function_call: 'tool_use',
  content_filter: 'refusal',
}

/** A script within the limits of the call; without them when it breaks the contract on purpose. */
function byScript(call: Call<MessagesRequest>, script: Script, context: Context): Counted {
  const { body, plan } = call
  const limits = { tokens: body.max_tokens, stop: body.stop_sequences ?? [] }
  const spoken = tokenizeScript(script, tokensOf(context), plan.offContract === true ? undefined : limits)
  const { all: output, reasoning } = spoken.tokens
  return {
    ...layOut(spoken, call),
    ...stopOf(spoken, limits.stop),
    waits: spoken.waits,
    output,
    reasoning,
    given: spoken.usage,
  }
}

function stopOf(
  { cut, finish, sequence, parts }: TokenizedScript,
  sequences: readonly string[],
): Pick<Said, 'stopReason' | 'stopSequence'> {
  const ended = (stopReason: StopReason, stopSequence: string | null = null) => ({ stopReason, stopSequence })
  if (cut !== undefined) return cut.by === 'stop' ? ended('stop_sequence', cut.sequence) : ended('max_tokens')
  // A script that names none was stopped by one that the call has asked for, if it has.
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

/** A block while it is written. */
type OpenBlock = Block & { readonly id?: string | undefined; readonly pieces?: Piece[] }

function layOut(
  { parts }: TokenizedScript,
  { body, content, plan }: Call<MessagesRequest>,
): Pick<Said, 'blocks' | 'steps'> {
  const blocks: OpenBlock[] = []
  const steps: Step[] = []
  // The last block, as long as the next item can continue it.
  let open: 'text' | 'refusal' | 'reasoning' | undefined
  const begin = (block: OpenBlock): void => void steps.push({ kind: 'open', block: blocks.push(block) - 1 })
  const say = (pieces: readonly Piece[]): void => {
    const block = blocks.length - 1
    steps.push({ kind: 'say', block, pieces })
    for (const piece of pieces) blocks[block]?.pieces?.push(piece)
  }
  const redacted = (data?: string): OpenBlock => ({
    kind: 'redacted',
    data: data ?? redactedOf(content.fork(`thinking ${blocks.length}`)),
  })
  const thought = (signature?: string): OpenBlock => {
    if (plan.answer?.redactedThinking === true) return redacted()
    const own = signature ?? signatureOf(content.fork(`thinking ${blocks.length}`))
    return { kind: 'thinking', pieces: [], shown: isShown(body), signature: own }
  }
  for (const part of parts) {
    switch (part.kind) {
      case 'text':
      case 'refusal':
      case 'reasoning': {
        // Items of one kind continue the same block, so that a script can wait in the middle of a text; what
        // cites, or has a signature of its own, is a block by itself. This API has no blocks of empty text.
        const isAlone = part.citations !== undefined || part.signature !== undefined
        if (isAlone) open = undefined
        if (open !== part.kind) {
          if (part.kind !== 'reasoning' && part.text === '') break
          begin(part.kind === 'reasoning' ? thought(part.signature) : textBlock(part.citations))
          open = isAlone ? undefined : part.kind
        }
        say(part.pieces)
        for (const citation of citationsOf(part.citations ?? []))
          steps.push({ kind: 'cite', block: blocks.length - 1, citation })
        break
      }
      case 'redacted':
        begin(redacted(part.data))
        open = undefined
        break
      case 'calls':
        for (const { name, id, input, pieces } of part.calls) {
          begin({ kind: 'call', name, id, pieces: [], whole: isWholeObject(input) })
          say(pieces)
        }
        open = undefined
        break
      case 'usage':
        break
      default:
        steps.push(part)
    }
  }
  return { blocks, steps }
}

const textBlock = (citations: readonly ScriptedCitation[] | undefined): OpenBlock =>
  citations === undefined
    ? { kind: 'text', pieces: [] }
    : { kind: 'text', pieces: [], citations: citationsOf(citations) }

/**
 * What a script cites: an address becomes a result of a web search, a citation in the words of this API stays
 * as it is, and one of another API is left out.
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

// A request that hides thinking gets none, even from a script.
function isShown({ thinking }: MessagesRequest): boolean {
  return !((thinking?.type === 'enabled' || thinking?.type === 'adaptive') && thinking.display === 'omitted')
}
