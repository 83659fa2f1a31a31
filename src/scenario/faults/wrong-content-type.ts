/** The reply has the wrong media type. */
import * as z from 'zod'
import { everyOperation } from '../../protocol/operations.ts'
import { defineFault } from './fault.ts'

export const wrongContentType = defineFault({
  kind: 'wrong-content-type',
  part: 'headers',
  what: 'The reply has the wrong `content-type`.',
  on: everyOperation,
  options: () =>
    z.strictObject({
      type: z
        .string()
        .regex(/^[\x21-\x7e][\x20-\x7e]*$/, 'expected printable ASCII')
        .default('text/html; charset=utf-8')
        .describe('The `content-type` of the reply.'),
    }),
  wire: ({ type }) => ({ headers: { 'content-type': type } }),
})
