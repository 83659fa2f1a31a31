/** A job that falls back. */
import * as z from 'zod'
import { defineFault } from './fault.ts'
import { submitting } from './places.ts'

export const regress = defineFault({
  kind: 'regress',
  part: 'job',
  what: 'The job, video or operation falls back to its first state in the middle of its way, and goes on from there.',
  on: submitting,
  inProcess: 'the same',
  options: () =>
    z.strictObject({
      at: z.number().min(0).max(100).default(60).describe('When so many percent of its time are over.'),
    }),
  plan: ({ at }) => ({ job: { regressAt: at } }),
})
