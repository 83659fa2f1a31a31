/** A JSON body that is cut short in all order. */
import * as z from 'zod'
import { defineFault, onWire } from './fault.ts'
import { afterBytes, afterShare } from './places.ts'

export const malformedJson = defineFault({
  kind: 'malformed-json',
  part: 'body',
  json: true,
  what: 'The JSON body ends too early, and its length says so: a reply that is whole for HTTP and cannot be parsed. Other bodies stay as they are.',
  on: ['*'],
  inProcess: 'the same bytes',
  options: () =>
    z.strictObject({
      afterShare: afterShare(0.5),
      afterBytes: afterBytes('How many bytes of the body are left, in the place of a share.'),
    }),
  edit: (reply, { afterShare, afterBytes }) =>
    reply.body.kind === 'json'
      ? onWire(reply, {
          kind: 'cut',
          how: 'end',
          ...(afterBytes === undefined ? { afterShare: Math.min(afterShare, 0.999) } : { afterBytes }),
        })
      : reply,
})
