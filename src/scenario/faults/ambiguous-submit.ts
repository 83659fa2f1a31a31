/** A submission that is refused although it made its job. */
import * as z from 'zod'
import { canSubmit } from '../../protocol/operations.ts'
import { defineFault } from './fault.ts'

export const ambiguousSubmit = defineFault({
  kind: 'ambiguous-submit',
  part: 'job',
  what: [
    'The submission is refused with 424 (image jobs: code 2002) or 500, although it has created the job,',
    'which goes on. The id is in `error.job_id`. Submitting again creates a second job (contract 7).',
  ].join(' '),
  on: canSubmit,
  options: () => z.strictObject({ status: z.literal([424, 500]).default(424).describe('The status.') }),
  seen({ status }, { endpoint, group }) {
    const code = status === 424 ? group.refusalCode?.('downstream_unavailable') : undefined
    const inWords = code === undefined ? '' : ` (code ${code})`
    return [
      `The submission is refused with ${status}${inWords}, although it has`,
      `created the ${endpoint.submits?.noun}, which goes on. The id is in \`error.job_id\`.`,
      'Submitting again creates a second one.',
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
