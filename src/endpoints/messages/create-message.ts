/** `POST /v1/messages`, with one body or a stream as its response. */

import { paceOf } from '../../behaviours/scripts/scripted-events.ts'
import { imageInRequest } from '../../behaviours/uploads/upload.ts'
import { type Fields, isFields, listOf } from '../../engine/fields.ts'
import type { Payload } from '../../protocol/call.ts'
import { type Context, defineEndpoint } from '../../protocol/endpoint.ts'
import { ApiError } from '../../protocol/errors.ts'
import { show } from '../../protocol/wording.ts'
import { answerMessage } from './answer.ts'
import { checkDependencies, checkMessagesModel, threadsUnsupported } from './dependencies.ts'
import { readAnswerOptions, textIn, turnsOf } from './read-request.ts'
import {
  type AssistantBlock,
  imageElsewhere,
  type MessagesRequest,
  messagesRequest,
  type UserBlock,
} from './request.ts'
import { messageEvent, messageResponse } from './schema.ts'
import { plainResponse, streamResponse } from './wire.ts'

export const createMessage = defineEndpoint({
  operation: 'messages.create',
  method: 'POST',
  path: '/v1/messages',
  summary: 'Create a message',
  accepts: ['json'],
  speaks: { redactsThinking: true },
  sampleCall: ({ tools }) => ({
    model: 'claude-sonnet-4-5',
    max_tokens: 8192,
    stream: true,
    messages: [{ role: 'user', content: 'a question' }],
    ...(tools.length === 0
      ? {}
      : { tools: tools.map((name) => ({ name, input_schema: { type: 'object' } })) }),
  }),
  body: messagesRequest,
  response: messageResponse,
  event: messageEvent,
  // A stream starts with the empty message; its last event has the changes.
  contentIgnores: [
    'stream',
    'max_tokens',
    'stop_sequences',
    'metadata',
    'service_tier',
    'cache_control',
    'container',
    'inference_geo',
    'speed',
  ],
  needs: (payload) => (hasSchemas(payload) ? ['tokens', 'schemas'] : ['tokens']),
  checkHeaders: checkVersion,
  promptOf,
  check({ body, key }, settings) {
    checkMessagesModel(body.model, key, settings)
    if (body['thread'] != null) throw threadsUnsupported()
    checkDependencies(body, turnsOf(body.messages), settings)
  },
  act(call, context) {
    const { body, plan } = call
    const turns = turnsOf(body.messages)
    checkImages(body, context)
    const options = readAnswerOptions(body, context)
    const pace = paceOf(plan.pace, context.settings.messages)
    const message = answerMessage(call, turns, options, context)
    return body.stream === true ? streamResponse(message, pace) : plainResponse(message)
  },
})

function hasSchemas(payload: Payload): boolean {
  if (payload.kind !== 'json' || !isFields(payload.value)) return false
  const { tools, output_config, output_format } = payload.value
  return tools != null || output_config != null || output_format != null
}

/** The last user message with text, which may contain reserved values. */
function promptOf({ messages }: Fields): string | undefined {
  for (const message of listOf(messages).toReversed()) {
    const text = isFields(message) && message['role'] === 'user' ? textIn(message['content']) : ''
    if (text !== '') return text
  }
  return undefined
}

/** Throws a 400 for a reference to an unusable image. */
function checkImages({ messages }: MessagesRequest, context: Context): void {
  for (const [index, { content }] of messages.entries())
    if (typeof content !== 'string') checkBlocks(content, ['messages', index, 'content'], context)
}

function checkBlocks(
  blocks: readonly (UserBlock | AssistantBlock)[],
  path: readonly PropertyKey[],
  context: Context,
): void {
  for (const [index, block] of blocks.entries()) {
    const here = [...path, index]
    if (block.type === 'image') {
      const { source } = block
      if (source.type === 'url')
        imageInRequest(source.url, [...here, 'source', 'url'], imageElsewhere, context)
      // File ids are not checked, except references to uploads.
      if (source.type === 'file')
        imageInRequest(source.file_id, [...here, 'source', 'file_id'], anyId, context)
    } else if (block.type === 'tool_result' && Array.isArray(block.content))
      checkBlocks(block.content, [...here, 'content'], context)
    else if (
      block.type === 'document' &&
      block.source.type === 'content' &&
      typeof block.source.content !== 'string'
    )
      checkBlocks(block.source.content, [...here, 'source', 'content'], context)
  }
}

const anyId = { fits: /^/, expected: '' }

// The contract redacts the vendor's name in the header; clients send the name.
const names = ['anthropic-version', 'vendor-version'] as const

/** Throws a 400 unless a version header has a date such as 2023-06-01. */
function checkVersion(headers: Readonly<Record<string, string | undefined>>): void {
  let isSent = false
  for (const name of names) {
    const value = headers[name]?.trim()
    if (value === undefined) continue
    isSent = true
    if (!/^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/.test(value))
      throw rejected(name, `The header \`${name}\`: expected a date such as 2023-06-01, got ${show(value)}.`)
  }
  if (!isSent)
    throw rejected(
      'anthropic-version',
      'The header `anthropic-version` (or `vendor-version`) is required: expected a date such as ' +
        '`anthropic-version: 2023-06-01`, got none.',
    )
}

const rejected = (param: string, message: string): ApiError =>
  new ApiError('invalid_request_error', message, { param })
