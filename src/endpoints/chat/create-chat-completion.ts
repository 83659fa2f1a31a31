/** `POST /v1/chat/completions` (contract 4.2): an answer in one body or as a stream. */

import { framesReply } from '../../behaviours/answers/scripted-events.ts'
import { mayAskForValues } from '../../behaviours/answers/write-text.ts'
import { checkModel } from '../../protocol/auth.ts'
import type { Call } from '../../protocol/call.ts'
import { type Context, defineEndpoint } from '../../protocol/endpoint.ts'
import type { Reply } from '../../protocol/reply.ts'
import type { Script } from '../../protocol/script.ts'
import { complete } from './completion.ts'
import { checkDependencies } from './dependencies.ts'
import { plainReply } from './plain.ts'
import { contentText } from './read-conversation.ts'
import { chatChunk, chatCompletion } from './reply-schema.ts'
import { type ChatRequest, chatRequest } from './schema.ts'
import { scriptedAnswer } from './scripted-answer.ts'
import { scriptedPlainReply } from './scripted-plain.ts'
import { scriptedStreamReply } from './scripted-stream.ts'
import { paceOf, streamReply } from './stream.ts'

export const createChatCompletion = defineEndpoint({
  operation: 'chat.create',
  method: 'POST',
  path: '/v1/chat/completions',
  summary: 'Answer a conversation, in one body or as a stream',
  accepts: ['json'],
  deprecated: {
    max_tokens: ['max_completion_tokens'],
    user: ['safety_identifier', 'prompt_cache_key'],
    functions: ['tools'],
    function_call: ['tool_choice'],
  },
  adjustOne: ['temperature', 'top_p'],
  sdkNames: {
    'chat.completions.create': '',
    'chat.completions.stream': ', with `body: { stream: true }`',
    'chat.completions.parse': '',
    'responses.create': ' (there is no responses API here)',
  },
  speaks: { filtered: 'finish_reason: content_filter', hasRefusals: true, redactsThinking: false },
  sampleCall: ({ tools, usage }) => ({
    model: 'gpt-4o',
    stream: true,
    ...(usage ? { stream_options: { include_usage: true } } : {}),
    messages: [{ role: 'user', content: 'a question' }],
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map((name) => ({
            type: 'function',
            function: { name, parameters: { type: 'object' } },
          })),
        }),
  }),
  body: chatRequest,
  reply: chatCompletion,
  event: chatChunk,
  contentIgnores: [
    'stream',
    'stream_options',
    'n',
    'max_tokens',
    'max_completion_tokens',
    'stop',
    'logprobs',
    'top_logprobs',
    'user',
    'safety_identifier',
    'prompt_cache_key',
    'metadata',
    'store',
  ],
  // The defaults of contract 4.2, and common ones where it names none.
  contentDefaults: {
    temperature: 1,
    top_p: 1,
    frequency_penalty: 0,
    presence_penalty: 0,
    verbosity: 'medium',
    reasoning_effort: 'medium',
    parallel_tool_calls: true,
  },
  exactNumbers: ['seed'],
  // The fakes are loaded only for answers that are filled with values.
  needs(payload) {
    if (payload.kind !== 'json' || payload.value === null || typeof payload.value !== 'object')
      return ['tokens']
    const { tools, functions, response_format: format, messages } = payload.value as Record<string, unknown>
    return tools != null || functions != null || format != null || mayAskForValues(messages)
      ? ['tokens', 'fakes']
      : ['tokens']
  },
  promptOf,
  act(call, context) {
    checkModel(call.body.model, call.key, 'chat', context.settings)
    checkDependencies(call.body, context.settings)
    const { pace, script, frames } = call.plan
    if (frames !== undefined && call.body.stream === true)
      return framesReply(frames, paceOf(pace, context.settings))
    if (script !== undefined) return scripted(call, script, context)
    const completion = complete(call, context)
    if (call.body.stream !== true) return plainReply(completion)
    return streamReply(completion, {
      includeUsage: call.body.stream_options?.include_usage === true,
      pace,
      settings: context.settings,
    })
  },
})

function scripted(call: Call<ChatRequest>, script: Script, context: Context): Reply {
  const answer = scriptedAnswer(call, script, context)
  if (call.body.stream !== true) return scriptedPlainReply(answer)
  return scriptedStreamReply(answer, {
    includeUsage: call.body.stream_options?.include_usage === true,
    pace: paceOf(call.plan.pace, context.settings),
  })
}

/** The last message of the user: where reserved words may stand. */
function promptOf({ messages }: Readonly<Record<string, unknown>>): string | undefined {
  if (!Array.isArray(messages)) return undefined
  for (let at = messages.length - 1; at >= 0; at--) {
    const message: unknown = messages[at]
    if (message !== null && typeof message === 'object' && (message as { role?: unknown }).role === 'user') {
      const { content } = message as { content?: unknown }
      return typeof content === 'string'
        ? content
        : contentText(
            Array.isArray(content) ? content.filter((part) => part !== null && typeof part === 'object') : '',
          )
    }
  }
  return undefined
}
