/** The turns of a conversation: messages of the same role in a row are one turn (wire-formats 3.1). */
import type { AssistantBlock, MessagesRequest, UserBlock } from './request.ts'

export interface PlacedBlock<Block> {
  readonly block: Block
  /** As `messages[0].content[1]`. */
  readonly field: string
}

export type Turn =
  | { readonly role: 'user'; readonly blocks: readonly PlacedBlock<UserBlock>[] }
  | { readonly role: 'assistant'; readonly blocks: readonly PlacedBlock<AssistantBlock>[] }

/** The turns, each with its blocks and their paths; string content counts as one text block. */
export function turnsOf(messages: MessagesRequest['messages']): readonly Turn[] {
  const turns: { role: Turn['role']; blocks: PlacedBlock<UserBlock | AssistantBlock>[] }[] = []
  for (const [at, { role, content }] of messages.entries()) {
    const field = `messages[${at}].content`
    const blocks: PlacedBlock<UserBlock | AssistantBlock>[] =
      typeof content !== 'string'
        ? content.map((block, index) => ({ block, field: `${field}[${index}]` }))
        : content === ''
          ? []
          : [{ block: { type: 'text', text: content }, field }]
    const last = turns.at(-1)
    // No spread: a turn may have more blocks than a call can take arguments.
    if (last?.role === role) for (const block of blocks) last.blocks.push(block)
    else turns.push({ role, blocks })
  }
  return turns as readonly Turn[]
}

/** The text blocks of some blocks, joined. */
export function turnText(
  blocks: readonly { readonly block: UserBlock | AssistantBlock }[],
  between: string,
): string {
  return blocks.flatMap(({ block }) => (block.type === 'text' ? [block.text] : [])).join(between)
}
