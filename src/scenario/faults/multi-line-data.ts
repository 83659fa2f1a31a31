/** Events whose data is spread over several lines. */
import * as z from 'zod'
import { canStream } from '../../protocol/operations.ts'
import { defineFault } from './fault.ts'
import { frame, inLines } from './frames.ts'

export const multiLineData = defineFault({
  kind: 'multi-line-data',
  part: 'stream',
  what: 'The JSON of each event is spread over several `data:` lines, which clients must join.',
  on: canStream,
  options: () => z.strictObject({}),
  events: (events) =>
    events.map((event) =>
      event.raw === undefined ? { ...event, raw: frame({ ...event, data: inLines(event.data) }) } : event,
    ),
})
