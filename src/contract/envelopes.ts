/**
 * The error bodies of the service's groups (contract 2.1; what each family adds: wire-formats 1.3). A group
 * that has no envelope of its own here is described by the contract's.
 */
import * as z from 'zod'
import { contractSays, describedIn, relied, required, spare, unnamed } from '../protocol/contract-reading.ts'

const detail = z.looseObject({
  code: z.int().describe('The numeric code of this finding.'),
  message: z.string().describe('What was found, and what is expected.'),
  field: unnamed(z.string()).optional().describe('The field path it is about.'),
})

const fields = {
  type: unnamed(z.string()).describe('The kind of refusal, the word that clients of this family look for.'),
  code: relied(z.int()).describe(
    'The numeric code: the HTTP status, or a code of the contract (2002, 2004, 2007).',
  ),
  message: relied(z.string()).describe('What was found, and what to change.'),
  param: unnamed(z.string().nullable()).describe('The field path the refusal is about.'),
  details: spare(contractSays(z.array(detail), () => z.array(z.looseObject({})))).describe(
    'Each finding; empty when the message says it all.',
  ),
  trace_id: spare(z.string()).describe('Names this refusal in logs.'),
}

const section = 'contract 2.1'

const withJob = {
  ...fields,
  job_id: unnamed(z.string())
    .optional()
    .describe(
      'The job that exists and runs although its submission was refused: query it instead of ' +
        'submitting again.',
    ),
}

/** An envelope: what its `error` has, and what stands around it. */
const envelope = (
  error: z.ZodRawShape,
  { before = {}, after = {} }: { readonly before?: z.ZodRawShape; readonly after?: z.ZodRawShape } = {},
  where = section,
): z.ZodType =>
  describedIn(where, z.looseObject({ ...before, error: required(z.looseObject(error)), ...after }))

const contract = envelope(withJob)

// The contract says what is in their details.
const imageJobs = envelope({
  ...withJob,
  details: spare(z.array(detail)).describe(fields.details.description ?? ''),
})

const thread = z
  .looseObject({})
  .describe('Only where `thread` was asked for: what clients need to go on without it.')

const messages = envelope(
  {
    ...fields,
    details: spare(contractSays(z.union([fields.details, thread]), () => z.array(z.looseObject({})))),
  },
  {
    before: { type: unnamed(z.literal('error')) },
    after: { request_id: unnamed(z.string()).describe('The same as in the header `request-id`.') },
  },
)

const operations = envelope({
  ...fields,
  status: unnamed(z.string()).describe('The status as a word: INVALID_ARGUMENT, NOT_FOUND, …'),
  operation_id: unnamed(z.string())
    .optional()
    .describe('The operation that runs although its submission was refused.'),
})

const byGroup: Readonly<Record<string, z.ZodType>> = { messages, operations, 'image-jobs': imageJobs }

/** An error inside a stream that has begun, where it differs from the body. */
const streams: Readonly<Record<string, z.ZodType>> = {
  messages: envelope(
    { type: relied(z.string()), message: relied(z.string()) },
    { before: { type: z.literal('error') } },
    'wire-formats 3.3',
  ),
}

/** The error body of a group; undefined where it is the contract's. */
export const ownEnvelope = (group: string): z.ZodType | undefined => byGroup[group]

export const envelopeSchema = (group: string): z.ZodType => byGroup[group] ?? contract

/** An error inside a stream that has begun, where it differs from the body. */
export const ownStreamEnvelope = (group: string): z.ZodType | undefined => streams[group]

export const streamEnvelopeSchema = (group: string): z.ZodType => streams[group] ?? envelopeSchema(group)
