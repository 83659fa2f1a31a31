/** An upload that is damaged on its way. */
import * as z from 'zod'
import { receivesUploads } from '../../protocol/operations.ts'
import { defineFault } from './fault.ts'

export const checksumMismatch = defineFault({
  kind: 'checksum-mismatch',
  part: 'upload',
  what: 'The bytes were damaged on their way to the object store: 400 `BadDigest`, and nothing is stored.',
  on: receivesUploads,
  options: () => z.strictObject({}),
  plan: () => ({
    refuse: {
      type: 'invalid_request_error',
      name: 'BadDigest',
      before: 'act',
      message: 'The Content-MD5 you specified did not match what we received.',
    },
  }),
})
