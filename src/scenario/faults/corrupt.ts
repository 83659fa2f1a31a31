/** Some bytes of the body are not what they were. */
import * as z from 'zod'
import { defineFault, onWire } from './fault.ts'
import { afterBytes } from './places.ts'

export const corrupt = defineFault({
  kind: 'corrupt',
  part: 'body',
  what: 'Some bytes of the body are changed; its length is right.',
  on: ['*'],
  inProcess: 'the same bytes',
  options: () =>
    z.strictObject({
      bytes: z
        .int()
        .min(1)
        .max(10_000)
        .default(1)
        .describe('How many bytes are changed, one behind the other.'),
      afterBytes: afterBytes('Where the first of them is; drawn by the seed when left out.'),
    }),
  edit(reply, { bytes, afterBytes }, { random }) {
    // A mask of zero would change nothing.
    const masks = Array.from({ length: bytes }, () => random.integer(1, 255))
    return onWire(reply, {
      kind: 'corrupt',
      masks,
      ...(afterBytes === undefined ? { afterShare: random.next() } : { afterBytes }),
    })
  },
})
