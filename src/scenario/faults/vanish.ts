/** A job that is unknown all at once. */
import * as z from 'zod'
import { canSubmit } from '../../protocol/operations.ts'
import { defineFault } from './fault.ts'

export const vanish = defineFault({
  kind: 'vanish',
  part: 'job',
  what: 'The job, video or operation is unknown (404) from some moment on.',
  on: canSubmit,
  inProcess: 'the same',
  options: () =>
    z.strictObject({
      at: z.number().min(0).max(100).default(50).describe('When so many percent of its time are over.'),
    }),
  plan: ({ at }) => ({ job: { vanishAt: at } }),
})
