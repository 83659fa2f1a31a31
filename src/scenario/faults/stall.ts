/** A stream that stops and stays open. */
import * as z from 'zod'
import { canStream } from '../../protocol/operations.ts'
import { cutAt } from '../../protocol/pieces.ts'
import { defineFault } from './fault.ts'
import { afterBytes, afterEvents } from './places.ts'

export const stall = defineFault({
  kind: 'stall',
  part: 'stream',
  what: 'The stream stops and stays open until the client closes it.',
  on: canStream,
  endsStream: true,
  inProcess: 'the body stream never ends',
  options: () =>
    z.strictObject({
      afterEvents: afterEvents(1),
      afterBytes: afterBytes('How many bytes arrive before it, instead of events.'),
    }),
  wire: ({ afterEvents, afterBytes }) => cutAt({ afterEvents, afterBytes }, 'stall'),
})
