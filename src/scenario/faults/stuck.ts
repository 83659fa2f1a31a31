/** A job that never ends. */
import * as z from 'zod'
import { defineFault } from './fault.ts'
import { submitting } from './places.ts'

export const stuck = defineFault({
  kind: 'stuck',
  part: 'job',
  what: 'The job, video or operation never leaves its running state.',
  on: submitting,
  inProcess: 'the same',
  options: () => z.strictObject({}),
  plan: () => ({ job: { stuck: true } }),
})
