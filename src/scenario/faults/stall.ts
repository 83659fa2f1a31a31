/** Nothing more of a stream comes, and the connection stays open until the client leaves. */
import * as z from 'zod'
import { defineFault, onWire } from './fault.ts'
import { afterBytes, afterEvents, streaming } from './places.ts'

export const stall = defineFault({
  kind: 'stall',
  part: 'stream',
  what: 'The stream says nothing more and stays open until the client leaves.',
  on: streaming,
  inProcess: 'the body stream never ends',
  place: 'afterEvents',
  options: () =>
    z.strictObject({
      afterEvents: afterEvents(1),
      afterBytes: afterBytes('How many bytes arrive before it, in the place of events.'),
    }),
  edit: (reply, { afterEvents, afterBytes }) =>
    onWire(reply, { kind: 'stall', ...(afterBytes === undefined ? { afterEvents } : { afterBytes }) }),
})
