/** Several events that arrive in one read. */
import * as z from 'zod'
import { defineFault, onWire } from './fault.ts'
import { afterEvents, streaming } from './places.ts'

export const joinEvents = defineFault({
  kind: 'join',
  part: 'stream',
  what: 'From some place on, several events at a time arrive in one read, when the last of them is due.',
  on: streaming,
  inProcess: 'the body stream gives the same chunks',
  place: 'afterEvents',
  options: () =>
    z.strictObject({
      afterEvents: afterEvents(0),
      events: z.int().min(2).default(3).describe('How many events come at a time.'),
    }),
  edit: (reply, { afterEvents, events }) => onWire(reply, { kind: 'join', afterEvents, events }),
})
