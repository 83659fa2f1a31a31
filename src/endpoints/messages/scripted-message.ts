/**
 * A scripted message before it takes a wire form, plain or streamed: blocks in sequence, and what happens
 * between their pieces. Blocks of this API cannot interleave.
 */
import {
  scriptedCounts,
  type TokenizedScript,
  tokenizeScript,
  type WireItem,
} from '../../behaviours/answers/scripted-text.ts'
import type { Piece } from '../../behaviours/tokens/pieces.ts'
import { tokensOf } from '../../behaviours/tokens/tokens.ts'
import { mintId } from '../../engine/ids.ts'
import type { Call } from '../../protocol/call.ts'
import type { Context } from '../../protocol/endpoint.ts'
import type { Reply } from '../../protocol/reply.ts'
import type { FinishWord, Script } from '../../protocol/script.ts'
import type { Message, NamedBlock } from './message.ts'
import type { StopReason } from './output.ts'
import { isWholeObject } from './partial-json.ts'
import { plainReply } from './plain.ts'
import { asksForCaching, promptTokens } from './prompt-tokens.ts'
import type { MessagesRequest } from './request.ts'
import { redactedOf, signatureOf } from './thinking.ts'

/** What the stream does, one after the other; `block` is an index. */
export type Step =
  | { readonly kind: 'open'; readonly block: number }
  | { readonly kind: 'piece'; readonly block: number; readonly piece: Piece }
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
 * The message of a script for a valid request. Scripts are exact: no limit and no stop sequence cuts them.
 */
export function scriptedMessage(
  call: Call<MessagesRequest>,
  script: Script,
  context: Context,
): ScriptedMessage {
  const { body, identity } = call
  const { world } = context
  const tokens = tokensOf(context)
  const spoken = tokenizeScript(script, tokens)
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
    stopReason: spoken.finish === undefined ? impliedStop(spoken) : stopReasons[spoken.finish],
    stopSequence: null,
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

function impliedStop({ parts }: TokenizedScript): StopReason {
  if (parts.some(({ kind }) => kind === 'calls')) return 'tool_use'
  return parts.some(({ kind }) => kind === 'refusal') ? 'refusal' : 'end_turn'
}

function layOut(
  { parts }: TokenizedScript,
  { body, content, plan }: Call<MessagesRequest>,
  mintCallId: (index: number) => string,
): { readonly blocks: readonly NamedBlock[]; readonly steps: readonly Step[] } {
  const blocks: (NamedBlock & { pieces?: Piece[] })[] = []
  const steps: Step[] = []
  // The last block, as long as the next item can continue it.
  let open: 'text' | 'refusal' | 'reasoning' | undefined
  const begin = (block: NamedBlock & { pieces?: Piece[] }): void =>
    void steps.push({ kind: 'open', block: blocks.push(block) - 1 })
  const say = (pieces: readonly Piece[]): void => {
    const block = blocks.length - 1
    for (const piece of pieces) {
      blocks[block]?.pieces?.push(piece)
      steps.push({ kind: 'piece', block, piece })
    }
  }
  const thought = (): NamedBlock & { pieces?: Piece[] } => {
    const random = content.fork(`thinking ${blocks.length}`)
    if (plan.answer?.redactedThinking === true) return { kind: 'redacted', data: redactedOf(random) }
    return { kind: 'thinking', pieces: [], shown: isShown(body), signature: signatureOf(random) }
  }
  for (const part of parts) {
    switch (part.kind) {
      case 'text':
      case 'refusal':
      case 'reasoning':
        // Items of one kind continue the same block, so that a script can wait in the middle of a text.
        // This API has no blocks of empty text.
        if (open !== part.kind) {
          if (part.kind !== 'reasoning' && part.text === '') break
          begin(part.kind === 'reasoning' ? thought() : { kind: 'text', pieces: [] })
          open = part.kind
        }
        say(part.pieces)
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

// A request that hides thinking gets none, even from a script.
function isShown({ thinking }: MessagesRequest): boolean {
  return !((thinking?.type === 'enabled' || thinking?.type === 'adaptive') && thinking.display === 'omitted')
}
