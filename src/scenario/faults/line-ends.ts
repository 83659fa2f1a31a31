/** A stream with other line ends. */
import * as z from 'zod'
import { canStream } from '../../protocol/operations.ts'
import { defineFault } from './fault.ts'
import { frame } from './frames.ts'

export const lineEnds = defineFault({
  kind: 'line-ends',
  part: 'stream',
  what: 'The lines of the stream end with CRLF or CR, which are as valid as LF.',
  on: canStream,
  options: () => z.strictObject({ ends: z.enum(['crlf', 'cr']).default('crlf').describe('How lines end.') }),
  seen: ({ ends }) =>
    `The lines of the stream end with ${ends === 'cr' ? 'CR' : 'CRLF'}, which is as valid as LF.`,
  events: (events, { ends }) =>
    events.map((event) => ({
      ...event,
      raw: frame(event).replaceAll('\n', ends === 'crlf' ? '\r\n' : '\r'),
    })),
})
