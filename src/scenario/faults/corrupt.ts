/** Some bytes of the body are changed. */
import * as z from 'zod'
import { everyOperation } from '../../protocol/operations.ts'
import { type BytePiece, offsetOf, type Place, sizeOf } from '../../protocol/pieces.ts'
import { defineFault } from './fault.ts'
import { afterBytes } from './places.ts'

export const corrupt = defineFault({
  kind: 'corrupt',
  part: 'body',
  what: 'Some bytes of the body are changed; its length stays right.',
  on: everyOperation,
  options: () =>
    z.strictObject({
      bytes: z.int().min(1).max(10_000).default(1).describe('How many bytes in a row are changed.'),
      afterBytes: afterBytes('How many bytes come before them; if left out, the seed decides.'),
    }),
  wire({ bytes, afterBytes }, random) {
    // A mask of zero would change nothing.
    const masks = Array.from({ length: bytes }, () => random.integer(1, 255))
    const place = afterBytes === undefined ? { afterShare: random.next() } : { afterBytes }
    return { body: { stage: 'bytes', change: (pieces) => masked(pieces, masks, place) } }
  },
})

// Media is shared by all replies that show it, so its bytes are copied.
function masked(pieces: readonly BytePiece[], masks: readonly number[], place: Place): readonly BytePiece[] {
  // A place at the very end moves back to where there are bytes.
  const from = Math.max(0, Math.min(offsetOf(pieces, place) ?? Infinity, sizeOf(pieces) - masks.length))
  let at = 0
  return pieces.map((piece) => {
    const start = at
    at += piece.content.length
    if (at <= from || start >= from + masks.length) return piece
    const content = piece.content.slice()
    for (const [index, mask] of masks.entries()) {
      const byte = content[from + index - start]
      if (byte !== undefined) content[from + index - start] = byte ^ mask
    }
    return { ...piece, content }
  })
}
