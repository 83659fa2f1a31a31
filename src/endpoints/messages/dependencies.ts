/** The dependencies of a messages request between its fields and on the settings. */
import { OpenCalls } from '../../behaviours/open-calls.ts'
import { modelProblem } from '../../protocol/auth.ts'
import type { Unplanned } from '../../protocol/endpoint.ts'
import { ApiError } from '../../protocol/errors.ts'
import type { FieldError } from '../../protocol/field-errors.ts'
import type { Settings } from '../../protocol/settings.ts'
import { invalid } from '../../protocol/validate.ts'
import { show } from '../../protocol/wording.ts'
import { type MessagesRequest, messagesRequest } from './request.ts'

/** The parameter of stored conversations. */
export const threadField = 'thread'

/** Throws a 404 or 403 for the model, and a 400 with every error. */
export function checkRequest({ body, key }: Unplanned<MessagesRequest>, settings: Settings): void {
  const { model } = body
  const problem = modelProblem(model, key, 'messages', settings)
  // Test suites of clients expect `model:`.
  if (problem?.type === 'not_found_error') {
    const known = `(expected ${settings.models.messages?.join(', ')}; setting models.messages)`
    throw new ApiError('not_found_error', `model: ${model} ${known}`, { param: 'model' })
  }
  if (problem?.type === 'permission_error') {
    const message = `model: ${model} is not enabled for this API key (setting keys).`
    throw new ApiError('permission_error', message, { param: 'model' })
  }
  if (body[threadField] != null)
    throw new ApiError(
      'invalid_request_error',
      '`thread`: message threads are not supported, because this API is stateless. Send all messages with ' +
        'every request (in the SDK tool runner, set `thread: false`).',
      { param: threadField },
    )
  const errors: FieldError[] = []
  const add: Add = (field, message) => void errors.push({ field, message })
  checkOptions(body, settings, add)
  checkThinking(body, add)
  checkTools(body, add)
  checkMessages(body, add)
  checkPrefill(body, add)
  if (errors.length > 0) throw invalid(errors.slice(0, 20), undefined)
}

type Add = (field: string, message: string) => void

function checkOptions(body: MessagesRequest, { messages }: Settings, add: Add): void {
  if (body.max_tokens > messages.maxTokens) {
    const bound = `expected at most ${messages.maxTokens} (setting messages.maxTokens)`
    add('max_tokens', `${bound}, got ${body.max_tokens}`)
  }
  if (body.output_format != null && body.output_config?.format != null)
    add('output_format', 'cannot be combined with output_config.format: send only output_config.format')
  if (messages.unknownParameters === 'reject')
    for (const name of Object.keys(body))
      if (!Object.hasOwn(messagesRequest.fields, name))
        add(name, 'is not a messages API parameter (setting messages.unknownParameters)')
}

function checkThinking(body: MessagesRequest, add: Add): void {
  const { thinking, tool_choice: choice, max_tokens: limit, temperature, top_p } = body
  if (thinking?.type !== 'enabled' && thinking?.type !== 'adaptive') return
  const mustCall = 'must not force a tool when thinking is enabled: expected type "auto" or "none"'
  if (choice?.type === 'any' || choice?.type === 'tool')
    add('tool_choice', `${mustCall}, got ${show(choice.type)}`)
  if (thinking.type !== 'enabled') return
  const { budget_tokens: budget } = thinking
  if (budget >= limit)
    add('thinking.budget_tokens', `expected less than max_tokens (${limit}), got ${budget}`)
  if (temperature != null && temperature !== 1)
    add('temperature', `must be 1 when thinking is enabled, got ${temperature}`)
  if (body.top_k != null) add('top_k', 'is not allowed when thinking is enabled: remove it')
  if (top_p != null && top_p < 0.95) add('top_p', `expected 0.95 to 1 when thinking is enabled, got ${top_p}`)
}

function checkTools({ tools, tool_choice: choice }: MessagesRequest, add: Add): void {
  const names = new Map<string, number>()
  for (const [index, { name }] of (tools ?? []).entries()) {
    const before = names.get(name)
    if (before !== undefined)
      add(`tools[${index}].name`, `must be unique: tools[${before}] is also named ${show(name)}`)
    names.set(name, index)
  }
  if (choice == null || choice.type === 'auto' || choice.type === 'none') return
  if (names.size === 0) add('tool_choice', 'can force a tool only if the request has `tools`')
  else if (choice.type === 'tool' && !names.has(choice.name)) {
    const known = [...names.keys()].map(show).join(', ')
    add('tool_choice.name', `expected the name of a tool in \`tools\` (${known}), got ${show(choice.name)}`)
  }
}

/**
 * No message is empty. Each `tool_use` needs a `tool_result` at the start of the next turn, and each
 * `tool_result` a `tool_use`. Messages with one role are a turn.
 */
function checkMessages({ messages }: MessagesRequest, add: Add): void {
  if (messages[0]?.role === 'assistant')
    add('messages[0].role', 'expected "user" as the role of the first message, got "assistant"')
  const calls = new OpenCalls()
  const ids = new Set<string>()
  /** The first block of the turn that is no `tool_result`. */
  let other: string | undefined
  for (const [at, { role, content }] of messages.entries()) {
    const field = `messages[${at}].content`
    if (messages[at - 1]?.role !== role) {
      if (role === 'assistant') addUnanswered(calls, add)
      other = undefined
    }
    // An empty final assistant message is ignored.
    if (content.length === 0 && (role === 'user' || at < messages.length - 1))
      add(field, 'must not be empty, except in a final assistant message')
    if (typeof content === 'string') {
      if (content !== '') other ??= field
      if (content !== '' && !/\S/.test(content)) add(field, 'expected at least one non-whitespace character')
      continue
    }
    for (const [index, block] of content.entries()) {
      const place = `${field}[${index}]`
      if (block.type === 'tool_result') {
        addMismatch(block.tool_use_id, place, calls, add)
        if (other !== undefined)
          add(place, `must precede ${other}: put the tool_result blocks of a turn first`)
        continue
      }
      other ??= place
      if (block.type === 'text' && !/\S/.test(block.text))
        add(`${place}.text`, `must not be ${block.text === '' ? 'empty' : 'only whitespace'}: omit the block`)
      if (block.type !== 'tool_use') continue
      if (ids.has(block.id))
        add(`${place}.id`, `${show(block.id)} is not unique: each tool_use block needs a unique id`)
      ids.add(block.id)
      calls.call(block.id, place)
    }
  }
  addUnanswered(calls, add)
}

function addMismatch(id: string, place: string, calls: OpenCalls, add: Add): void {
  const answer = calls.answer(id)
  if (answer === 'first') return
  const reason =
    answer === 'again'
      ? 'has two tool_result blocks'
      : 'matches no tool_use block in the previous turn: each tool_result needs a matching tool_use'
  add(`${place}.tool_use_id`, `${show(id)} ${reason}`)
}

function addUnanswered(calls: OpenCalls, add: Add): void {
  const open = calls.close()
  if (open === undefined) return
  add(
    open.field,
    '`tool_use` ids were found without `tool_result` blocks immediately after: ' +
      `${open.ids}. Each tool_use needs a tool_result at the start of the next turn`,
  )
}

/** The response continues a final assistant message; some messages cannot be continued. */
function checkPrefill(body: MessagesRequest, add: Add): void {
  const { messages, thinking, output_config: config, output_format: older } = body
  const at = messages.findLastIndex(({ role }) => role === 'assistant')
  const isLast = at === messages.length - 1
  const content = messages[at]?.content ?? []
  const isText = typeof content === 'string'
  const text = isText && content !== '' ? ({ type: 'text', text: content } as const) : undefined
  const [first, end] = isText ? [text, text] : [content[0], content.at(-1)]
  const placeOf = (index: number): string => `messages[${at}].content${isText ? '' : `[${index}]`}`
  const isThought = first === undefined || /^(?:redacted_)?thinking$/.test(first.type)
  // Clients that return the results of tools must return the thinking, too.
  if (thinking?.type === 'enabled' && !isThought && (isLast || messages.slice(at + 1).some(hasResult)))
    add(
      placeOf(0),
      `expected a thinking or redacted_thinking block first, got ${show(first.type)}: when ` +
        'thinking is enabled, the last assistant turn must keep the thinking blocks of the response',
    )
  if (!isLast || end === undefined) return
  const place = placeOf(content.length - 1)
  if (end.type === 'text' && /\s$/.test(end.text))
    add(place, 'must not end with whitespace, because the response continues this text')
  if (config?.format != null || older != null)
    add(place, 'cannot be combined with output_config.format: omit the final assistant message or the format')
}

const hasResult = ({ content }: MessagesRequest['messages'][number]): boolean =>
  typeof content !== 'string' && content.some(({ type }) => type === 'tool_result')
