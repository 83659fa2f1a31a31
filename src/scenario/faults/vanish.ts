/** A job that disappears. */
import * as z from 'zod'
import { canSubmit } from '../../protocol/operations.ts'
import { defineFault } from './fault.ts'

export const vanish = defineFault({
  kind: 'vanish',
  part: 'job',
  what: 'From some point on, the job, video or operation is not found (404).',
  on: canSubmit,
  options: () =>
    z.strictObject({
      at: z.number().min(0).max(100).default(50).describe('At this percentage of its duration.'),
    }),
  plan: ({ at }) => ({ job: { vanishAt: at } }),
})
