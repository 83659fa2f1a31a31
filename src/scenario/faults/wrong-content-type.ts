/** The reply says that it is of another media type. */
import * as z from 'zod'
import { everyOperation } from '../../protocol/operations.ts'
import { defineFault } from './fault.ts'

export const wrongContentType = defineFault({
  kind: 'wrong-content-type',
  part: 'headers',
  what: 'The reply says that it is something else than it is.',
  on: everyOperation,
  inProcess: 'the same header',
  options: () =>
    z.strictObject({
      type: z
        .string()
        .regex(/^[\x21-\x7e][\x20-\x7e]*$/, 'expected printable ASCII')
        .default('text/html; charset=utf-8')
        .describe('The `content-type` that it gets.'),
    }),
  wire: ({ type }) => ({ headers: { 'content-type': type } }),
})
