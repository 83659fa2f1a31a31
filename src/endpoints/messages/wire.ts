/**
 * A message in one JSON body or as server-sent events, byte for byte as the upstream sends it. Texts are
 * concatenated from constant parts: a stream of a hundred deltas must not cost a hundred objects.
 */
import { ScriptedEvents, type StreamPace } from '../../behaviours/scripts/scripted-events.ts'
import { isFields, jsonIn } from '../../engine/fields.ts'
import { json, type PlainResponse } from '../../protocol/response.ts'
import type { Block, Message, Step } from './answer.ts'

/** One body, without parts that only streams can have (raw frames, stream faults). */
export function plainResponse(message: Message): PlainResponse {
  const { id, model, blocks, stopReason, stopSequence, usage, waits } = message
  const response = json({
    id,
    type: 'message',
    role: 'assistant',
    model,
    content: blocks.map(wireBlock),
    stop_reason: stopReason,
    stop_sequence: stopSequence,
    usage,
  })
  return waits === 0 ? response : { ...response, delay: waits }
}

function wireBlock(block: Block): unknown {
  switch (block.kind) {
    case 'thinking':
      return { type: 'thinking', thinking: block.shown ? block.text : '', signature: block.signature }
    case 'redacted':
      return { type: 'redacted_thinking', data: block.data }
    case 'text':
      return { type: 'text', text: block.text, ...(block.citations && { citations: block.citations }) }
    case 'call':
      return { type: 'tool_use', id: block.id, name: block.name, input: inputOf(block.text) }
  }
}

/** The input of a tool; empty if a token limit has cut it. */
function inputOf(text: string): unknown {
  const input = jsonIn(text)
  return isFields(input) ? input : {}
}

/** Server-sent events. */
export function streamResponse(message: Message, pace: StreamPace): PlainResponse {
  const stream = new MessageEvents(message, pace)
  for (const step of message.steps) stream.add(step)
  return stream.response()
}

class MessageEvents {
  readonly #message: Message
  readonly #every: number
  readonly #written: ScriptedEvents
  #begun = false
  #open: number | undefined

  constructor(message: Message, pace: StreamPace) {
    this.#message = message
    this.#every = pace.eventInterval
    this.#written = new ScriptedEvents(pace)
  }

  add(step: Step): void {
    switch (step.kind) {
      case 'open':
        this.#begin()
        this.#close()
        this.#openBlock(step.block)
        break
      case 'say': {
        const block = this.#block(step.block)
        if (block.kind === 'redacted' || (block.kind === 'thinking' && !block.shown)) break
        this.#written.addRun({
          after: this.#every,
          event: 'content_block_delta',
          head: `{"type":"content_block_delta","index":${step.block},"delta":${deltas[block.kind]}`,
          parts: step.said.tokenTexts.map(({ quoted }) => quoted),
          tail: '}}',
        })
        break
      }
      case 'cite':
        this.#delta(step.block, `{"type":"citations_delta","citation":${JSON.stringify(step.citation)}}`)
        break
      case 'finish':
        this.#begin()
        if (this.#message.blocks.length === 0) this.#ping()
        this.#close()
        this.#finish()
        break
      default:
        this.#written.addItem(step)
    }
  }

  response(): PlainResponse {
    this.#say('message_stop', '')
    return this.#written.response()
  }

  #say(event: string, fields: string, after: number = 0): void {
    this.#written.addEvent({ after, event, data: `{"type":"${event}"${fields}}` })
  }

  #ping(): void {
    this.#written.addEvent({ after: 0, event: 'ping', data: '{"type": "ping"}' })
  }

  #delta(block: number, text: string): void {
    this.#say('content_block_delta', `,"index":${block},"delta":${text}`, this.#every)
  }

  #block(index: number): Block {
    return this.#message.blocks[index] as Block
  }

  /** The initial message: it counts one token, and the last event has the final count. */
  #begin(): void {
    if (this.#begun) return
    this.#begun = true
    const { id, model, usage } = this.#message
    const started = { ...usage, output_tokens: Math.min(1, usage.output_tokens) }
    this.#say(
      'message_start',
      `,"message":{"id":${JSON.stringify(id)},"type":"message","role":"assistant",` +
        `"model":${JSON.stringify(model)},"content":[],"stop_reason":null,"stop_sequence":null,` +
        `"usage":${JSON.stringify(started)}}`,
    )
  }

  #openBlock(index: number): void {
    const block = this.#block(index)
    this.#open = index
    this.#say(
      'content_block_start',
      `,"index":${index},"content_block":${JSON.stringify(wireBlock(begun(block)))}`,
    )
    if (index === 0) this.#ping()
    if (block.kind === 'call') this.#delta(index, `${deltas.call}""}`)
  }

  // A block stays open until the next one starts: events after its last chunk happen inside it.
  #close(): void {
    const index = this.#open
    if (index === undefined) return
    const block = this.#block(index)
    if (block.kind === 'thinking')
      this.#delta(index, `{"type":"signature_delta","signature":"${block.signature}"}`)
    this.#say('content_block_stop', `,"index":${index}`)
    this.#open = undefined
  }

  #finish(): void {
    const { stopReason, stopSequence, usage } = this.#message
    this.#say(
      'message_delta',
      `,"delta":{"stop_reason":"${stopReason}","stop_sequence":${JSON.stringify(stopSequence)}},` +
        `"usage":{"output_tokens":${usage.output_tokens}}`,
    )
  }
}

/** An empty block. */
function begun(block: Block): Block {
  if (block.kind === 'text') return { kind: 'text', text: '' }
  return block.kind === 'thinking' ? { ...block, text: '', signature: '' } : { ...block, text: '' }
}

/** The start of the deltas of a block. */
const deltas = {
  text: '{"type":"text_delta","text":',
  call: '{"type":"input_json_delta","partial_json":',
  thinking: '{"type":"thinking_delta","thinking":',
} as const
