/** A scripted message as server-sent events, in the forms of wire-formats 3.3. */
import { ScriptedEvents, type StreamPace } from '../../behaviours/answers/scripted-events.ts'
import type { Reply } from '../../protocol/reply.ts'
import type { NamedBlock } from './message.ts'
import type { ScriptedMessage } from './scripted-message.ts'
import { blockStart, pieceDelta, signatureDelta, startOf } from './stream.ts'

export function scriptedStreamReply({ message, steps }: ScriptedMessage, pace: StreamPace): Reply {
  const { blocks, stopReason, stopSequence, usage } = message
  const written = new ScriptedEvents(pace)
  const say = (event: string, fields: string, after = 0): void =>
    written.addEvent({ event, data: `{"type":"${event}"${fields}}` }, after)
  const ping = (): void => written.addEvent({ event: 'ping', data: '{"type": "ping"}' }, 0)
  let begun = false
  const begin = (): void => {
    if (!begun) say('message_start', `,"message":${startOf(message)}`)
    begun = true
  }
  const delta = (block: number, text: string): void =>
    say('content_block_delta', `,"index":${block},"delta":${text}`, pace.every)
  let open: number | undefined
  // A block stays open until the next one begins, so whatever follows its last piece happens inside it.
  const close = (): void => {
    if (open === undefined) return
    const { kind, signature } = blocks[open] as NamedBlock & { signature?: string }
    if (kind === 'thinking') delta(open, signatureDelta(signature as string))
    say('content_block_stop', `,"index":${open}`)
    open = undefined
  }
  for (const step of steps) {
    switch (step.kind) {
      case 'open': {
        begin()
        close()
        open = step.block
        const block = blocks[step.block] as NamedBlock
        say('content_block_start', `,"index":${step.block},"content_block":${blockStart(block)}`)
        if (step.block === 0) ping()
        if (block.kind === 'call') delta(step.block, pieceDelta('call', '""'))
        break
      }
      case 'piece': {
        const block = blocks[step.block] as NamedBlock
        if (block.kind === 'redacted' || (block.kind === 'thinking' && !block.shown)) break
        delta(step.block, pieceDelta(block.kind, step.piece.quoted))
        break
      }
      case 'cite':
        delta(step.block, `{"type":"citations_delta","citation":${JSON.stringify(step.citation)}}`)
        break
      case 'finish':
        begin()
        if (blocks.length === 0) ping()
        close()
        say(
          'message_delta',
          `,"delta":{"stop_reason":"${stopReason}","stop_sequence":${JSON.stringify(stopSequence)}},` +
            `"usage":{"output_tokens":${usage.output_tokens}}`,
        )
        break
      default:
        written.addItem(step)
    }
  }
  say('message_stop', '')
  return written.reply()
}
