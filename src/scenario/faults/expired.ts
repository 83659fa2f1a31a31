/** An upload URL whose time is over. */
import * as z from 'zod'
import { grantsUploads } from '../../protocol/operations.ts'
import { defineFault } from './fault.ts'

export const expired = defineFault({
  kind: 'expired',
  part: 'upload',
  what: 'The upload URL is expired when it is handed out: sending to it gets 403 `AccessDenied`.',
  on: grantsUploads,
  inProcess: 'the same reply',
  options: () => z.strictObject({}),
  plan: () => ({ upload: { expired: true } }),
})
