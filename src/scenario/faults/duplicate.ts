/** One event that comes more than once. */
import * as z from 'zod'
import { defineFault, withEvents } from './fault.ts'
import { afterEvents, streaming } from './places.ts'

export const duplicate = defineFault({
  kind: 'duplicate',
  part: 'stream',
  what: 'One event comes twice, or more often.',
  on: streaming,
  inProcess: 'the same events',
  place: 'afterEvents',
  options: () =>
    z.strictObject({
      afterEvents: afterEvents(1),
      times: z.int().min(2).max(1000).default(2).describe('How often it comes.'),
    }),
  edit: (reply, { afterEvents, times }) =>
    withEvents(reply, (events) =>
      events.flatMap((event, index) =>
        index === afterEvents
          ? [event, ...Array.from({ length: times - 1 }, () => ({ ...event, after: 0 }))]
          : [event],
      ),
    ),
})
