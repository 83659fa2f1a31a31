/**
 * A message as server-sent events, byte for byte as wire-formats 3.3. The texts are put together from their constant
 * parts: a stream of a hundred deltas must not cost a hundred objects.
 */
import type { PlannedPace } from '../../protocol/plan.ts'
import { events, type Reply, type StreamEvent } from '../../protocol/reply.ts'
import type { Settings } from '../../protocol/settings.ts'
import type { Message, NamedBlock } from './message.ts'

export function streamReply({ id, model, blocks, stopReason, stopSequence, usage }: Message, pace: PlannedPace | undefined, { messages }: Settings): Reply {
  const every = pace?.every ?? messages.tokenEvery
  const list: StreamEvent[] = []
  const say = (event: string, fields: string, after = 0): void => void list.push({ after, event, data: `{"type":"${event}"${fields}}` })
  const ping = (): void => void list.push({ after: 0, event: 'ping', data: '{"type": "ping"}' })

  // One token is counted when the answer begins; the last event has the true count.
  const started = { ...usage, output_tokens: Math.min(1, usage.output_tokens) }
  const head = `{"id":${JSON.stringify(id)},"type":"message","role":"assistant","model":${JSON.stringify(model)},"content":[],"stop_reason":null,"stop_sequence":null,"usage":${JSON.stringify(started)}}`
  say('message_start', `,"message":${head}`, pace?.firstAfter ?? messages.firstTokenAfter)
  if (blocks.length === 0) ping()
  for (const [index, block] of blocks.entries()) {
    say('content_block_start', `,"index":${index},"content_block":${startOf(block)}`)
    if (index === 0) ping()
    for (const delta of deltasOf(block)) say('content_block_delta', `,"index":${index},"delta":${delta}`, every)
    say('content_block_stop', `,"index":${index}`)
  }
  say('message_delta', `,"delta":{"stop_reason":"${stopReason}","stop_sequence":${JSON.stringify(stopSequence)}},"usage":{"output_tokens":${usage.output_tokens}}`)
  say('message_stop', '')
  return events(list)
}

function startOf(block: NamedBlock): string {
  switch (block.kind) {
    case 'thinking':
      return '{"type":"thinking","thinking":"","signature":""}'
    case 'redacted':
      return `{"type":"redacted_thinking","data":"${block.data}"}`
    case 'text':
      return '{"type":"text","text":""}'
    case 'call':
      return `{"type":"tool_use","id":"${block.id}","name":${JSON.stringify(block.name)},"input":{}}`
  }
}

function* deltasOf(block: NamedBlock): Generator<string> {
  switch (block.kind) {
    case 'thinking':
      if (block.shown) for (const { quoted } of block.pieces) yield `{"type":"thinking_delta","thinking":${quoted}}`
      yield `{"type":"signature_delta","signature":"${block.signature}"}`
      return
    case 'redacted':
      return
    case 'text':
      for (const { quoted } of block.pieces) yield `{"type":"text_delta","text":${quoted}}`
      return
    case 'call':
      yield '{"type":"input_json_delta","partial_json":""}'
      for (const { quoted } of block.pieces) yield `{"type":"input_json_delta","partial_json":${quoted}}`
  }
}
