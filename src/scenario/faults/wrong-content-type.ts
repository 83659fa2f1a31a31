/** The reply says that it is of another media type. */
import * as z from 'zod'
import { defineFault, onWire } from './fault.ts'

export const wrongContentType = defineFault({
  kind: 'wrong-content-type',
  part: 'headers',
  what: 'The reply says that it is something else than it is.',
  on: ['*'],
  inProcess: 'the same header',
  options: () =>
    z.strictObject({
      type: z
        .string()
        .regex(/^[\x21-\x7e][\x20-\x7e]*$/, 'expected printable ASCII')
        .default('text/html; charset=utf-8')
        .describe('The `content-type` that it gets.'),
    }),
  edit: (reply, { type }) => onWire(reply, { kind: 'header', name: 'content-type', value: type }),
})
