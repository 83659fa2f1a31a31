/** A stream whose lines end otherwise. */
import * as z from 'zod'
import { defineFault, withEvents } from './fault.ts'
import { frame } from './frames.ts'
import { streaming } from './places.ts'

export const lineEnds = defineFault({
  kind: 'line-ends',
  part: 'stream',
  what: 'The lines of the stream end with CRLF, or with CR alone; both are as valid as LF.',
  on: streaming,
  inProcess: 'the same bytes',
  options: () => z.strictObject({ ends: z.enum(['crlf', 'cr']).default('crlf').describe('How lines end.') }),
  seen: ({ ends }) =>
    `The lines of the stream end with ${ends === 'cr' ? 'CR alone, which is as valid as LF' : 'CRLF, which is as valid as LF'}.`,
  edit: (reply, { ends }) =>
    withEvents(reply, (events) =>
      events.map((event) => ({
        ...event,
        raw: frame(event).replaceAll('\n', ends === 'crlf' ? '\r\n' : '\r'),
      })),
    ),
})
