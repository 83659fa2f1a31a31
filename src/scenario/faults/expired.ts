/** An upload URL that has already expired. */
import * as z from 'zod'
import { grantsUploads } from '../../protocol/operations.ts'
import { defineFault } from './fault.ts'

export const expired = defineFault({
  kind: 'expired',
  part: 'upload',
  what: 'The upload URL has already expired: sending to it gets 403 `AccessDenied`.',
  on: grantsUploads,
  options: () => z.strictObject({}),
  plan: () => ({ upload: { expired: true } }),
})
