/** A stream whose data stands in several lines. */
import * as z from 'zod'
import { defineFault, withEvents } from './fault.ts'
import { frame, inLines } from './frames.ts'
import { streaming } from './places.ts'

export const multiLineData = defineFault({
  kind: 'multi-line-data',
  part: 'stream',
  what: 'The JSON of each event stands in several `data:` lines, which clients are to join with line ends.',
  on: streaming,
  inProcess: 'the same bytes',
  options: () => z.strictObject({}),
  edit: (reply) =>
    withEvents(reply, (events) =>
      events.map((event) =>
        event.raw === undefined ? { ...event, raw: frame({ ...event, data: inLines(event.data) }) } : event,
      ),
    ),
})
