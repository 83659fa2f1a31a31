/** `POST /v1/chat/completions` (contract 4.2): an answer in one body or as a stream. */

import { mayAskForValues } from '../../behaviours/answers/write-text.ts'
import { framesReply, paceOf } from '../../behaviours/scripts/scripted-events.ts'
import { checkModel, isListed } from '../../protocol/auth.ts'
import { defineEndpoint } from '../../protocol/endpoint.ts'
import type { Finding } from '../../protocol/findings.ts'
import type { Settings } from '../../protocol/settings.ts'
import { invalid } from '../../protocol/validate.ts'
import { show } from '../../protocol/wording.ts'
import { answerChat } from './answer.ts'
import { contentText, toolName } from './read-request.ts'
import { chatChunk, chatCompletion } from './reply-schema.ts'
import { type ChatRequest, chatRequest } from './schema.ts'
import { plainReply, streamReply } from './wire.ts'

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
    const { body, plan } = call
    if (body.stream !== true) return plainReply(answerChat(call, context))
    const pace = paceOf(plan.pace, context.settings.chat)
    return plan.frames === undefined
      ? streamReply(answerChat(call, context), body.stream_options?.include_usage === true, pace)
      : framesReply(plan.frames, pace)
  },
})

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

/** What the fields demand of each other (wire-formats 2.1 and 2.2). Throws 400 with every finding. */
function checkDependencies(body: ChatRequest, { chat }: Settings): void {
  const findings: Finding[] = []
  const add = (field: string, message: string): void => void findings.push({ field, message })
  if (body.top_logprobs != null && body.logprobs !== true)
    add('top_logprobs', 'is allowed only with `logprobs: true`')
  if (body.stream === true && isListed(body.model, chat.unstreamedModels))
    add(
      'stream',
      `is not supported by the model ${show(body.model)} (setting chat.unstreamedModels): leave it out`,
    )
  if (body.stream_options != null && body.stream !== true)
    add('stream_options', 'is allowed only with `stream: true`')
  if (body.modalities?.includes('audio') === true && body.audio == null)
    add('audio', 'is required when `modalities` includes "audio": expected { voice, format }')
  if (body.audio != null && body.modalities?.includes('audio') !== true)
    add('modalities', 'must include "audio" when `audio` is given')
  if (body.max_tokens != null && isListed(body.model, chat.reasoningModels)) {
    add(
      'max_tokens',
      `is not supported with the reasoning model ${show(body.model)}: use max_completion_tokens instead`,
    )
  }
  if (body.max_tokens != null && body.max_completion_tokens != null)
    add('max_tokens', 'cannot be given together with `max_completion_tokens`: send that alone')
  if (chat.unknownParameters === 'refuse') {
    for (const name of Object.keys(body))
      if (!Object.hasOwn(chatRequest.shape, name))
        add(name, 'is not a parameter of chat completions (setting chat.unknownParameters)')
  }
  // Most calls have neither tools nor earlier turns.
  if (body.tools != null || body.tool_choice != null || body.parallel_tool_calls != null)
    findings.push(...toolFindings(body))
  if (body.functions != null || body.function_call != null) findings.push(...functionFindings(body))
  for (const { role } of body.messages)
    if (role === 'assistant' || role === 'tool') {
      findings.push(...messageFindings(body.messages))
      break
    }
  if (findings.length > 0) throw invalid(findings.slice(0, 20), undefined)
}

function* toolFindings({
  tools,
  tool_choice: choice,
  parallel_tool_calls: parallel,
}: ChatRequest): Generator<Finding> {
  if (tools == null || tools.length === 0) {
    // Without tools, `none` has no effect.
    if (choice != null && choice !== 'none')
      yield { field: 'tool_choice', message: 'is allowed only when `tools` are given' }
    if (parallel != null)
      yield { field: 'parallel_tool_calls', message: 'is allowed only when `tools` are given' }
    return
  }
  const kinds = new Map<string, string>()
  for (const [index, tool] of tools.entries()) {
    const name = toolName(tool)
    if (kinds.has(name))
      yield {
        field: `tools[${index}].${tool.type}.name`,
        message: `repeats the name of another tool: got ${show(name)} twice`,
      }
    kinds.set(name, tool.type)
  }
  if (choice == null || typeof choice === 'string') return
  const [field, wanted] =
    choice.type === 'allowed_tools'
      ? (['tool_choice.allowed_tools.tools', choice.allowed_tools.tools] as const)
      : (['tool_choice', [choice]] as const)
  for (const [index, tool] of wanted.entries()) {
    const name = toolName(tool)
    if (kinds.get(name) === tool.type) continue
    const at = `${choice.type === 'allowed_tools' ? `${field}[${index}]` : field}.${tool.type}.name`
    const known = [...kinds].filter(([, kind]) => kind === tool.type).map(([other]) => show(other))
    yield {
      field: at,
      message:
        `got ${show(name)}, expected the name of a ${tool.type} tool in \`tools\`` +
        (known.length === 0 ? ', which holds none' : `: ${known.slice(0, 10).join(', ')}`),
    }
  }
}

function* functionFindings({ functions, function_call: choice, tools }: ChatRequest): Generator<Finding> {
  if (functions == null) {
    if (choice != null && choice !== 'none')
      yield { field: 'function_call', message: 'is allowed only when `functions` are given' }
    return
  }
  if (tools != null)
    yield { field: 'functions', message: 'cannot be given together with `tools`: send those alone' }
  const names = new Set<string>()
  for (const [index, { name }] of functions.entries()) {
    if (names.has(name))
      yield {
        field: `functions[${index}].name`,
        message: `repeats the name of another function: got ${show(name)} twice`,
      }
    names.add(name)
  }
  if (choice != null && typeof choice === 'object' && !names.has(choice.name)) {
    yield {
      field: 'function_call.name',
      message:
        `got ${show(choice.name)}, expected the name of a function in \`functions\`: ` +
        `${[...names].slice(0, 10).map(show).join(', ')}`,
    }
  }
}

/**
 * Every tool call of an assistant message is answered by a tool message before the next turn, and every
 * tool message answers a call.
 */
function* messageFindings(messages: ChatRequest['messages']): Generator<Finding> {
  let open = new Map<string, number>()
  let answered = new Set<string>()
  for (const [index, message] of messages.entries()) {
    if (message.role === 'tool') {
      if (open.has(message.tool_call_id)) {
        open.delete(message.tool_call_id)
        answered.add(message.tool_call_id)
      } else {
        const reason = answered.has(message.tool_call_id)
          ? 'answers a call that has its answer already'
          : 'answers no call: expected the id of a call in the `tool_calls` of the assistant message before'
        yield { field: `messages[${index}].tool_call_id`, message: `${show(message.tool_call_id)} ${reason}` }
      }
      continue
    }
    yield* unanswered(open)
    open = new Map()
    answered = new Set()
    if (message.role !== 'assistant') continue
    for (const call of message.tool_calls ?? []) open.set(call.id, index)
    if (
      message.content == null &&
      message.tool_calls == null &&
      message.function_call == null &&
      message.refusal == null &&
      message.audio == null
    ) {
      yield {
        field: `messages[${index}].content`,
        message: 'is required unless the assistant message holds tool_calls, function_call, refusal or audio',
      }
    }
  }
  yield* unanswered(open)
}

function* unanswered(open: ReadonlyMap<string, number>): Generator<Finding> {
  if (open.size === 0) return
  const index = open.values().next().value as number
  const ids = [...open.keys()].map((id) => id.slice(0, 60))
  // Test suites look for these words of the real service.
  yield {
    field: `messages[${index}].tool_calls`,
    message:
      "An assistant message with 'tool_calls' must be followed by tool messages responding to each " +
      `'tool_call_id'; these have no answer: ${ids.slice(0, 5).join(', ')}` +
      (ids.length > 5 ? ` and ${ids.length - 5} more` : ''),
  }
}
