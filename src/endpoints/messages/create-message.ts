/** `POST /v1/messages` (contract 4.3): an answer in one body or as a stream. */

import { framesReply } from '../../behaviours/answers/scripted-events.ts'
import { mayAskForValues } from '../../behaviours/answers/write-text.ts'
import { createSchemas } from '../../behaviours/json-schema/schemas.ts'
import type { Payload } from '../../protocol/call.ts'
import { defineEndpoint } from '../../protocol/endpoint.ts'
import { checkDependencies, checkMessagesModel } from './dependencies.ts'
import { threadsUnsupported } from './envelope.ts'
import { answerMessage } from './message.ts'
import { checkPictures } from './pictures.ts'
import { plainReply } from './plain.ts'
import { schemasIn } from './read-question.ts'
import { messagesRequest } from './request.ts'
import { messageEvent, messageReply } from './schema.ts'
import { scriptedMessage, scriptedPlainReply } from './scripted-message.ts'
import { scriptedStreamReply } from './scripted-stream.ts'
import { paceOf, streamReply } from './stream.ts'
import { turnsOf } from './turns.ts'
import { checkVersion } from './version.ts'

export const createMessage = defineEndpoint({
  operation: 'messages.create',
  method: 'POST',
  path: '/v1/messages',
  summary: 'Answer a conversation as a message of blocks, in one body or as a stream',
  accepts: ['json'],
  sdkNames: { 'messages.stream': ', with `body: { stream: true }`', 'beta.messages.create': '' },
  speaks: { filtered: 'stop_reason: refusal', hasRefusals: false, redactsThinking: true },
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
  reply: messageReply,
  event: messageEvent,
  // A stream begins with the message as it is then, and says at its end what has changed.
  shownAs: (path) => [['message', ...path], ['delta', ...path], path],
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
  needs: (payload) => (speaksInShapes(payload) ? ['tokens', 'fakes'] : ['tokens']),
  checkHeaders: checkVersion,
  promptOf,
  act(call, context) {
    const { body, plan } = call
    checkMessagesModel(call, context.settings)
    if (body['thread'] != null) throw threadsUnsupported()
    const turns = turnsOf(body.messages)
    checkDependencies(body, turns, context.settings)
    checkPictures(body, context)
    const schemas = createSchemas()
    for (const { schema, path } of schemasIn(body)) schemas.check(schema, path)
    if (plan.frames !== undefined && body.stream === true)
      return framesReply(plan.frames, paceOf(plan.pace, context.settings.messages))
    if (plan.script !== undefined) {
      const scripted = scriptedMessage(call, plan.script, context)
      return body.stream === true
        ? scriptedStreamReply(scripted, paceOf(plan.pace, context.settings.messages))
        : scriptedPlainReply(scripted)
    }
    const message = answerMessage(call, turns, schemas, context)
    return body.stream === true ? streamReply(message, plan.pace, context.settings) : plainReply(message)
  },
})

// The fakes are loaded only for answers that are filled with values: of a tool, of a schema, in the shape
// that the prefill has begun, or because the messages may ask for some.
function speaksInShapes(payload: Payload): boolean {
  if (payload.kind !== 'json' || payload.value === null || typeof payload.value !== 'object') return false
  const { tools, output_config, output_format, messages, system } = payload.value as Record<string, unknown>
  return (
    tools != null ||
    output_config != null ||
    output_format != null ||
    (Array.isArray(messages) && (messages.at(-1) as { role?: unknown } | null)?.role === 'assistant') ||
    mayAskForValues(system) ||
    mayAskForValues(messages)
  )
}

/** The last message of the user that holds text: where reserved words may stand. */
function promptOf({ messages }: Readonly<Record<string, unknown>>): string | undefined {
  if (!Array.isArray(messages)) return undefined
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages[at] as { role?: unknown; content?: unknown } | null
    if (message?.role !== 'user') continue
    const text = textIn(message.content)
    if (text !== '') return text
  }
  return undefined
}

function textIn(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content
    .flatMap((block: { type?: unknown; text?: unknown } | null) =>
      block?.type === 'text' && typeof block.text === 'string' ? [block.text] : [],
    )
    .join('\n')
}
