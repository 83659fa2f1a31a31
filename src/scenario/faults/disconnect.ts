/** The connection breaks in the middle of a stream: everything before arrives, nothing after. */
import * as z from 'zod'
import { canStream } from '../../protocol/operations.ts'
import { cutAt } from '../../protocol/pieces.ts'
import { defineFault } from './fault.ts'
import { afterBytes, afterEvents } from './places.ts'

export const disconnect = defineFault({
  kind: 'disconnect',
  part: 'stream',
  what: 'The connection breaks in the middle of the stream: what was said before arrives, then the socket is reset (RST) or closed, or the stream ends as if it were whole.',
  on: canStream,
  endsStream: true,
  inProcess: 'the body stream errors (`reset`, `close`) or ends (`end`) at the same place',
  options: () =>
    z.strictObject({
      afterEvents: afterEvents(1),
      afterBytes: afterBytes('How many bytes arrive before it, in the place of events.'),
      how: z
        .enum(['reset', 'close', 'end'])
        .default('reset')
        .describe(
          'Whether the client sees a reset, an end without the end of the body, or an end in all order.',
        ),
    }),
  seen: ({ how }) =>
    `The connection breaks in the middle of the stream: what was said before arrives, then ${how === 'reset' ? 'the socket is reset (RST)' : how === 'close' ? 'the socket is closed' : 'the stream ends as if it were whole'}.`,
  wire: ({ afterEvents, afterBytes, how }) => cutAt({ afterEvents, afterBytes }, how),
})
