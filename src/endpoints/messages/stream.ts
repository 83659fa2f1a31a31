/**
 * A message as server-sent events, byte for byte as in wire-formats 3.3. Texts are concatenated from
 * constant parts: a stream of a hundred deltas must not cost a hundred objects.
 */
import type { StreamPace } from '../../behaviours/answers/scripted-events.ts'
import type { PlannedPace } from '../../protocol/plan.ts'
import { events, type Reply, type StreamEvent } from '../../protocol/reply.ts'
import type { Settings } from '../../protocol/settings.ts'
import type { Message, NamedBlock } from './message.ts'

export function streamReply(message: Message, pace: PlannedPace | undefined, { messages }: Settings): Reply {
  const { blocks, stopReason, stopSequence, usage } = message
  const { firstAfter, every } = paceOf(pace, messages)
  const list: StreamEvent[] = []
  const say = (event: string, fields: string, after = 0): void =>
    void list.push({ after, event, data: `{"type":"${event}"${fields}}` })
  const ping = (): void => void list.push({ after: 0, event: 'ping', data: '{"type": "ping"}' })

  say('message_start', `,"message":${startOf(message)}`, firstAfter)
  if (blocks.length === 0) ping()
  for (const [index, block] of blocks.entries()) {
    say('content_block_start', `,"index":${index},"content_block":${blockStart(block)}`)
    if (index === 0) ping()
    for (const delta of deltasOf(block))
      say('content_block_delta', `,"index":${index},"delta":${delta}`, every)
    say('content_block_stop', `,"index":${index}`)
  }
  say(
    'message_delta',
    `,"delta":{"stop_reason":"${stopReason}","stop_sequence":${JSON.stringify(stopSequence)}},` +
      `"usage":{"output_tokens":${usage.output_tokens}}`,
  )
  say('message_stop', '')
  return events(list)
}

/** How a stream is paced: as planned, as the settings say otherwise. */
export function paceOf(planned: PlannedPace | undefined, messages: Settings['messages']): StreamPace {
  return {
    firstAfter: planned?.firstAfter ?? messages.firstTokenAfter,
    every: planned?.every ?? messages.tokenEvery,
  }
}

/** The message as it begins: one token is counted, and the last event has the true count. */
export function startOf({ id, model, usage }: Message): string {
  const started = { ...usage, output_tokens: Math.min(1, usage.output_tokens) }
  return (
    `{"id":${JSON.stringify(id)},"type":"message","role":"assistant","model":${JSON.stringify(model)},` +
    `"content":[],"stop_reason":null,"stop_sequence":null,"usage":${JSON.stringify(started)}}`
  )
}

/** A block as it begins. */
export function blockStart(block: NamedBlock): string {
  switch (block.kind) {
    case 'thinking':
      return '{"type":"thinking","thinking":"","signature":""}'
    case 'redacted':
      return `{"type":"redacted_thinking","data":"${block.data}"}`
    case 'text':
      return '{"type":"text","text":""}'
    case 'call':
      return (
        `{"type":"tool_use","id":${JSON.stringify(block.id)},"name":${JSON.stringify(block.name)},` +
        '"input":{}}'
      )
  }
}

/** One piece of what a block says. */
export function pieceDelta(kind: 'thinking' | 'text' | 'call', quoted: string): string {
  return kind === 'text'
    ? `{"type":"text_delta","text":${quoted}}`
    : kind === 'call'
      ? `{"type":"input_json_delta","partial_json":${quoted}}`
      : `{"type":"thinking_delta","thinking":${quoted}}`
}

/** What a thought ends with. */
export const signatureDelta = (signature: string): string =>
  `{"type":"signature_delta","signature":"${signature}"}`

function* deltasOf(block: NamedBlock): Generator<string> {
  switch (block.kind) {
    case 'thinking':
      if (block.shown) for (const { quoted } of block.pieces) yield pieceDelta('thinking', quoted)
      yield signatureDelta(block.signature)
      return
    case 'redacted':
      return
    case 'text':
      for (const { quoted } of block.pieces) yield pieceDelta('text', quoted)
      return
    case 'call':
      yield pieceDelta('call', '""')
      for (const { quoted } of block.pieces) yield pieceDelta('call', quoted)
  }
}
