/** One event whose data cannot be parsed. */
import * as z from 'zod'
import { canStream } from '../../protocol/operations.ts'
import { defineFault } from './fault.ts'
import { broken } from './frames.ts'
import { afterEvents } from './places.ts'

export const malformedEvent = defineFault({
  kind: 'malformed-event',
  part: 'stream',
  what: 'The data of one event is broken JSON; the events after it are valid.',
  on: canStream,
  options: () => z.strictObject({ afterEvents: afterEvents(1) }),
  events: (events, { afterEvents }) =>
    events.map((event, index) => (index === afterEvents ? { ...event, raw: broken(event) } : event)),
})
