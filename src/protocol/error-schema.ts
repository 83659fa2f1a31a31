/** The schemas of error bodies, from which groups make their own. */
import * as z from 'zod'
import { lazy } from '../engine/fields.ts'
import { contractSays, describedIn, relied, required, spare, unnamed } from './contract-reading.ts'

export const detail = () =>
  z.looseObject({
    code: z.int().describe('The numeric code of this error.'),
    message: z.string().describe('The problem and the expected value.'),
    field: unnamed(z.string()).optional().describe('The path of the rejected field.'),
  })

export const fields = () => ({
  type: unnamed(z.string()).describe('The error type, which clients of this API family check.'),
  code: relied(z.int()).describe(
    'The numeric code: the HTTP status, or a code from the contract (2002, 2004, 2007).',
  ),
  message: relied(z.string()).describe('The problem and its solution.'),
  param: unnamed(z.string().nullable()).describe('The path of the rejected field.'),
  details: spare(contractSays(z.array(detail()), () => z.array(z.looseObject({})))).describe(
    'The individual errors. Empty if the message covers everything.',
  ),
  trace_id: spare(z.string()).describe('The id of this error, for logs and support.'),
})

const section = 'contract 2.1'

export const withJob = () => ({
  ...fields(),
  job_id: unnamed(z.string())
    .optional()
    .describe(
      'The id of the job that was created despite the error. Poll this job instead of submitting again.',
    ),
})

/** The schema of an envelope: the fields of `error`, and those before and after it. */
export const envelope = (
  error: z.ZodRawShape,
  { before = {}, after = {} }: { readonly before?: z.ZodRawShape; readonly after?: z.ZodRawShape } = {},
  where = section,
): z.ZodType =>
  describedIn(where, z.looseObject({ ...before, error: required(z.looseObject(error)), ...after }))

/** The common error body. */
export const commonErrors = lazy(() => envelope(withJob()))
