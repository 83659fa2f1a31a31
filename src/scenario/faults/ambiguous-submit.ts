/** A submission that is refused although its job exists. */
import * as z from 'zod'
import { defineFault } from './fault.ts'
import { submitting } from './places.ts'

export const ambiguousSubmit = defineFault({
  kind: 'ambiguous-submit',
  part: 'job',
  what: 'The submission is answered with 424 (image jobs: code 2002) or 500, and the job, video or operation exists and goes on, its id is in `error.job_id`: submitting again makes a second one (contract section 7).',
  on: submitting,
  inProcess: 'the same reply',
  options: () => z.strictObject({ status: z.literal([424, 500]).default(424).describe('Which of both.') }),
  seen: ({ status }, { operation }) => {
    const kind = operation.split('.')[0]
    return `The submission is answered with ${status}${kind === 'imageJobs' && status === 424 ? ' (code 2002)' : ''}, and the ${kind === 'imageJobs' ? 'job' : kind === 'videos' ? 'video' : 'operation'} exists and goes on, its id is in \`error.job_id\`: submitting again makes a second one.`
  },
  plan: ({ status }, { operation }) => ({
    refuse:
      status === 500
        ? { type: 'api_error', before: 'act', jobContinues: true, message: 'The request was not completed.' }
        : {
            type: 'downstream_unavailable',
            before: 'act',
            jobContinues: true,
            message: 'The submit failed: the downstream call is unavailable.',
            ...(operation.startsWith('imageJobs.') ? { code: 2002 } : {}),
          },
  }),
})
