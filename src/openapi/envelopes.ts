/** The error bodies, group by group, with the names they go by. */
import type * as z from 'zod'
import {
  envelopeSchema,
  ownEnvelope,
  ownStreamEnvelope,
  streamEnvelopeSchema,
} from '../contract/envelopes.ts'
import { problemSchema } from '../control/problem.ts'
import { pascal } from './components.ts'

/** An envelope with the name it goes by. */
export interface Envelope {
  readonly name: string
  readonly schema: z.ZodType
}

/** The error body of a group. */
export function envelopeOf(group: string): Envelope {
  if (group === 'control') return { name: 'ControlError', schema: problemSchema }
  return {
    name: ownEnvelope(group) === undefined ? 'Error' : `${pascal(group)}Error`,
    schema: envelopeSchema(group),
  }
}

/** An error inside a stream that has begun. */
export function streamEnvelopeOf(group: string): Envelope {
  return ownStreamEnvelope(group) === undefined
    ? envelopeOf(group)
    : { name: `${pascal(group)}StreamError`, schema: streamEnvelopeSchema(group) }
}
