/** One event that is sent more than once. */
import * as z from 'zod'
import { canStream } from '../../protocol/operations.ts'
import { defineFault } from './fault.ts'
import { afterEvents } from './places.ts'

export const duplicate = defineFault({
  kind: 'duplicate',
  part: 'stream',
  what: 'One event is sent several times.',
  on: canStream,
  options: () =>
    z.strictObject({
      afterEvents: afterEvents(1),
      times: z.int().min(2).max(1000).default(2).describe('How many times it is sent.'),
    }),
  events: (events, { afterEvents, times }) =>
    events.flatMap((event, index) =>
      index === afterEvents
        ? [event, ...Array.from({ length: times - 1 }, () => ({ ...event, after: 0 }))]
        : [event],
    ),
})
