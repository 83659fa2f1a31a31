/** A JSON body that is cut short, with the right length. */
import * as z from 'zod'
import { everyOperation } from '../../protocol/operations.ts'
import { cutAt } from '../../protocol/pieces.ts'
import { defineFault } from './fault.ts'
import { afterBytes, afterShare } from './places.ts'

export const malformedJson = defineFault({
  kind: 'malformed-json',
  part: 'body',
  onlyJson: '`malformed-event` breaks one event of it',
  what: [
    'The JSON body is cut short, with a matching `content-length`: a valid HTTP reply that cannot be',
    'parsed. Other bodies do not change.',
  ].join(' '),
  on: everyOperation,
  options: () =>
    z.strictObject({
      afterShare: afterShare(0.5),
      afterBytes: afterBytes('How many bytes of the body are left, instead of a share.'),
    }),
  wire: ({ afterShare, afterBytes }) => cutAt({ afterBytes, afterShare: Math.min(afterShare, 0.999) }, 'end'),
})
