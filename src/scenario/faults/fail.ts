/** A job that fails. */
import * as z from 'zod'
import { canSubmit } from '../../protocol/operations.ts'
import { defineFault } from './fault.ts'

export const fail = defineFault({
  kind: 'fail',
  part: 'job',
  what: 'The job, video or operation fails.',
  on: canSubmit,
  options: () =>
    z.strictObject({
      at: z.number().min(0).max(100).default(60).describe('At this percentage of its duration.'),
      code: z
        .string()
        .min(1)
        .optional()
        .describe('The code of the failure; if left out, the default of the API.'),
      message: z.string().min(1).optional().describe('The message of the failure.'),
    }),
  plan: ({ at, code, message }) => ({
    job: {
      failAt: at,
      ...(code === undefined && message === undefined
        ? {}
        : { failure: { code: code ?? 'failed', message: message ?? code ?? 'failed' } }),
    },
  }),
})
