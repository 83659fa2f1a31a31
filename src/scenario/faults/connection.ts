/** Faults of the connection and of the headers of a response. */
import * as z from 'zod'
import { everyOperation } from '../../protocol/operations.ts'
import { duration, optional } from '../values.ts'
import { type Fault, faultsOfPart } from './fault.ts'

const connection = faultsOfPart('connection', everyOperation)
const headers = faultsOfPart('headers', everyOperation)

export const connectionFaults: readonly Fault[] = [
  connection('hang', {
    what: 'The request gets no response, and the connection stays open until the client closes it.',
    wire: () => ({ instead: 'hang' }),
  }),
  connection('reset', {
    what: 'The gateway processes the request, then resets the connection (RST) instead of responding.',
    wire: () => ({ instead: 'reset' }),
  }),
  connection('outage', {
    what:
      'This and later requests in the session fail with a connection reset. Later requests have no effect. ' +
      'The control API stays available.',
    options: () => ({
      for: duration(
        'The duration of the outage. With the clock mode `auto`, it lasts until the clock is advanced or ' +
          '`times` is reached.',
      ).prefault('10s'),
      times: optional(z.int().min(1), 'The maximum number of requests to reset, including the first.'),
    }),
    plan: ({ for: ms, times }) => ({ outage: times === undefined ? { ms } : { ms, times } }),
    wire: () => ({ instead: 'reset' }),
  }),
  headers('wrong-content-type', {
    nature: 'tolerable',
    what: 'The response has the wrong `content-type`.',
    options: () => ({
      contentType: z
        .string()
        .regex(/^[\x21-\x7e][\x20-\x7e]*$/, 'expected printable ASCII')
        .default('text/html; charset=utf-8')
        .describe('The `content-type` of the response.'),
    }),
    wire: ({ contentType }) => ({ headers: { 'content-type': contentType } }),
  }),
  headers('wrong-length', {
    what:
      'The `content-length` is too large (the connection ends before the declared length) or too small ' +
      '(the client reads only part of the body).',
    options: () => ({
      by: z
        .int()
        .min(-1_000_000_000)
        .max(1_000_000_000)
        .default(16)
        .describe(
          'The number of bytes added to the real length. A negative number makes the length too small.',
        ),
    }),
    wire: ({ by }) => ({ lengthOff: by }),
  }),
]
