/** The responses of messages: the plain body and the events of the stream. */

import * as z from 'zod'
import {
  contractSays,
  describedIn,
  relied,
  required,
  spare,
  stated,
  unnamed,
} from '../../protocol/contract-reading.ts'

const text = () => z.string()
const count = () => z.int().min(0)
const index = () => relied(z.int().min(0))

/** The stop reasons: the contract's four, and others that only reserved values and scenarios cause. */
const stopReason = () =>
  contractSays(
    z.enum([
      'end_turn',
      'max_tokens',
      'stop_sequence',
      'tool_use',
      'pause_turn',
      'refusal',
      'model_context_window_exceeded',
    ]),
    () => z.enum(['end_turn', 'max_tokens', 'stop_sequence', 'tool_use']),
  )
// Generated ids start with `toolu_`; a script can set other ids.
const callId = () => z.string().min(1)
const cacheCounts = () => ({
  cache_creation_input_tokens: unnamed(z.int().min(0)).optional(),
  cache_read_input_tokens: unnamed(z.int().min(0)).optional(),
})
const usage = () => z.strictObject({ input_tokens: count(), ...cacheCounts(), output_tokens: count() })

const message = () => ({
  id: z.string().startsWith('msg_'),
  type: z.literal('message'),
  role: z.literal('assistant'),
  model: text(),
})
const citation = () => z.looseObject({ type: z.string().min(1) })
const redactedThinking = () =>
  z.strictObject({ type: z.literal('redacted_thinking'), data: z.string().min(1) })

// Kinds that clients know but the simulator does not send.
const otherBlocks = () =>
  z.enum([
    'server_tool_use',
    'web_search_tool_result',
    'web_fetch_tool_result',
    'code_execution_tool_result',
    'bash_code_execution_tool_result',
    'text_editor_code_execution_tool_result',
    'tool_search_tool_result',
    'mcp_tool_use',
    'mcp_tool_result',
    'container_upload',
  ])
const clientBlock = () =>
  z.discriminatedUnion('type', [
    z.looseObject({ type: z.literal('text'), text: text() }),
    z.looseObject({
      type: z.literal('tool_use'),
      id: z.string(),
      name: text(),
      input: z.record(z.string(), z.unknown()),
    }),
    z.looseObject({ type: z.literal('thinking'), thinking: text(), signature: text() }),
    z.looseObject({ type: z.literal('redacted_thinking'), data: text() }),
    z.looseObject({ type: otherBlocks() }),
  ])

// The contract shows one kind of block and allows others.
const anyBlock = () =>
  stated(
    z
      .looseObject({ type: required(z.string()), text: text() })
      .refine((block) => block.type !== 'text' || typeof block.text === 'string', {
        path: ['text'],
        error: 'expected a string if `type` is `text`',
      }),
  )

/** The plain response. */
export const messageResponse = () =>
  describedIn(
    'contract 2.7',
    z.strictObject({
      ...message(),
      content: relied(
        z.array(
          contractSays(
            z.discriminatedUnion('type', [
              z.strictObject({
                type: z.literal('text'),
                text: z.string().min(1),
                citations: unnamed(z.array(citation())).optional(),
              }),
              z.strictObject({
                type: z.literal('tool_use'),
                id: callId(),
                name: z.string().min(1),
                input: z.record(z.string(), z.unknown()),
              }),
              z.strictObject({ type: z.literal('thinking'), thinking: text(), signature: z.string().min(1) }),
              redactedThinking(),
            ]),
            anyBlock,
            clientBlock,
          ),
        ),
      ),
      stop_reason: stopReason(),
      stop_sequence: text().nullable(),
      usage: usage(),
    }),
  )

const startedBlock = () =>
  z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('text'), text: contractSays(z.literal(''), () => text()) }),
    z.strictObject({
      type: z.literal('tool_use'),
      id: callId(),
      name: z.string().min(1),
      input: z.strictObject({}),
    }),
    z.strictObject({ type: z.literal('thinking'), thinking: z.literal(''), signature: z.literal('') }),
    redactedThinking(),
  ])
const deltas = () =>
  [
    z.strictObject({ type: z.literal('text_delta'), text: relied(z.string()) }),
    z.strictObject({ type: z.literal('input_json_delta'), partial_json: relied(z.string()) }),
    z.strictObject({ type: z.literal('thinking_delta'), thinking: relied(z.string()) }),
    z.strictObject({ type: z.literal('signature_delta'), signature: z.string().min(1) }),
    z.strictObject({ type: z.literal('citations_delta'), citation: z.looseObject({}) }),
  ] as const
const delta = () => z.discriminatedUnion('type', deltas())

/** One event of the stream. */
export const messageEvent = () =>
  describedIn(
    'wire-formats 3.3',
    z.discriminatedUnion('type', [
      z.strictObject({
        type: z.literal('message_start'),
        message: relied(
          z.strictObject({
            ...message(),
            content: relied(z.array(z.never()).length(0)),
            stop_reason: z.null(),
            stop_sequence: z.null(),
            usage: relied(usage().clone()),
          }),
        ),
      }),
      z.strictObject({ type: z.literal('ping') }),
      z.strictObject({
        type: z.literal('content_block_start'),
        index: index(),
        content_block: relied(startedBlock()),
      }),
      z.strictObject({ type: z.literal('content_block_delta'), index: index(), delta: relied(delta()) }),
      z.strictObject({ type: z.literal('content_block_stop'), index: index() }),
      z.strictObject({
        type: z.literal('message_delta'),
        delta: relied(z.strictObject({ stop_reason: spare(stopReason()), stop_sequence: text().nullable() })),
        usage: relied(z.strictObject({ output_tokens: relied(z.int().min(0)) })),
      }),
      z.strictObject({ type: z.literal('message_stop') }),
    ]),
  )
