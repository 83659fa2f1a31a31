/**
 * A scripted message before it takes a wire form, plain or streamed: blocks in sequence, and what happens
 * between their pieces. Blocks of this API cannot interleave.
 */
import {
  scriptedCounts,
  type TokenizedScript,
  tokenizeScript,
} from '../../behaviours/answers/scripted-text.ts'
import type { WireItem } from '../../behaviours/answers/tokenized-script.ts'
import type { Piece } from '../../behaviours/tokens/pieces.ts'
import { tokensOf } from '../../behaviours/tokens/tokens.ts'
import { mintId } from '../../engine/ids.ts'
import type { Random } from '../../engine/random.ts'
import type { Call } from '../../protocol/call.ts'
import type { Context } from '../../protocol/endpoint.ts'
import type { Reply } from '../../protocol/reply.ts'
import type { FinishWord, OwnFinishWord, Script, ScriptedCitation } from '../../protocol/script.ts'
import { citationsOf } from './citation.ts'
import type { Message, NamedBlock } from './message.ts'
import type { Citation, StopReason } from './output.ts'
import { isWholeObject } from './partial-json.ts'
import { plainReply } from './plain.ts'
import { asksForCaching, promptTokens } from './prompt-tokens.ts'
import type { MessagesRequest } from './request.ts'
import { redactedOf, signatureOf } from './thinking.ts'

/** What the stream does, one after the other; `block` is an index. */
export type Step =
  | { readonly kind: 'open'; readonly block: number }
  | { readonly kind: 'piece'; readonly block: number; readonly piece: Piece }
  | { readonly kind: 'cite'; readonly block: number; readonly citation: Citation }
  | WireItem
  /** Closes the last block and says why it ends; only happenings follow. */
  | { readonly kind: 'finish' }

export interface ScriptedMessage {
  readonly message: Message
  readonly steps: readonly Step[]
  /** Virtual milliseconds. */
  readonly waits: number
}

const stopReasons: Readonly<Record<FinishWord, StopReason>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
}

/**
 * The message of a script for a valid request, within the limits of the call; without them when it breaks the
 * contract on purpose.
 */
export function scriptedMessage(
  call: Call<MessagesRequest>,
  script: Script,
  context: Context,
): ScriptedMessage {
  const { body, identity, plan } = call
  const { world } = context
  const tokens = tokensOf(context)
  const limits = { tokens: body.max_tokens, stop: body.stop_sequences ?? [] }
  const spoken = tokenizeScript(script, tokens, plan.offContract === true ? undefined : limits)
  const { blocks, steps } = layOut(spoken, call, (index) =>
    mintId('toolu_', world.tag, identity.fork(`block ${index}`), 24),
  )
  const counts = scriptedCounts(
    {
      input: promptTokens(body, tokens),
      output: spoken.tokens.all,
      reasoning: spoken.tokens.reasoning,
      cached: 0,
    },
    spoken.usage,
  )
  const caches = asksForCaching(body) || counts.cached > 0
  const message: Message = {
    id: mintId('msg_', world.tag, identity),
    model: body.model,
    blocks,
    ...stopOf(spoken, limits.stop),
    usage: {
      // Cached tokens are not part of this API's input tokens.
      input_tokens: Math.max(0, counts.input - counts.cached),
      ...(caches ? { cache_creation_input_tokens: 0, cache_read_input_tokens: counts.cached } : {}),
      output_tokens: counts.output,
    },
  }
  return { message, steps, waits: spoken.waits }
}

/** The same blocks in one body. What only a stream can show (raw frames, faults of streams) is not in it. */
export function scriptedPlainReply({ message, waits }: ScriptedMessage): Reply {
  const reply = plainReply(message)
  return waits === 0 ? reply : { ...reply, delay: waits }
}

function stopOf(
  spoken: TokenizedScript,
  sequences: readonly string[],
): Pick<Message, 'stopReason' | 'stopSequence'> {
  const { cut, finish, sequence } = spoken
  if (cut?.by === 'stop') return { stopReason: 'stop_sequence', stopSequence: cut.sequence }
  if (cut !== undefined) return { stopReason: 'max_tokens', stopSequence: null }
  // A script that names none was stopped by one that the call has asked for.
  if (finish === 'stop_sequence')
    return { stopReason: finish, stopSequence: sequence ?? sequences[0] ?? null }
  return {
    stopReason: finish === undefined ? impliedStop(spoken) : stopReasonOf(finish),
    stopSequence: null,
  }
}

function stopReasonOf(finish: FinishWord | OwnFinishWord): StopReason {
  if (finish === 'function_call') return 'tool_use'
  return Object.hasOwn(stopReasons, finish) ? stopReasons[finish as FinishWord] : (finish as StopReason)
}

function impliedStop({ parts }: TokenizedScript): StopReason {
  if (parts.some(({ kind }) => kind === 'calls')) return 'tool_use'
  return parts.some(({ kind }) => kind === 'refusal') ? 'refusal' : 'end_turn'
}

/** A block while it is written. */
type OpenBlock = NamedBlock & { pieces?: Piece[] }

function layOut(
  { parts }: TokenizedScript,
  { body, content, plan }: Call<MessagesRequest>,
  mintCallId: (index: number) => string,
): { readonly blocks: readonly NamedBlock[]; readonly steps: readonly Step[] } {
  const blocks: OpenBlock[] = []
  const steps: Step[] = []
  // The last block, as long as the next item can continue it.
  let open: 'text' | 'refusal' | 'reasoning' | undefined
  const begin = (block: OpenBlock): void => void steps.push({ kind: 'open', block: blocks.push(block) - 1 })
  const say = (pieces: readonly Piece[]): void => {
    const block = blocks.length - 1
    for (const piece of pieces) {
      blocks[block]?.pieces?.push(piece)
      steps.push({ kind: 'piece', block, piece })
    }
  }
  const chance = (): Random => content.fork(`thinking ${blocks.length}`)
  const redacted = (data = redactedOf(chance())): OpenBlock => ({ kind: 'redacted', data })
  const thought = (signature = signatureOf(chance())): OpenBlock =>
    plan.answer?.redactedThinking === true
      ? redacted()
      : { kind: 'thinking', pieces: [], shown: isShown(body), signature }
  for (const part of parts) {
    switch (part.kind) {
      case 'text':
      case 'refusal':
      case 'reasoning':
        // Items of one kind continue the same block, so that a script can wait in the middle of a text; what
        // cites, or has a signature of its own, is a block by itself. This API has no blocks of empty text.
        if (part.citations !== undefined || part.signature !== undefined) open = undefined
        if (open !== part.kind) {
          if (part.kind !== 'reasoning' && part.text === '') break
          begin(part.kind === 'reasoning' ? thought(part.signature) : textBlock(part.citations))
          open = part.citations === undefined && part.signature === undefined ? part.kind : undefined
        }
        say(part.pieces)
        for (const citation of citationsOf(part.citations ?? []))
          steps.push({ kind: 'cite', block: blocks.length - 1, citation })
        break
      case 'redacted':
        begin(redacted(part.data))
        open = undefined
        break
      case 'calls':
        for (const { name, id, input, pieces } of part.calls) {
          begin({
            kind: 'call',
            name,
            id: id ?? mintCallId(blocks.length),
            pieces: [],
            whole: isWholeObject(input),
          })
          say(pieces)
        }
        open = undefined
        break
      case 'usage':
        break
      case 'finish':
        steps.push({ kind: 'finish' })
        break
      default:
        steps.push(part)
    }
  }
  return { blocks, steps }
}

const textBlock = (citations: readonly ScriptedCitation[] | undefined): OpenBlock => ({
  kind: 'text',
  pieces: [],
  ...(citations === undefined ? {} : { citations: citationsOf(citations) }),
})

// A request that hides thinking gets none, even from a script.
function isShown({ thinking }: MessagesRequest): boolean {
  return !((thinking?.type === 'enabled' || thinking?.type === 'adaptive') && thinking.display === 'omitted')
}
