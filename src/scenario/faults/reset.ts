/** The connection is reset before the first byte of the reply. */
import * as z from 'zod'
import { defineFault, onWire } from './fault.ts'

export const reset = defineFault({
  kind: 'reset',
  part: 'connection',
  what: 'The connection is reset (RST) before the first byte of the reply. The service has acted all the same.',
  on: ['*'],
  inProcess: '`fetch` rejects with the `TypeError` "fetch failed", its cause has the code `ECONNRESET`',
  options: () => z.strictObject({}),
  // What the client never sees has no status.
  edit: (reply) => onWire({ ...reply, status: 0, body: { kind: 'none' } }, { kind: 'reset' }),
})
