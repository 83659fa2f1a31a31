/** What the fields of a chat request demand of each other (contract 4.2, wire-formats 2.1 and 2.2). Knows no single field's own rule. */
import { checkSchema } from '../../behaviours/answer.ts'
import { ApiError } from '../../protocol/errors.ts'
import { matchesModel, type Settings } from '../../protocol/settings.ts'
import { invalid } from '../../protocol/validate.ts'
import type { Finding } from '../../protocol/wording.ts'
import { chatRequest, type ChatRequest } from './schema.ts'

/** Throws 400 with every finding. */
export function checkDependencies(body: ChatRequest, settings: Settings): void {
  const found = [...optionFindings(body, settings), ...toolFindings(body), ...messageFindings(body.messages)]
  if (found.length > 0) throw invalid(found.slice(0, 20), undefined)
  body.tools?.forEach((tool, index) => {
    if (tool.type === 'function' && tool.function.parameters != null) checkSchema(tool.function.parameters, `tools[${index}].function.parameters`)
  })
  body.functions?.forEach((definition, index) => {
    if (definition.parameters != null) checkSchema(definition.parameters, `functions[${index}].parameters`)
  })
  if (body.response_format?.type === 'json_schema' && body.response_format.json_schema.schema != null) {
    checkSchema(body.response_format.json_schema.schema, 'response_format.json_schema.schema')
  }
}

function* optionFindings(body: ChatRequest, settings: Settings): Generator<Finding> {
  if (body.top_logprobs != null && body.logprobs !== true) yield { field: 'top_logprobs', message: 'needs `logprobs: true`' }
  if (body.stream_options != null && body.stream !== true) yield { field: 'stream_options', message: 'is allowed only with `stream: true`' }
  if (body.modalities?.includes('audio') === true && body.audio == null) yield { field: 'audio', message: 'is required when `modalities` includes "audio": expected { voice, format }' }
  if (body.audio != null && body.modalities?.includes('audio') !== true) yield { field: 'modalities', message: 'must include "audio" when `audio` is given' }
  if (body.max_tokens != null && settings.chat.reasoningModels.some((pattern) => matchesModel(pattern, body.model))) {
    yield { field: 'max_tokens', message: `is not supported with the reasoning model ${JSON.stringify(body.model)}: use max_completion_tokens instead` }
  }
  if (body.max_tokens != null && body.max_completion_tokens != null) yield { field: 'max_tokens', message: 'and max_completion_tokens were both given: send max_completion_tokens alone' }
  if (settings.chat.unknownParameters === 'refuse') {
    for (const name of Object.keys(body)) if (!Object.hasOwn(chatRequest.shape, name)) yield { field: name, message: 'is not a parameter of chat completions (setting chat.unknownParameters)' }
  }
}

function* toolFindings(body: ChatRequest): Generator<Finding> {
  const names = new Map<string, number>()
  for (const [index, tool] of (body.tools ?? []).entries()) {
    const name = tool.type === 'function' ? tool.function.name : tool.custom.name
    const before = names.get(name)
    if (before !== undefined) yield { field: `tools[${index}].${tool.type}.name`, message: `repeats the name of tools[${before}]: got ${JSON.stringify(name)} twice` }
    names.set(name, index)
  }
  const choice = body.tool_choice
  if (body.tools == null || body.tools.length === 0) {
    if (choice != null && choice !== 'none' && choice !== 'auto') yield { field: 'tool_choice', message: 'is allowed only when `tools` are given' }
    if (body.parallel_tool_calls != null) yield { field: 'parallel_tool_calls', message: 'is allowed only when `tools` are given' }
  } else if (choice != null && typeof choice === 'object') {
    const wanted = choice.type === 'allowed_tools' ? choice.allowed_tools.tools : [choice]
    for (const entry of wanted) {
      const name = entry.type === 'function' ? entry.function.name : entry.custom.name
      if (!names.has(name)) yield { field: 'tool_choice', message: `names the tool ${JSON.stringify(name)}, but \`tools\` holds ${[...names.keys()].map((known) => JSON.stringify(known)).join(', ')}` }
    }
  }
  const legacy = body.function_call
  if (legacy != null && body.functions == null && legacy !== 'none') yield { field: 'function_call', message: 'is allowed only when `functions` are given' }
  if (legacy != null && typeof legacy === 'object' && body.functions != null && !body.functions.some(({ name }) => name === legacy.name)) {
    yield { field: 'function_call', message: `names the function ${JSON.stringify(legacy.name)}, which \`functions\` does not hold` }
  }
  if (body.functions != null && body.tools != null) yield { field: 'functions', message: 'and tools were both given: send tools alone' }
}

/** Every call of an assistant message is answered by a tool message before the next turn, and tool messages answer calls. */
function* messageFindings(messages: ChatRequest['messages']): Generator<Finding> {
  let open = new Map<string, number>()
  let answered = new Set<string>()
  for (const [index, message] of messages.entries()) {
    if (message.role === 'tool') {
      if (open.has(message.tool_call_id)) {
        open.delete(message.tool_call_id)
        answered.add(message.tool_call_id)
      } else {
        const reason = answered.has(message.tool_call_id) ? 'is answered twice' : "must follow an assistant message whose `tool_calls` hold this id"
        yield { field: `messages[${index}].tool_call_id`, message: `${JSON.stringify(message.tool_call_id)} ${reason}` }
      }
      continue
    }
    yield* unanswered(open)
    open = new Map()
    answered = new Set()
    if (message.role !== 'assistant') continue
    for (const call of message.tool_calls ?? []) open.set(call.id, index)
    if (message.content == null && message.tool_calls == null && message.function_call == null && message.refusal == null && message.audio == null) {
      yield { field: `messages[${index}].content`, message: 'is required unless the assistant message holds tool_calls, function_call, refusal or audio' }
    }
  }
  yield* unanswered(open)
}

function* unanswered(open: ReadonlyMap<string, number>): Generator<Finding> {
  if (open.size === 0) return
  const index = open.values().next().value as number
  yield { field: `messages[${index}].tool_calls`, message: `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'; these have no answer: ${[...open.keys()].map((id) => id.slice(0, 60)).join(', ')}` }
}

/** The refusal of an unknown or unavailable model; real suites look for these words (wire-formats 1.3). */
export function modelRefusal(model: string, access: 'unknown' | 'not-enabled'): ApiError {
  if (access === 'unknown') return new ApiError('not_found_error', `The model \`${model.slice(0, 200)}\` does not exist or you do not have access to it.`, { param: 'model' })
  return new ApiError('permission_error', `The model \`${model.slice(0, 200)}\` is not enabled for this API key (settings: keys).`, { param: 'model' })
}
