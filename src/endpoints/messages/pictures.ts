/** The pictures that a messages request names by address or id: each must be there if it was uploaded. */
import { pictureInRequest } from '../../behaviours/uploads/picture-in-request.ts'
import type { Context } from '../../protocol/endpoint.ts'
import { type AssistantBlock, type MessagesRequest, pictureElsewhere, type UserBlock } from './request.ts'

type Block = UserBlock | AssistantBlock

/** Throws 400 for a picture that is named and cannot be used. */
export function checkPictures({ messages }: MessagesRequest, context: Context): void {
  for (const [index, { content }] of messages.entries())
    if (typeof content !== 'string') checkBlocks(content, ['messages', index, 'content'], context)
}

function checkBlocks(blocks: readonly Block[], path: readonly PropertyKey[], context: Context): void {
  for (const [index, block] of blocks.entries()) {
    const here = [...path, index]
    if (block.type === 'image') {
      const { source } = block
      if (source.type === 'url')
        pictureInRequest(source.url, [...here, 'source', 'url'], pictureElsewhere, context)
      // File ids are not checked, unless one names an upload.
      if (source.type === 'file')
        pictureInRequest(source.file_id, [...here, 'source', 'file_id'], anyId, context)
    } else if (block.type === 'tool_result' && Array.isArray(block.content))
      checkBlocks(block.content, [...here, 'content'], context)
    else if (
      block.type === 'document' &&
      block.source.type === 'content' &&
      typeof block.source.content !== 'string'
    )
      checkBlocks(block.source.content, [...here, 'source', 'content'], context)
  }
}

const anyId = { fits: /^/, expected: '' }
