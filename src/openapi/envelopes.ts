/**
 * The error bodies, group by group (contract 2.1; what each family adds: wire-formats 1.3). A group that has
 * no envelope of its own here is described by the contract's.
 */
import * as z from 'zod'
import { problemSchema } from '../control/problem.ts'
import { pascal } from './components.ts'

const detail = z.looseObject({
  code: z.int().describe('The numeric code of this finding.'),
  message: z.string().describe('What was found, and what is expected.'),
  field: z.string().optional().describe('The field path it is about.'),
})

const fields = {
  type: z.string().describe('The kind of refusal, the word that clients of this family look for.'),
  code: z.int().describe('The numeric code: the HTTP status, or a code of the contract (2002, 2004, 2007).'),
  message: z.string().describe('What was found, and what to change.'),
  param: z.string().nullable().describe('The field path the refusal is about.'),
  details: z.array(detail).describe('Each finding; empty when the message says it all.'),
  trace_id: z.string().describe('Names this refusal in logs.'),
}

const contract = z.looseObject({
  error: z.looseObject({
    ...fields,
    job_id: z
      .string()
      .optional()
      .describe(
        [
          'The job that exists and runs although its submission was refused: query it instead of',
          'submitting again.',
        ].join(' '),
      ),
  }),
})

const messages = z.looseObject({
  type: z.literal('error'),
  error: z.looseObject({
    ...fields,
    details: z.union([
      fields.details,
      z.looseObject({}).describe('Only where `thread` was asked for: what clients need to go on without it.'),
    ]),
  }),
  request_id: z.string().describe('The same as in the header `request-id`.'),
})

const operations = z.looseObject({
  error: z.looseObject({
    ...fields,
    status: z.string().describe('The status as a word: INVALID_ARGUMENT, NOT_FOUND, …'),
    operation_id: z
      .string()
      .optional()
      .describe('The operation that runs although its submission was refused.'),
  }),
})

const byGroup: Readonly<Record<string, z.ZodType>> = { messages, operations, control: problemSchema }

/** An error inside a stream that has begun, where it differs from the body. */
const streams: Readonly<Record<string, z.ZodType>> = {
  messages: z.looseObject({
    type: z.literal('error'),
    error: z.looseObject({ type: z.string(), message: z.string() }),
  }),
}

/** An envelope with the name it goes by. */
export interface Envelope {
  readonly name: string
  readonly schema: z.ZodType
}

/** The error body of a group. */
export function envelopeOf(group: string): Envelope {
  const own = byGroup[group]
  return own === undefined
    ? { name: 'Error', schema: contract }
    : { name: `${pascal(group)}Error`, schema: own }
}

/** An error inside a stream that has begun. */
export function streamEnvelopeOf(group: string): Envelope {
  const own = streams[group]
  return own === undefined ? envelopeOf(group) : { name: `${pascal(group)}StreamError`, schema: own }
}
