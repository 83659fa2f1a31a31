/** Several events that arrive in one read. */
import * as z from 'zod'
import { joinBytes } from '../../engine/join-bytes.ts'
import { canStream } from '../../protocol/operations.ts'
import { type BytePiece, eventIndex } from '../../protocol/pieces.ts'
import { defineFault } from './fault.ts'
import { afterEvents } from './places.ts'

export const joinEvents = defineFault({
  kind: 'join',
  part: 'stream',
  what: 'From one event on, events arrive in groups: several in one read, when the last of them is due.',
  on: canStream,
  options: () =>
    z.strictObject({
      afterEvents: afterEvents(0),
      events: z.int().min(2).default(3).describe('How many events arrive together.'),
    }),
  wire: ({ afterEvents, events }) => ({
    body: { stage: 'join', change: (pieces) => joined(pieces, afterEvents, events) },
  }),
})

function joined(pieces: readonly BytePiece[], afterEvents: number, count: number): readonly BytePiece[] {
  const from = eventIndex(pieces, afterEvents)
  if (from < 0) return pieces
  const changed = pieces.slice(0, from)
  let group: BytePiece[] = []
  let events = 0
  const close = (): void => {
    if (group.length > 0) changed.push(merged(group))
    group = []
    events = 0
  }
  for (const piece of pieces.slice(from)) {
    group.push(piece)
    events += piece.events
    if (events >= count) close()
  }
  close()
  return changed
}

const merged = (group: readonly BytePiece[]): BytePiece => ({
  after: group.reduce((sum, { after }) => sum + after, 0),
  content: joinBytes(group.map(({ content }) => content)),
  events: group.reduce((sum, { events }) => sum + events, 0),
  apart: true,
})
