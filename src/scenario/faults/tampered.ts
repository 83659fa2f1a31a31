/** An upload URL whose signature is wrong. */
import * as z from 'zod'
import { grantsUploads } from '../../protocol/operations.ts'
import { defineFault } from './fault.ts'

export const tampered = defineFault({
  kind: 'tampered',
  part: 'upload',
  what: 'The signature of the upload URL is wrong: sending to it gets 403 `SignatureDoesNotMatch`.',
  on: grantsUploads,
  options: () => z.strictObject({}),
  plan: () => ({ upload: { tampered: true } }),
})
