/**
 * Checks the turns of a conversation: who begins, what may be empty, and that tool uses are answered
 * (wire-formats 3.1).
 */
import type { Finding } from '../../protocol/findings.ts'
import { show } from '../../protocol/wording.ts'
import type { MessagesRequest } from './request.ts'
import type { PlacedBlock, Turn } from './turns.ts'

/** Every breach, in the order of the messages. */
export function* turnFindings(body: MessagesRequest, turns: readonly Turn[]): Generator<Finding> {
  const { messages } = body
  if (messages[0]?.role === 'assistant')
    yield { field: 'messages[0].role', message: 'expected "user" in the first message, got "assistant"' }
  yield* emptyFindings(messages)
  yield* toolFindings(turns)
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
function* toolFindings(turns: readonly Turn[]): Generator<Finding> {
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
