/** The connection is reset before the first byte of the reply. */
import * as z from 'zod'
import { everyOperation } from '../../protocol/operations.ts'
import { defineFault } from './fault.ts'

export const reset = defineFault({
  kind: 'reset',
  part: 'connection',
  what: 'The connection is reset (RST) before the first byte of the reply. The service has acted.',
  on: everyOperation,
  inProcess: '`fetch` rejects with the `TypeError` "fetch failed", with the cause `ECONNRESET`',
  options: () => z.strictObject({}),
  wire: () => ({ instead: 'reset' }),
})
