/** A submission that is refused although its job exists. */
import * as z from 'zod'
import { canSubmit } from '../../protocol/operations.ts'
import { defineFault } from './fault.ts'

export const ambiguousSubmit = defineFault({
  kind: 'ambiguous-submit',
  part: 'job',
  what: 'The submission is answered with 424 (image jobs: code 2002) or 500, and the job, video or operation exists and goes on, its id is in `error.job_id`: submitting again makes a second one (contract section 7).',
  on: canSubmit,
  inProcess: 'the same reply',
  options: () => z.strictObject({ status: z.literal([424, 500]).default(424).describe('Which of both.') }),
  seen({ status }, { endpoint, group }) {
    const code = status === 424 ? group.refusalCode?.('downstream_unavailable') : undefined
    return [
      `The submission is answered with ${status}${code === undefined ? '' : ` (code ${code})`}, and`,
      `the ${endpoint.submits?.noun} exists and goes on, its id is in \`error.job_id\`:`,
      'submitting again makes a second one.',
    ].join(' ')
  },
  plan: ({ status }) => ({
    refuse:
      status === 500
        ? { type: 'api_error', before: 'act', jobContinues: true, message: 'The request was not completed.' }
        : {
            type: 'downstream_unavailable',
            before: 'act',
            jobContinues: true,
            message: 'The submit failed: the downstream call is unavailable.',
          },
  }),
})
