/** The body arrives a few bytes at a time. */
import * as z from 'zod'
import { everyOperation } from '../../protocol/operations.ts'
import { type BytePiece, maxPieces, sizeOf } from '../../protocol/pieces.ts'
import { duration } from '../format/values.ts'
import { defineFault } from './fault.ts'

export const dribble = defineFault({
  kind: 'dribble',
  part: 'body',
  what: 'The body arrives a few bytes at a time with pauses in between, in at most 10,000 pieces.',
  on: everyOperation,
  options: () =>
    z.strictObject({
      bytes: z.int().min(1).default(16).describe('How many bytes arrive at a time.'),
      every: duration('The time between two pieces.').prefault('100ms'),
    }),
  wire: ({ bytes, every }) => ({
    body: { stage: 'dribble', change: (pieces) => dribbled(pieces, bytes, every) },
  }),
})

// The pieces are larger when there would be too many of them.
function dribbled(pieces: readonly BytePiece[], bytes: number, every: number): readonly BytePiece[] {
  const size = Math.max(1, bytes, Math.ceil(sizeOf(pieces) / maxPieces))
  const small: BytePiece[] = []
  for (const { after, content, events } of pieces) {
    for (let at = 0; at < content.length; at += size) {
      const first = small.length === 0
      small.push({
        after: (at === 0 ? after : 0) + (first ? 0 : every),
        content: content.subarray(at, at + size),
        events: at + size >= content.length ? events : 0,
        apart: !first,
      })
    }
  }
  return small
}
