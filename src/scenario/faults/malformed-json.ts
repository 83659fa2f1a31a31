/** A JSON body that is cut short in all order. */
import * as z from 'zod'
import { everyOperation } from '../../protocol/operations.ts'
import { cutAt } from '../../protocol/pieces.ts'
import { defineFault } from './fault.ts'
import { afterBytes, afterShare } from './places.ts'

export const malformedJson = defineFault({
  kind: 'malformed-json',
  part: 'body',
  onlyJson: '`malformed-event` breaks one event of it',
  what: 'The JSON body ends too early, and its length says so: a reply that is whole for HTTP and cannot be parsed. Other bodies stay as they are.',
  on: everyOperation,
  inProcess: 'the same bytes',
  options: () =>
    z.strictObject({
      afterShare: afterShare(0.5),
      afterBytes: afterBytes('How many bytes of the body are left, in the place of a share.'),
    }),
  wire: ({ afterShare, afterBytes }) => cutAt({ afterBytes, afterShare: Math.min(afterShare, 0.999) }, 'end'),
})
