/** Two events that have changed places. */
import * as z from 'zod'
import { defineFault, withEvents } from './fault.ts'
import { afterEvents, streaming } from './places.ts'

export const outOfOrder = defineFault({
  kind: 'out-of-order',
  part: 'stream',
  what: 'One event comes behind the one that should follow it.',
  on: streaming,
  inProcess: 'the same events',
  place: 'afterEvents',
  options: () => z.strictObject({ afterEvents: afterEvents(1) }),
  edit: (reply, { afterEvents }) =>
    withEvents(reply, (events) => {
      const [late, early] = [events[afterEvents], events[afterEvents + 1]]
      if (late === undefined || early === undefined) return events
      // The instants stay; what is said at them changes.
      return [
        ...events.slice(0, afterEvents),
        { ...early, after: late.after },
        { ...late, after: early.after },
        ...events.slice(afterEvents + 2),
      ]
    }),
})
