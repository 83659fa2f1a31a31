/** One event whose data cannot be parsed. */
import * as z from 'zod'
import { defineFault, withEvents } from './fault.ts'
import { broken } from './frames.ts'
import { afterEvents, streaming } from './places.ts'

export const malformedEvent = defineFault({
  kind: 'malformed-event',
  part: 'stream',
  what: 'The data of one event is broken JSON; the events after it are whole.',
  on: streaming,
  inProcess: 'the same event',
  place: 'afterEvents',
  options: () => z.strictObject({ afterEvents: afterEvents(1) }),
  edit: (reply, { afterEvents }) =>
    withEvents(reply, (events) =>
      events.map((event, index) => (index === afterEvents ? { ...event, raw: broken(event) } : event)),
    ),
})
