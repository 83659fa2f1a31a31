/** Comments between the events of a stream. */
import * as z from 'zod'
import { canStream } from '../../protocol/operations.ts'
import { type BytePiece, maxPieces } from '../../protocol/pieces.ts'
import { duration } from '../format/values.ts'
import { defineFault } from './fault.ts'

export const keepAlive = defineFault({
  kind: 'keep-alive',
  part: 'stream',
  what: [
    'Comments (`: ping`) arrive between the events, as servers send them to keep a connection open; at',
    'most 10,000 more comments than events.',
  ].join(' '),
  on: canStream,
  options: () =>
    z.strictObject({
      text: z
        .string()
        .regex(/^[^\r\n]*$/, 'expected one line')
        .default('ping')
        .describe('The text of the comment.'),
      every: duration('Send one after this time without an event.').optional(),
      events: z
        .int()
        .min(1)
        .optional()
        .describe('Send one after this many events; after each event if neither option is set.'),
    }),
  wire: ({ text, every, events = every === undefined ? 1 : undefined }) => ({
    body: { stage: 'comments', change: (pieces) => commented(pieces, text, every, events) },
  }),
})

function commented(
  pieces: readonly BytePiece[],
  text: string,
  every: number | undefined,
  events: number | undefined,
): readonly BytePiece[] {
  const content = new TextEncoder().encode(`: ${text}\n\n`)
  const comment = (after: number): BytePiece => ({ after, content, events: 0, apart: false })
  const interval = every === undefined ? undefined : Math.max(1, every)
  const changed: BytePiece[] = []
  let count = 0
  for (const [index, piece] of pieces.entries()) {
    let { after } = piece
    if (interval !== undefined)
      for (; after > interval && changed.length < pieces.length + maxPieces; after -= interval)
        changed.push(comment(interval))
    changed.push({ ...piece, after })
    count += piece.events
    if (events !== undefined && piece.events > 0 && count % events === 0 && index < pieces.length - 1)
      changed.push(comment(0))
  }
  return changed
}
