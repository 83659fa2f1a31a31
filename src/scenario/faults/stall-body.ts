/** A body that stops in the middle. */
import * as z from 'zod'
import { everyOperation } from '../../protocol/operations.ts'
import { cutAt } from '../../protocol/pieces.ts'
import { defineFault } from './fault.ts'
import { afterBytes, afterShare } from './places.ts'

export const stallBody = defineFault({
  kind: 'stall-body',
  part: 'body',
  what: 'The body stops in the middle, and the connection stays open until the client closes it.',
  on: everyOperation,
  inProcess: 'the body stream never ends',
  options: () =>
    z.strictObject({
      afterShare: afterShare(0.5),
      afterBytes: afterBytes('How many bytes of the body arrive before it, instead of a share.'),
    }),
  wire: ({ afterShare, afterBytes }) => cutAt({ afterShare, afterBytes }, 'stall'),
})
