/**
 * A message in one JSON body or as server-sent events, byte for byte as the upstream sends it. Texts are
 * concatenated from constant parts: a stream of a hundred deltas must not cost a hundred objects.
 */
import { ScriptedEvents, type StreamPace } from '../../behaviours/scripts/scripted-events.ts'
import { isFields, jsonIn } from '../../engine/fields.ts'
import { json, type PlainResponse } from '../../protocol/response.ts'
import type { Block, Message } from './answer.ts'

/** One body, without parts that only streams can have (raw frames, stream faults). */
export function plainResponse(message: Message): PlainResponse {
  const { id, model, blocks, stopReason, stopSequence, usage, waits } = message
  const response = json({
    id,
    type: 'message',
    role: 'assistant',
    model,
    content: blocks.map((block) => wireBlock(block, true)),
    stop_reason: stopReason,
    stop_sequence: stopSequence,
    usage,
  })
  return waits === 0 ? response : { ...response, delay: waits }
}

/** A whole block, or as a stream starts it: without its content. */
function wireBlock(block: Block, isWhole: boolean): unknown {
  const text = isWhole ? block.items.map((one) => (one.kind === 'say' ? one.encoded.text : '')).join('') : ''
  switch (block.kind) {
    case 'thinking': {
      const { shown, signature } = block
      return { type: 'thinking', thinking: shown ? text : '', signature: isWhole ? signature : '' }
    }
    case 'redacted':
      return { type: 'redacted_thinking', data: block.data }
    case 'text':
      return { type: 'text', text, ...(isWhole && block.citations && { citations: block.citations }) }
    case 'call':
      return { type: 'tool_use', id: block.id, name: block.name, input: inputOf(text) }
  }
}

/** The input of a tool; empty if a token limit has cut it. */
function inputOf(text: string): unknown {
  const input = jsonIn(text)
  return isFields(input) ? input : {}
}

/** The start of the deltas of a block. */
const deltas = {
  text: '{"type":"text_delta","text":',
  call: '{"type":"input_json_delta","partial_json":',
  thinking: '{"type":"thinking_delta","thinking":',
} as const

/** Server-sent events. */
export function streamResponse(message: Message, pace: StreamPace): PlainResponse {
  const { id, model, blocks, before, after, stopReason, stopSequence, usage } = message
  const written = new ScriptedEvents(pace)
  const say = (event: string, fields: string, delay = 0): void =>
    written.addEvent({ after: delay, event, data: `{"type":"${event}"${fields}}` })
  const ping = (): void => written.addEvent({ after: 0, event: 'ping', data: '{"type": "ping"}' })
  for (const item of before) written.addItem(item)
  // The initial message counts one token, and the last event has the final count.
  const started = { ...usage, output_tokens: Math.min(1, usage.output_tokens) }
  say(
    'message_start',
    `,"message":{"id":${JSON.stringify(id)},"type":"message","role":"assistant",` +
      `"model":${JSON.stringify(model)},"content":[],"stop_reason":null,"stop_sequence":null,` +
      `"usage":${JSON.stringify(started)}}`,
  )
  if (blocks.length === 0) ping()
  for (const [index, block] of blocks.entries()) {
    say('content_block_start', `,"index":${index},"content_block":${JSON.stringify(wireBlock(block, false))}`)
    if (index === 0) ping()
    addDeltas(block, index, pace.eventInterval, written)
    say('content_block_stop', `,"index":${index}`)
  }
  say(
    'message_delta',
    `,"delta":{"stop_reason":"${stopReason}","stop_sequence":${JSON.stringify(stopSequence)}},` +
      `"usage":{"output_tokens":${usage.output_tokens}}`,
  )
  for (const item of after) written.addItem(item)
  say('message_stop', '')
  return written.response()
}

/** The events between the start and the stop of a block. */
function addDeltas(block: Block, index: number, interval: number, written: ScriptedEvents): void {
  const hasDeltas = block.kind !== 'redacted' && (block.kind !== 'thinking' || block.shown)
  const event = { after: interval, event: 'content_block_delta' }
  const head = `{"type":"content_block_delta","index":${index},"delta":`
  const delta = (text: string): void => written.addEvent({ ...event, data: `${head}${text}}` })
  if (block.kind === 'call') delta(`${deltas.call}""}`)
  for (const item of block.items) {
    if (item.kind === 'cite') delta(`{"type":"citations_delta","citation":${JSON.stringify(item.citation)}}`)
    else if (item.kind !== 'say') written.addItem(item)
    else if (hasDeltas)
      written.addRun({
        ...event,
        head: head + deltas[block.kind],
        parts: item.encoded.tokenTexts.map(({ quoted }) => quoted),
        tail: '}}',
      })
  }
  if (block.kind === 'thinking') delta(`{"type":"signature_delta","signature":"${block.signature}"}`)
}
