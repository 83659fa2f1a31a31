/** What the fields of a messages request demand of each other and of the settings. */
import { modelAccess } from '../../protocol/auth.ts'
import type { Call } from '../../protocol/call.ts'
import { ApiError } from '../../protocol/errors.ts'
import type { Finding } from '../../protocol/findings.ts'
import type { Settings } from '../../protocol/settings.ts'
import { invalid } from '../../protocol/validate.ts'
import { show } from '../../protocol/wording.ts'
import type { Turn } from './read-request.ts'
import { type MessagesRequest, messagesRequest } from './request.ts'

/** The parameter of conversations that the service would have to remember. */
export const threadField = 'thread'

/** The rejection of a conversation that the service would have to remember (contract 4.3: stateless). */
export function threadsUnsupported(): ApiError {
  return new ApiError(
    'invalid_request_error',
    '`thread`: message threads are not offered, this API is stateless: send all messages with every call ' +
      '(with the tool runner of the SDK, `thread: false` saves this rejection).',
    { param: threadField },
  )
}

/** Throws 404 or 403 for the model; suites look for the word `model:` (wire-formats 1.3). */
export function checkMessagesModel(
  { body: { model }, key }: Call<MessagesRequest>,
  settings: Settings,
): void {
  const access = modelAccess(model, key, 'messages', settings)
  if (access === 'unknown') {
    const known = `(settings: models.messages holds ${settings.models.messages?.join(', ')})`
    throw new ApiError('not_found_error', `model: ${model} ${known}`, { param: 'model' })
  }
  if (access === 'not-enabled') {
    const message = `model: ${model} is not enabled for this API key (settings: keys).`
    throw new ApiError('permission_error', message, { param: 'model' })
  }
}

type Add = (field: string, message: string) => void

const maxFindings = 20

/** Throws 400 with every finding. */
export function checkDependencies(body: MessagesRequest, turns: readonly Turn[], settings: Settings): void {
  const findings: Finding[] = []
  const add: Add = (field, message) => {
    if (findings.length < maxFindings) findings.push({ field, message })
  }
  checkOptions(body, settings, add)
  checkThinking(body, add)
  checkTools(body, add)
  // Who begins, what may be empty, and that tool uses are answered (wire-formats 3.1).
  if (body.messages[0]?.role === 'assistant')
    add('messages[0].role', 'expected "user" in the first message, got "assistant"')
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
    add('output_format', 'and output_config.format were both given: send output_config.format alone')
  if (messages.unknownParameters === 'reject')
    for (const name of Object.keys(body))
      if (!Object.hasOwn(messagesRequest.fields, name))
        add(name, 'is not a parameter of messages (setting messages.unknownParameters)')
}

function checkThinking(body: MessagesRequest, add: Add): void {
  const { thinking, tool_choice: choice } = body
  if (thinking?.type !== 'enabled' && thinking?.type !== 'adaptive') return
  if (choice?.type === 'any' || choice?.type === 'tool') {
    const expected = 'expected the type "auto" or "none"'
    add('tool_choice', `may not force a tool when thinking is on: ${expected}, got ${show(choice.type)}`)
  }
  if (thinking.type !== 'enabled') return
  const { budget_tokens: budget } = thinking
  if (budget >= body.max_tokens)
    add('thinking.budget_tokens', `expected less than max_tokens (${body.max_tokens}), got ${budget}`)
  if (body.temperature != null && body.temperature !== 1)
    add('temperature', `may only be 1 when thinking is enabled, got ${body.temperature}`)
  if (body.top_k != null) add('top_k', 'may not be set when thinking is enabled: remove it')
  if (body.top_p != null && body.top_p < 0.95)
    add('top_p', `expected 0.95 to 1 when thinking is enabled, got ${body.top_p}`)
}

function checkTools({ tools, tool_choice: choice }: MessagesRequest, add: Add): void {
  const names = new Map<string, number>()
  for (const [index, { name }] of (tools ?? []).entries()) {
    const before = names.get(name)
    if (before !== undefined)
      add(`tools[${index}].name`, `repeats the name of tools[${before}]: got ${show(name)} twice`)
    names.set(name, index)
  }
  if (choice == null || choice.type === 'auto' || choice.type === 'none') return
  if (names.size === 0) add('tool_choice', 'may only force a tool when `tools` are given')
  else if (choice.type === 'tool' && !names.has(choice.name)) {
    const known = [...names.keys()].map(show).join(', ')
    add('tool_choice.name', `names the tool ${show(choice.name)}, but \`tools\` holds ${known}`)
  }
}

function checkEmpty(messages: MessagesRequest['messages'], add: Add): void {
  for (const [at, { role, content }] of messages.entries()) {
    const field = `messages[${at}].content`
    if (content.length === 0) {
      // An empty last message of the assistant counts as none.
      if (role !== 'assistant' || at < messages.length - 1)
        add(field, 'must not be empty (only a final message of the assistant may be)')
    } else if (typeof content === 'string') {
      if (!/\S/.test(content)) add(field, 'expected text with something else than white space')
    } else
      for (const [index, block] of content.entries()) {
        if (block.type !== 'text' || /\S/.test(block.text)) continue
        const empty = block.text === '' ? 'empty' : 'empty or white space alone'
        add(`${field}[${index}].text`, `must not be ${empty}: leave the block out`)
      }
  }
}

/**
 * Each `tool_use` is answered at the beginning of the next turn, and each `tool_result` answers one of the
 * turn before.
 */
function checkToolUses(turns: readonly Turn[], add: Add): void {
  const known = new Set<string>()
  // The ids that wait for their result, with their places.
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
        add(`${field}.id`, `${show(block.id)} was used before: the ids of tool_use blocks must be unique`)
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
        ? 'is answered twice'
        : 'is no tool_use of the turn before: each tool_result must answer one'
      add(`${field}.tool_use_id`, `${show(id)} ${reason}`)
    } else if (other !== undefined) {
      const order = `(here ${other}): tool_result blocks come first`
      add(field, `must stand before the other blocks of its turn ${order}`)
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
      `${ids.join(', ')}. Each tool_use must be answered at the beginning of the next turn`,
  )
}

/** A last turn of the assistant is continued; some answers cannot be. */
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
        'thinking is enabled, the last turn of the assistant begins with the thinking it came with',
    )
  const end = last?.role === 'assistant' ? last.blocks.at(-1) : undefined
  if (end === undefined) return
  if (end.block.type === 'text' && /\s$/.test(end.block.text))
    add(end.field, 'is continued, and must not end with white space')
  if (body.output_config?.format != null || body.output_format != null)
    add(
      end.field,
      'cannot be continued in the shape of output_config.format: leave the last message of the ' +
        'assistant out, or the format',
    )
}
