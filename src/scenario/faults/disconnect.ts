/** The connection breaks after so many events of a stream: everything before arrives, nothing after. */
import * as z from 'zod'
import { defineFault } from './fault.ts'
import { streaming } from './places.ts'

export const disconnect = defineFault({
  kind: 'disconnect',
  part: 'stream',
  what: 'The connection breaks in the middle of the stream: what was said before arrives, then the socket is reset, or ended as if the stream were whole.',
  on: streaming,
  inProcess: 'the body stream errors (`reset`) or ends (`end`) at the same place',
  place: 'afterEvents',
  options: () =>
    z.strictObject({
      afterEvents: z.int().min(0).default(1).describe('How many events arrive before it.'),
      how: z.enum(['reset', 'end']).default('reset').describe('Whether the client sees an error or an early end.'),
    }),
  edit: (reply, { afterEvents, how }) => ({ ...reply, wire: [...(reply.wire ?? []), { kind: 'cut', afterEvents, how }] }),
})
