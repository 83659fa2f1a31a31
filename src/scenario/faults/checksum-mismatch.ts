/** An upload that is damaged on its way. */
import * as z from 'zod'
import { receivesUploads } from '../../protocol/operations.ts'
import { defineFault } from './fault.ts'

export const checksumMismatch = defineFault({
  kind: 'checksum-mismatch',
  part: 'upload',
  what: 'The object store received other bytes than were sent: 400 `BadDigest`, and nothing is stored.',
  on: receivesUploads,
  inProcess: 'the same reply',
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
