/** The connection ends in the middle of the body. */
import * as z from 'zod'
import { everyOperation } from '../../protocol/operations.ts'
import { cutAt } from '../../protocol/pieces.ts'
import { defineFault } from './fault.ts'
import { afterBytes, afterShare } from './places.ts'

export const truncate = defineFault({
  kind: 'truncate',
  part: 'body',
  what: 'The connection ends in the middle of the body, before the declared length has arrived.',
  on: everyOperation,
  inProcess: 'the body stream errors at the same place ("terminated")',
  options: () =>
    z.strictObject({
      afterShare: afterShare(0.5),
      afterBytes: afterBytes('How many bytes of the body arrive before it, instead of a share.'),
      how: z.enum(['close', 'reset']).default('close').describe('Whether the connection is closed or reset.'),
    }),
  seen({ how }) {
    const ends = how === 'reset' ? 'reset' : 'closed'
    return `The connection is ${ends} in the middle of the body: less arrives than was declared.`
  },
  wire: ({ afterShare, afterBytes, how }) => cutAt({ afterShare, afterBytes }, how),
})
