/** What the fields of a messages request demand of each other and of the settings. */
import { modelAccess } from '../../protocol/auth.ts'
import type { Call } from '../../protocol/call.ts'
import { ApiError } from '../../protocol/errors.ts'
import type { Finding } from '../../protocol/findings.ts'
import type { Settings } from '../../protocol/settings.ts'
import { invalid } from '../../protocol/validate.ts'
import { show } from '../../protocol/wording.ts'
import type { PlacedBlock, Turn } from './read-request.ts'
import { type MessagesRequest, messagesRequest } from './request.ts'

/** The parameter of conversations that the service would have to remember. */
export const threadField = 'thread'

/** The refusal of a conversation that the service would have to remember (contract 4.3: stateless). */
export function threadsUnsupported(): ApiError {
  return new ApiError(
    'invalid_request_error',
    '`thread`: message threads are not offered, this API is stateless: send all messages with every call ' +
      '(with the tool runner of the SDK, `thread: false` saves this refusal).',
    { param: threadField },
  )
}

const maxFindings = 20

/** Throws 404 or 403 for the model; suites look for the word `model:` (wire-formats 1.3). */
export function checkMessagesModel({ body, key }: Call<MessagesRequest>, settings: Settings): void {
  const access = modelAccess(body.model, key, 'messages', settings)
  if (access === 'unknown')
    throw new ApiError(
      'not_found_error',
      `model: ${body.model} (settings: models.messages holds ${settings.models.messages?.join(', ')})`,
      { param: 'model' },
    )
  if (access === 'not-enabled')
    throw new ApiError(
      'permission_error',
      `model: ${body.model} is not enabled for this API key (settings: keys).`,
      { param: 'model' },
    )
}

/** Throws 400 with every finding. */
export function checkDependencies(body: MessagesRequest, turns: readonly Turn[], settings: Settings): void {
  const findings: Finding[] = []
  for (const group of [
    optionFindings(body, settings),
    thinkingFindings(body),
    toolFindings(body),
    turnFindings(body, turns),
  ]) {
    for (const finding of group) {
      if (findings.length === maxFindings) break
      findings.push(finding)
    }
  }
  if (findings.length > 0) throw invalid(findings, undefined)
}

function* optionFindings(body: MessagesRequest, { messages }: Settings): Generator<Finding> {
  if (body.max_tokens > messages.maxTokens)
    yield {
      field: 'max_tokens',
      message: `expected at most ${messages.maxTokens} (setting messages.maxTokens), got ${body.max_tokens}`,
    }
  if (body.output_format != null && body.output_config?.format != null)
    yield {
      field: 'output_format',
      message: 'and output_config.format were both given: send output_config.format alone',
    }
  if (messages.unknownParameters === 'refuse') {
    for (const name of Object.keys(body))
      if (!Object.hasOwn(messagesRequest.shape, name))
        yield { field: name, message: 'is not a parameter of messages (setting messages.unknownParameters)' }
  }
}

function* thinkingFindings(body: MessagesRequest): Generator<Finding> {
  const { thinking } = body
  if (thinking?.type !== 'enabled' && thinking?.type !== 'adaptive') return
  const forced = body.tool_choice?.type === 'any' || body.tool_choice?.type === 'tool'
  if (forced)
    yield {
      field: 'tool_choice',
      message:
        'may not force a tool when thinking is on: expected the type "auto" or "none", got ' +
        `${show(body.tool_choice?.type)}`,
    }
  if (thinking.type !== 'enabled') return
  if (thinking.budget_tokens >= body.max_tokens)
    yield {
      field: 'thinking.budget_tokens',
      message: `expected less than max_tokens (${body.max_tokens}), got ${thinking.budget_tokens}`,
    }
  if (body.temperature != null && body.temperature !== 1)
    yield { field: 'temperature', message: `may only be 1 when thinking is enabled, got ${body.temperature}` }
  if (body.top_k != null)
    yield { field: 'top_k', message: 'may not be set when thinking is enabled: remove it' }
  if (body.top_p != null && body.top_p < 0.95)
    yield { field: 'top_p', message: `expected 0.95 to 1 when thinking is enabled, got ${body.top_p}` }
}

function* toolFindings(body: MessagesRequest): Generator<Finding> {
  const names = new Map<string, number>()
  for (const [index, { name }] of (body.tools ?? []).entries()) {
    const before = names.get(name)
    if (before !== undefined)
      yield {
        field: `tools[${index}].name`,
        message: `repeats the name of tools[${before}]: got ${show(name)} twice`,
      }
    names.set(name, index)
  }
  const choice = body.tool_choice
  if (choice == null || choice.type === 'auto' || choice.type === 'none') return
  if (names.size === 0)
    yield { field: 'tool_choice', message: 'may only force a tool when `tools` are given' }
  else if (choice.type === 'tool' && !names.has(choice.name))
    yield {
      field: 'tool_choice.name',
      message:
        `names the tool ${show(choice.name)}, but \`tools\` holds ` +
        `${[...names.keys()].map(show).join(', ')}`,
    }
}

/**
 * Checks the turns of a conversation: who begins, what may be empty, and that tool uses are answered
 * (wire-formats 3.1). Every breach, in the order of the messages.
 */
function* turnFindings(body: MessagesRequest, turns: readonly Turn[]): Generator<Finding> {
  const { messages } = body
  if (messages[0]?.role === 'assistant')
    yield { field: 'messages[0].role', message: 'expected "user" in the first message, got "assistant"' }
  yield* emptyFindings(messages)
  yield* toolUseFindings(turns)
  yield* prefillFindings(body, turns)
}

function* emptyFindings(messages: MessagesRequest['messages']): Generator<Finding> {
  for (const [at, { role, content }] of messages.entries()) {
    const field = `messages[${at}].content`
    if (content.length === 0) {
      // An empty last message of the assistant counts as none.
      if (role === 'assistant' && at === messages.length - 1) continue
      yield { field, message: 'must not be empty (only a final message of the assistant may be)' }
    } else if (typeof content === 'string') {
      if (!/\S/.test(content)) yield { field, message: 'expected text with something else than white space' }
    } else {
      for (const [index, block] of content.entries()) {
        if (block.type === 'text' && !/\S/.test(block.text))
          yield {
            field: `${field}[${index}].text`,
            message:
              block.text === ''
                ? 'must not be empty: leave the block out'
                : 'must not be empty or white space alone: leave the block out',
          }
      }
    }
  }
}

/**
 * Each `tool_use` is answered at the beginning of the next turn, and each `tool_result` answers one of the
 * turn before.
 */
function* toolUseFindings(turns: readonly Turn[]): Generator<Finding> {
  const known = new Set<string>()
  let open = new Map<string, string>()
  for (const turn of turns) {
    if (turn.role === 'assistant') {
      open = new Map()
      for (const { block, field } of turn.blocks) {
        if (block.type !== 'tool_use') continue
        if (known.has(block.id))
          yield {
            field: `${field}.id`,
            message: `${show(block.id)} was used before: the ids of tool_use blocks must be unique`,
          }
        known.add(block.id)
        open.set(block.id, field)
      }
    } else {
      yield* resultFindings(turn.blocks, open)
      open = new Map()
    }
  }
  yield* unanswered(open)
}

function* resultFindings(
  blocks: readonly PlacedBlock<{ readonly type: string; readonly tool_use_id?: unknown }>[],
  asked: ReadonlyMap<string, string>,
): Generator<Finding> {
  const open = new Map(asked)
  let other: string | undefined
  for (const { block, field } of blocks) {
    if (block.type !== 'tool_result') {
      other ??= field
      continue
    }
    const id = block.tool_use_id as string
    if (!open.delete(id))
      yield {
        field: `${field}.tool_use_id`,
        message:
          `${show(id)} ` +
          (asked.has(id)
            ? 'is answered twice'
            : 'is no tool_use of the turn before: each tool_result must answer one'),
      }
    else if (other !== undefined)
      yield {
        field,
        message:
          `must stand before the other blocks of its turn (here ${other}): ` +
          'tool_result blocks come first',
      }
  }
  yield* unanswered(open)
}

function* unanswered(open: ReadonlyMap<string, string>): Generator<Finding> {
  const [field] = open.values()
  if (field === undefined) return
  yield {
    field,
    message: `\`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${[...open.keys()]
      .slice(0, 8)
      .map((id) => id.slice(0, 60))
      .join(', ')}. Each tool_use must be answered at the beginning of the next turn`,
  }
}

/** A last turn of the assistant is continued; some answers cannot be. */
function* prefillFindings(body: MessagesRequest, turns: readonly Turn[]): Generator<Finding> {
  const thinks = body.thinking?.type === 'enabled'
  const last = turns.at(-1)
  const waiting = last?.role === 'user' && last.blocks.some(({ block }) => block.type === 'tool_result')
  const assistant = waiting ? turns.at(-2) : last
  const first = assistant?.role === 'assistant' ? assistant.blocks[0] : undefined
  if (
    thinks &&
    first !== undefined &&
    first.block.type !== 'thinking' &&
    first.block.type !== 'redacted_thinking'
  ) {
    yield {
      field: first.field,
      message:
        `expected a thinking or redacted_thinking block first, got ${show(first.block.type)}: when ` +
        'thinking is enabled, the last turn of the assistant begins with the thinking it came with',
    }
  }
  if (last?.role !== 'assistant') return
  const end = last.blocks.at(-1)
  if (end === undefined) return
  if (end.block.type === 'text' && /\s$/.test(end.block.text))
    yield { field: end.field, message: 'is continued, and must not end with white space' }
  if (body.output_config?.format != null || body.output_format != null)
    yield {
      field: end.field,
      message:
        'cannot be continued in the shape of output_config.format: leave the last message of the ' +
        'assistant out, or the format',
    }
}
