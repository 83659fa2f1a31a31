/** A job that never ends. */
import * as z from 'zod'
import { canSubmit } from '../../protocol/operations.ts'
import { defineFault } from './fault.ts'

export const stuck = defineFault({
  kind: 'stuck',
  part: 'job',
  what: 'The job, video or operation never leaves its running state.',
  on: canSubmit,
  options: () => z.strictObject({}),
  plan: () => ({ job: { stuck: true } }),
})
