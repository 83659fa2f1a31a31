/** Nothing more of a stream comes, and the connection stays open until the client leaves. */
import * as z from 'zod'
import { canStream } from '../../protocol/operations.ts'
import { cutAt } from '../../protocol/pieces.ts'
import { defineFault } from './fault.ts'
import { afterBytes, afterEvents } from './places.ts'

export const stall = defineFault({
  kind: 'stall',
  part: 'stream',
  what: 'The stream says nothing more and stays open until the client leaves.',
  on: canStream,
  endsStream: true,
  inProcess: 'the body stream never ends',
  options: () =>
    z.strictObject({
      afterEvents: afterEvents(1),
      afterBytes: afterBytes('How many bytes arrive before it, in the place of events.'),
    }),
  wire: ({ afterEvents, afterBytes }) => cutAt({ afterEvents, afterBytes }, 'stall'),
})
