/** Two events in the wrong order. */
import * as z from 'zod'
import { canStream } from '../../protocol/operations.ts'
import { defineFault } from './fault.ts'
import { afterEvents } from './places.ts'

export const outOfOrder = defineFault({
  kind: 'out-of-order',
  part: 'stream',
  what: 'Two consecutive events arrive in the wrong order.',
  on: canStream,
  options: () => z.strictObject({ afterEvents: afterEvents(1) }),
  events(events, { afterEvents }) {
    const [late, early] = [events[afterEvents], events[afterEvents + 1]]
    if (late === undefined || early === undefined) return events
    // Each instant stays; the events at them are exchanged.
    return [
      ...events.slice(0, afterEvents),
      { ...early, after: late.after },
      { ...late, after: early.after },
      ...events.slice(afterEvents + 2),
    ]
  },
})
