/** A stream whose data stands in several lines. */
import * as z from 'zod'
import { canStream } from '../../protocol/operations.ts'
import { defineFault } from './fault.ts'
import { frame, inLines } from './frames.ts'

export const multiLineData = defineFault({
  kind: 'multi-line-data',
  part: 'stream',
  what: 'The JSON of each event stands in several `data:` lines, which clients are to join with line ends.',
  on: canStream,
  inProcess: 'the same bytes',
  options: () => z.strictObject({}),
  events: (events) =>
    events.map((event) =>
      event.raw === undefined ? { ...event, raw: frame({ ...event, data: inLines(event.data) }) } : event,
    ),
})
