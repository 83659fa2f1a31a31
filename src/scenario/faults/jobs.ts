/** Faults of jobs, videos and operations, and of uploads. */
import * as z from 'zod'
import { canSubmit, grantsUploads, receivesUploads } from '../../protocol/operations.ts'
import { rejecting } from '../rejection.ts'
import { type Fault, faultsOfPart } from './fault.ts'

const job = faultsOfPart('job', canSubmit)
const upload = faultsOfPart('upload', grantsUploads)

export const jobFaults: readonly Fault[] = [
  job('ambiguous-submit', {
    what:
      'The submission is rejected with 424 (image jobs: code 2002) or 500, but the job exists, with its id ' +
      'in `error.job_id`. A second submission creates a second job.',
    options: () => ({ status: z.literal([424, 500]).default(424).describe('The status.') }),
    plan({ status }) {
      if (status === 500)
        return rejecting('api_error', { message: 'The request was not completed.', jobContinues: true })
      const message = 'The submit failed: the downstream call is unavailable.'
      return rejecting('downstream_unavailable', { message, jobContinues: true })
    },
  }),
  upload('expired', {
    what: 'The upload URL has expired: an upload gets 403 `AccessDenied`.',
    plan: () => ({ upload: 'expired' }),
  }),
  upload('wrong-method', {
    what:
      'The upload URL is signed for the wrong method: a request with the method from the response gets 405 ' +
      '`MethodNotAllowed`.',
    plan: () => ({ upload: 'wrong-method' }),
  }),
  upload('tampered', {
    what: 'The signature of the upload URL is wrong: an upload gets 403 `SignatureDoesNotMatch`.',
    plan: () => ({ upload: 'tampered' }),
  }),
  upload('checksum-mismatch', {
    what: 'The bytes are corrupted in transit: the object store returns 400 `BadDigest` and stores nothing.',
    on: receivesUploads,
    plan: () =>
      rejecting('invalid_request_error', {
        name: 'BadDigest',
        message: 'The Content-MD5 you specified did not match what we received.',
      }),
  }),
]
