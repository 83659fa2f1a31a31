/** A stream whose lines end otherwise. */
import * as z from 'zod'
import { canStream } from '../../protocol/operations.ts'
import { defineFault } from './fault.ts'
import { frame } from './frames.ts'

export const lineEnds = defineFault({
  kind: 'line-ends',
  part: 'stream',
  what: 'The lines of the stream end with CRLF, or with CR alone; both are as valid as LF.',
  on: canStream,
  inProcess: 'the same bytes',
  options: () => z.strictObject({ ends: z.enum(['crlf', 'cr']).default('crlf').describe('How lines end.') }),
  seen: ({ ends }) =>
    `The lines of the stream end with ${ends === 'cr' ? 'CR alone, which is as valid as LF' : 'CRLF, which is as valid as LF'}.`,
  events: (events, { ends }) =>
    events.map((event) => ({
      ...event,
      raw: frame(event).replaceAll('\n', ends === 'crlf' ? '\r\n' : '\r'),
    })),
})
