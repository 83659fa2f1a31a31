/** The report on clients as JSON, for the control API. */
import * as z from 'zod'

const findingSchema = z.strictObject({
  id: z.string().describe('The kind of finding.'),
  severity: z.enum(['error', 'warning', 'hint']),
  subject: z.string().describe('What it is about: a job, a field, a request.'),
  message: z.string().describe('What the client did, with the facts of this case.'),
  remedy: z.string().describe('What to do instead.'),
  section: z.string().describe('The section of the contract.'),
  times: z.int().describe('How often it was seen.'),
  evidence: z
    .array(z.strictObject({ seq: z.int(), requestId: z.string() }))
    .describe('The first calls that show it, at most ten.'),
})

/** The shape of `ClientReport`. */
export const clientReportSchema = z.strictObject({
  ok: z.boolean().describe('True when there is no error and no warning; hints may be there.'),
  calls: z.int().describe('How many calls were judged.'),
  errors: z.int(),
  warnings: z.int(),
  hints: z.int(),
  findings: z.array(findingSchema).describe('Errors first, then in the order in which they were first seen.'),
  more: z.int().describe('Findings beyond the thousand that are kept.'),
})
