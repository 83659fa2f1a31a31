/** A job that falls back. */
import * as z from 'zod'
import { canSubmit } from '../../protocol/operations.ts'
import { defineFault } from './fault.ts'

export const regress = defineFault({
  kind: 'regress',
  part: 'job',
  what: 'The job, video or operation falls back to its first state and starts over.',
  on: canSubmit,
  options: () =>
    z.strictObject({
      at: z.number().min(0).max(100).default(60).describe('At this percentage of its duration.'),
    }),
  plan: ({ at }) => ({ job: { regressAt: at } }),
})
