/** `POST /v1/messages`, with one body or a stream as its response. */

import { textOf } from '../../behaviours/answers/read-conversation.ts'
import { paceOf } from '../../behaviours/scripts/scripted-events.ts'
import { type Fields, isFields, listOf } from '../../engine/fields.ts'
import { defineEndpoint } from '../../protocol/endpoint.ts'
import { ApiError } from '../../protocol/errors.ts'
import { show } from '../../protocol/wording.ts'
import { answerMessage } from './answer.ts'
import { checkRequest } from './dependencies.ts'
import { messagesRequest } from './request.ts'
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
  needs(payload) {
    const fields = payload.kind === 'json' && isFields(payload.value) ? payload.value : {}
    const hasSchemas = ['tools', 'output_config', 'output_format'].some((name) => fields[name] != null)
    return hasSchemas ? ['tokens', 'schemas'] : ['tokens']
  },
  checkHeaders: checkVersion,
  promptOf,
  check: checkRequest,
  act(call, context) {
    const { body, plan } = call
    if (body.stream !== true) return plainResponse(answerMessage(call, context))
    const pace = paceOf(plan.pace, context.settings.messages)
    return streamResponse(answerMessage(call, context), pace)
  },
})

/** The last user message with text, which may contain reserved values. */
function promptOf({ messages }: Fields): string | undefined {
  for (const message of listOf(messages).toReversed()) {
    const text = isFields(message) && message['role'] === 'user' ? textOf(message['content']) : ''
    if (text !== '') return text
  }
  return undefined
}

// The contract redacts the vendor's name in the header; clients send the name.
const names = ['anthropic-version', 'vendor-version'] as const

/** Throws a 400 unless a version header has a date such as 2023-06-01. */
function checkVersion(headers: Readonly<Record<string, string | undefined>>): void {
  const sent = names.filter((name) => headers[name] !== undefined)
  for (const name of sent) {
    const value = headers[name]?.trim()
    if (value === undefined || /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/.test(value)) continue
    const message = `The header \`${name}\`: expected a date such as 2023-06-01, got ${show(value)}.`
    throw new ApiError('invalid_request_error', message, { param: name })
  }
  if (sent.length === 0)
    throw new ApiError(
      'invalid_request_error',
      'The header `anthropic-version` (or `vendor-version`) is required: expected a date such as ' +
        '`anthropic-version: 2023-06-01`, got none.',
      { param: 'anthropic-version' },
    )
}
