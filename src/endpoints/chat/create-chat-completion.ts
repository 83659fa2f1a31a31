/** `POST /v1/chat/completions`, with one body or a stream as its response. */

import { textOf } from '../../behaviours/answers/read-conversation.ts'
import { OpenCalls } from '../../behaviours/open-calls.ts'
import { paceOf } from '../../behaviours/scripts/scripted-events.ts'
import { type Fields, isFields } from '../../engine/fields.ts'
import { checkModel, isListed } from '../../protocol/auth.ts'
import { defineEndpoint, type Unplanned } from '../../protocol/endpoint.ts'
import type { FieldError } from '../../protocol/field-errors.ts'
import type { Settings } from '../../protocol/settings.ts'
import { invalid } from '../../protocol/validate.ts'
import { show } from '../../protocol/wording.ts'
import { answerChat } from './answer.ts'
import { toolName } from './read-request.ts'
import { chatChunk, chatCompletion } from './response-schema.ts'
import { type ChatRequest, chatRequest } from './schema.ts'
import { plainResponse, streamResponse } from './wire.ts'

export const createChatCompletion = defineEndpoint({
  operation: 'chat.create',
  method: 'POST',
  path: '/v1/chat/completions',
  summary: 'Create a chat completion',
  accepts: ['json'],
  deprecated: {
    max_tokens: ['max_completion_tokens'],
    user: ['safety_identifier', 'prompt_cache_key'],
    functions: ['tools'],
    function_call: ['tool_choice'],
  },
  adjustOne: ['temperature', 'top_p'],
  speaks: { redactsThinking: false },
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
  response: chatCompletion,
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
  // The defaults of the contract, or common ones where it has none.
  contentDefaults: {
    temperature: 1,
    top_p: 1,
    frequency_penalty: 0,
    presence_penalty: 0,
    verbosity: 'medium',
    reasoning_effort: 'medium',
    parallel_tool_calls: true,
  },
  needs(payload) {
    if (payload.kind !== 'json' || !isFields(payload.value)) return ['tokens']
    const { tools, functions, response_format: format } = payload.value
    return tools != null || functions != null || format != null ? ['tokens', 'schemas'] : ['tokens']
  },
  promptOf,
  check: checkRequest,
  act(call, context) {
    const { body, plan } = call
    if (body.stream !== true) return plainResponse(answerChat(call, context))
    const pace = paceOf(plan.pace, context.settings.chat)
    return streamResponse(answerChat(call, context), body.stream_options?.include_usage === true, pace)
  },
})

/** The last user message, which may contain reserved values. */
function promptOf({ messages }: Fields): string | undefined {
  if (!Array.isArray(messages)) return undefined
  for (let at = messages.length - 1; at >= 0; at--) {
    const message: unknown = messages[at]
    if (isFields(message) && message['role'] === 'user') return textOf(message['content'])
  }
  return undefined
}

type Add = (field: string, message: string) => void

/** Throws a 404 or 403 for the model, and a 400 with every error on dependencies between fields. */
function checkRequest({ body, key }: Unplanned<ChatRequest>, settings: Settings): void {
  const { chat } = settings
  checkModel(body.model, key, 'chat', settings)
  const errors: FieldError[] = []
  const add: Add = (field, message) => void errors.push({ field, message })
  const wantsSound = body.modalities?.includes('audio') === true
  if (body.top_logprobs != null && body.logprobs !== true)
    add('top_logprobs', 'is allowed only with `logprobs: true`')
  if (body.stream_options != null && body.stream !== true)
    add('stream_options', 'is allowed only with `stream: true`')
  if (wantsSound && body.audio == null)
    add('audio', 'is required if `modalities` includes "audio": expected { voice, format }')
  if (body.audio != null && !wantsSound) add('modalities', 'must include "audio" if the request has `audio`')
  if (body.max_tokens != null && isListed(body.model, chat.reasoningModels)) {
    const remedy = 'use max_completion_tokens instead'
    add('max_tokens', `is not supported with the reasoning model ${show(body.model)}: ${remedy}`)
  }
  if (body.max_tokens != null && body.max_completion_tokens != null)
    add('max_tokens', 'cannot be combined with `max_completion_tokens`: send only `max_completion_tokens`')
  if (chat.unknownParameters === 'reject')
    for (const name of Object.keys(body))
      if (!Object.hasOwn(chatRequest.fields, name))
        add(name, 'is not a chat completion parameter (setting chat.unknownParameters)')
  // Most requests have neither tools nor earlier turns.
  if (body.tools != null || body.tool_choice != null || body.parallel_tool_calls != null)
    checkTools(body, add)
  if (body.functions != null || body.function_call != null) checkFunctions(body, add)
  if (body.messages.some(({ role }) => role === 'assistant' || role === 'tool'))
    checkMessages(body.messages, add)
  if (errors.length > 0) throw invalid(errors.slice(0, 20), undefined)
}

function checkTools(body: ChatRequest, add: Add): void {
  const { tools, tool_choice: choice } = body
  if (tools == null || tools.length === 0) {
    const remedy = 'is allowed only with `tools`'
    // Without tools, `none` has no effect.
    if (choice != null && choice !== 'none') add('tool_choice', remedy)
    if (body.parallel_tool_calls != null) add('parallel_tool_calls', remedy)
    return
  }
  const kinds = new Map<string, string>()
  for (const [index, tool] of tools.entries()) {
    const name = toolName(tool)
    if (kinds.has(name)) add(`tools[${index}].${tool.type}.name`, `must be unique: got ${show(name)} twice`)
    kinds.set(name, tool.type)
  }
  if (choice == null || typeof choice === 'string') return
  const wanted = choice.type === 'allowed_tools' ? choice.allowed_tools.tools : [choice]
  for (const [index, tool] of wanted.entries()) {
    if (kinds.get(toolName(tool)) === tool.type) continue
    const field =
      choice.type === 'allowed_tools' ? `tool_choice.allowed_tools.tools[${index}]` : 'tool_choice'
    const known = [...kinds].filter(([, kind]) => kind === tool.type).map(([other]) => other)
    add(`${field}.${tool.type}.name`, unknownName(toolName(tool), `a ${tool.type} tool`, 'tools', known))
  }
}

function checkFunctions({ functions, function_call: choice, tools }: ChatRequest, add: Add): void {
  if (functions == null) {
    if (choice !== 'none') add('function_call', 'is allowed only with `functions`')
    return
  }
  if (tools != null) add('functions', 'cannot be combined with `tools`: send only `tools`')
  const names = new Set<string>()
  for (const [index, { name }] of functions.entries()) {
    if (names.has(name)) add(`functions[${index}].name`, `must be unique: got ${show(name)} twice`)
    names.add(name)
  }
  if (choice != null && typeof choice === 'object' && !names.has(choice.name))
    add('function_call.name', unknownName(choice.name, 'a function', 'functions', [...names]))
}

function unknownName(got: string, kind: string, field: string, known: readonly string[]): string {
  const listed =
    known.length === 0 ? ', but it contains none' : `: ${known.slice(0, 10).map(show).join(', ')}`
  return `got ${show(got)}, expected the name of ${kind} in \`${field}\`${listed}`
}

/**
 * Every tool call of an assistant message needs a tool message before the next turn, and every tool message
 * needs a tool call.
 */
function checkMessages(messages: ChatRequest['messages'], add: Add): void {
  const calls = new OpenCalls()
  for (const [index, message] of messages.entries()) {
    if (message.role === 'tool') {
      const { tool_call_id: id } = message
      const answer = calls.answer(id)
      const reason =
        answer === 'again'
          ? 'already has a tool message'
          : 'matches no tool call in the previous assistant message: expected an id from its `tool_calls`'
      if (answer !== 'first') add(`messages[${index}].tool_call_id`, `${show(id)} ${reason}`)
      continue
    }
    addUnanswered(calls, add)
    if (message.role !== 'assistant') continue
    const { content, tool_calls, function_call, refusal, audio } = message
    for (const { id } of tool_calls ?? []) calls.call(id, `messages[${index}].tool_calls`)
    if ([content, tool_calls, function_call, refusal, audio].every((one) => one == null)) {
      const others = 'tool_calls, function_call, refusal or audio'
      add(`messages[${index}].content`, `is required unless the message has ${others}`)
    }
  }
  addUnanswered(calls, add)
}

// The test suites of clients expect these words of the real service.
function addUnanswered(calls: OpenCalls, add: Add): void {
  const open = calls.close()
  if (open === undefined) return
  add(
    open.field,
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each " +
      `'tool_call_id'; these have no tool message: ${open.ids}`,
  )
}
