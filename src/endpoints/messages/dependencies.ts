/** The dependencies of a messages request between its fields and on the settings. */
import { modelAccess } from '../../protocol/auth.ts'
import type { ApiKey } from '../../protocol/call.ts'
import { ApiError } from '../../protocol/errors.ts'
import type { Finding } from '../../protocol/findings.ts'
import type { Settings } from '../../protocol/settings.ts'
import { invalid } from '../../protocol/validate.ts'
import { show } from '../../protocol/wording.ts'
import type { Turn } from './read-request.ts'
import { type MessagesRequest, messagesRequest } from './request.ts'

/** The parameter of stored conversations. */
export const threadField = 'thread'

/** The rejection of a reference to a stored conversation (the API is stateless). */
export function threadsUnsupported(): ApiError {
  return new ApiError(
    'invalid_request_error',
    '`thread`: message threads are not supported, because this API is stateless. Send all messages with ' +
      'every request (in the SDK tool runner, set `thread: false`).',
    { param: threadField },
  )
}

/** Throws a 404 or 403 for the model; test suites of clients expect `model:`. */
export function checkMessagesModel(model: string, key: ApiKey, settings: Settings): void {
  const access = modelAccess(model, key, 'messages', settings)
  if (access === 'unknown') {
    const known = `(expected ${settings.models.messages?.join(', ')}; setting models.messages)`
    throw new ApiError('not_found_error', `model: ${model} ${known}`, { param: 'model' })
  }
  if (access === 'not-enabled') {
    const message = `model: ${model} is not enabled for this API key (setting keys).`
    throw new ApiError('permission_error', message, { param: 'model' })
  }
}

type Add = (field: string, message: string) => void

const maxFindings = 20

/** Throws a 400 with every finding. */
export function checkDependencies(body: MessagesRequest, turns: readonly Turn[], settings: Settings): void {
  const findings: Finding[] = []
  const add: Add = (field, message) => {
    if (findings.length < maxFindings) findings.push({ field, message })
  }
  checkOptions(body, settings, add)
  checkThinking(body, add)
  checkTools(body, add)
  // Checks the first role, empty content and tool results.
  if (body.messages[0]?.role === 'assistant')
    add('messages[0].role', 'expected "user" as the role of the first message, got "assistant"')
  checkEmpty(body.messages, add)
  checkToolUses(turns, add)
  checkPrefill(body, turns, add)
  if (findings.length > 0) throw invalid(findings, undefined)
}

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
  const { thinking, tool_choice: choice } = body
  if (thinking?.type !== 'enabled' && thinking?.type !== 'adaptive') return
  if (choice?.type === 'any' || choice?.type === 'tool') {
    const expected = 'expected type "auto" or "none"'
    add(
      'tool_choice',
      `must not force a tool when thinking is enabled: ${expected}, got ${show(choice.type)}`,
    )
  }
  if (thinking.type !== 'enabled') return
  const { budget_tokens: budget } = thinking
  if (budget >= body.max_tokens)
    add('thinking.budget_tokens', `expected less than max_tokens (${body.max_tokens}), got ${budget}`)
  if (body.temperature != null && body.temperature !== 1)
    add('temperature', `must be 1 when thinking is enabled, got ${body.temperature}`)
  if (body.top_k != null) add('top_k', 'is not allowed when thinking is enabled: remove it')
  if (body.top_p != null && body.top_p < 0.95)
    add('top_p', `expected 0.95 to 1 when thinking is enabled, got ${body.top_p}`)
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

function checkEmpty(messages: MessagesRequest['messages'], add: Add): void {
  for (const [at, { role, content }] of messages.entries()) {
    const field = `messages[${at}].content`
    if (content.length === 0) {
      // An empty final assistant message is ignored.
      if (role !== 'assistant' || at < messages.length - 1)
        add(field, 'must not be empty, except in a final assistant message')
    } else if (typeof content === 'string') {
      if (!/\S/.test(content)) add(field, 'expected at least one non-whitespace character')
    } else
      for (const [index, block] of content.entries()) {
        if (block.type !== 'text' || /\S/.test(block.text)) continue
        const empty = block.text === '' ? 'empty' : 'only whitespace'
        add(`${field}[${index}].text`, `must not be ${empty}: omit the block`)
      }
  }
}

/**
 * Each `tool_use` needs a `tool_result` at the start of the next turn, and each `tool_result` a `tool_use`.
 */
function checkToolUses(turns: readonly Turn[], add: Add): void {
  const known = new Set<string>()
  // The ids without a result, with their paths.
  let open = new Map<string, string>()
  for (const turn of turns) {
    if (turn.role === 'user') {
      checkResults(turn.blocks, open, add)
      open = new Map()
      continue
    }
    open = new Map()
    for (const { block, field } of turn.blocks) {
      if (block.type !== 'tool_use') continue
      if (known.has(block.id))
        add(`${field}.id`, `${show(block.id)} is not unique: each tool_use block needs a unique id`)
      known.add(block.id)
      open.set(block.id, field)
    }
  }
  checkAnswered(open, add)
}

function checkResults(blocks: Turn['blocks'], asked: ReadonlyMap<string, string>, add: Add): void {
  const open = new Map(asked)
  let other: string | undefined
  for (const { block, field } of blocks) {
    if (block.type !== 'tool_result') {
      other ??= field
      continue
    }
    const { tool_use_id: id } = block
    if (!open.delete(id)) {
      const reason = asked.has(id)
        ? 'has two tool_result blocks'
        : 'matches no tool_use block in the previous turn: each tool_result needs a matching tool_use'
      add(`${field}.tool_use_id`, `${show(id)} ${reason}`)
    } else if (other !== undefined) {
      add(field, `must precede ${other}: put the tool_result blocks of a turn first`)
    }
  }
  checkAnswered(open, add)
}

function checkAnswered(open: ReadonlyMap<string, string>, add: Add): void {
  const [field] = open.values()
  if (field === undefined) return
  const ids = Array.from(open.keys(), (id) => id.slice(0, 60)).slice(0, 8)
  add(
    field,
    '`tool_use` ids were found without `tool_result` blocks immediately after: ' +
      `${ids.join(', ')}. Each tool_use needs a tool_result at the start of the next turn`,
  )
}

/** The response continues a final assistant turn; some turns cannot be continued. */
function checkPrefill(body: MessagesRequest, turns: readonly Turn[], add: Add): void {
  const last = turns.at(-1)
  const waits = last?.role === 'user' && last.blocks.some(({ block }) => block.type === 'tool_result')
  const assistant = waits ? turns.at(-2) : last
  const first = assistant?.role === 'assistant' ? assistant.blocks[0] : undefined
  if (
    body.thinking?.type === 'enabled' &&
    first !== undefined &&
    first.block.type !== 'thinking' &&
    first.block.type !== 'redacted_thinking'
  )
    add(
      first.field,
      `expected a thinking or redacted_thinking block first, got ${show(first.block.type)}: when ` +
        'thinking is enabled, the last assistant turn must keep the thinking blocks of the response',
    )
  const end = last?.role === 'assistant' ? last.blocks.at(-1) : undefined
  if (end === undefined) return
  if (end.block.type === 'text' && /\s$/.test(end.block.text))
    add(end.field, 'must not end with whitespace, because the response continues this text')
  if (body.output_config?.format != null || body.output_format != null)
    add(
      end.field,
      'cannot be combined with output_config.format: omit the final assistant message or the format',
    )
}
