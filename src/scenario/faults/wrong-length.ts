/** The `content-length` is not the length of the body. */
import * as z from 'zod'
import { everyOperation } from '../../protocol/operations.ts'
import { defineFault } from './fault.ts'

export const wrongLength = defineFault({
  kind: 'wrong-length',
  part: 'headers',
  what: [
    'The `content-length` is too large (the connection ends before the body is complete) or too small',
    '(the body is cut at the declared length).',
  ].join(' '),
  on: everyOperation,
  inProcess: 'the body stream errors where bytes are missing, and ends where there are too many',
  options: () =>
    z.strictObject({
      by: z
        .int()
        .min(-1_000_000_000)
        .max(1_000_000_000)
        .default(16)
        .describe('The difference to the real length in bytes; negative for too small.'),
    }),
  wire: ({ by }) => ({ lengthOff: by }),
})
