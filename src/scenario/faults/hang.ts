/** The call is taken and never answered. */
import * as z from 'zod'
import { defineFault, onWire } from './fault.ts'

export const hang = defineFault({
  kind: 'hang',
  part: 'connection',
  what: 'The call is taken and never answered: the connection stays open, without a byte, until the client leaves.',
  on: ['*'],
  inProcess: '`fetch` never resolves; it rejects when the client aborts',
  options: () => z.strictObject({}),
  // What the client never sees has no status.
  edit: (reply) => onWire({ ...reply, status: 0, body: { kind: 'none' } }, { kind: 'hang' }),
})
