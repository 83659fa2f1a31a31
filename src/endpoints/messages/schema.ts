/** The replies of messages: the plain body (contract 2.7) and the events of the stream (wire-formats 3.3). */
import * as z from 'zod'

const text = z.string()
const count = z.int().min(0)

/** The stop reasons: the contract's four, and `refusal`, which only reserved values and scenarios cause. */
const stopReason = z.enum(['end_turn', 'max_tokens', 'stop_sequence', 'tool_use', 'refusal'])
// Minted ids begin with `toolu_`; a script may give its own.
const callId = z.string().min(1)
const cacheCounts = {
  cache_creation_input_tokens: count.optional(),
  cache_read_input_tokens: count.optional(),
}
const usage = z.strictObject({ input_tokens: count, ...cacheCounts, output_tokens: count })

const message = {
  id: z.string().startsWith('msg_'),
  type: z.literal('message'),
  role: z.literal('assistant'),
  model: text,
}
const redactedThinking = z.strictObject({ type: z.literal('redacted_thinking'), data: z.string().min(1) })

/** The plain reply (contract 2.7). */
export const messageReply = z.strictObject({
  ...message,
  content: z.array(
    z.discriminatedUnion('type', [
      z.strictObject({ type: z.literal('text'), text: z.string().min(1) }),
      z.strictObject({
        type: z.literal('tool_use'),
        id: callId,
        name: z.string().min(1),
        input: z.record(z.string(), z.unknown()),
      }),
      z.strictObject({ type: z.literal('thinking'), thinking: text, signature: z.string().min(1) }),
      redactedThinking,
    ]),
  ),
  stop_reason: stopReason,
  stop_sequence: text.nullable(),
  usage,
})

const startedBlock = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text: z.literal('') }),
  z.strictObject({
    type: z.literal('tool_use'),
    id: callId,
    name: z.string().min(1),
    input: z.strictObject({}),
  }),
  z.strictObject({ type: z.literal('thinking'), thinking: z.literal(''), signature: z.literal('') }),
  redactedThinking,
])
const delta = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text_delta'), text }),
  z.strictObject({ type: z.literal('input_json_delta'), partial_json: text }),
  z.strictObject({ type: z.literal('thinking_delta'), thinking: text }),
  z.strictObject({ type: z.literal('signature_delta'), signature: z.string().min(1) }),
])

/** One event of the stream. */
export const messageEvent = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('message_start'),
    message: z.strictObject({
      ...message,
      content: z.array(z.never()).length(0),
      stop_reason: z.null(),
      stop_sequence: z.null(),
      usage,
    }),
  }),
  z.strictObject({ type: z.literal('ping') }),
  z.strictObject({ type: z.literal('content_block_start'), index: count, content_block: startedBlock }),
  z.strictObject({ type: z.literal('content_block_delta'), index: count, delta }),
  z.strictObject({ type: z.literal('content_block_stop'), index: count }),
  z.strictObject({
    type: z.literal('message_delta'),
    delta: z.strictObject({ stop_reason: stopReason, stop_sequence: text.nullable() }),
    usage: z.strictObject({ output_tokens: count }),
  }),
  z.strictObject({ type: z.literal('message_stop') }),
])
