/** A message as one JSON body (contract 2.7, wire-formats 3.2). */
import type { Piece } from '../../behaviours/tokens/pieces.ts'
import { json, type Reply } from '../../protocol/reply.ts'
import type { Message, NamedBlock } from './message.ts'
import { objectOf } from './partial-json.ts'

export function plainReply({ id, model, blocks, stopReason, stopSequence, usage }: Message): Reply {
  return json({
    id,
    type: 'message',
    role: 'assistant',
    model,
    content: blocks.map(wireBlock),
    stop_reason: stopReason,
    stop_sequence: stopSequence,
    usage,
  })
}

function wireBlock(block: NamedBlock): unknown {
  switch (block.kind) {
    case 'thinking':
      return {
        type: 'thinking',
        thinking: block.shown ? joined(block.pieces) : '',
        signature: block.signature,
      }
    case 'redacted':
      return { type: 'redacted_thinking', data: block.data }
    case 'text':
      return {
        type: 'text',
        text: joined(block.pieces),
        ...(block.citations === undefined ? {} : { citations: block.citations }),
      }
    case 'call': {
      const input = joined(block.pieces)
      return {
        type: 'tool_use',
        id: block.id,
        name: block.name,
        input: block.whole ? (JSON.parse(input) as unknown) : objectOf(input),
      }
    }
  }
}

const joined = (pieces: readonly Piece[]): string => pieces.map(({ text }) => text).join('')
