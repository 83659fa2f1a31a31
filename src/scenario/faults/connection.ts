/** Faults of the connection and of the headers of a response. */
import * as z from 'zod'
import { everyOperation } from '../../protocol/operations.ts'
import { duration, optional } from '../values.ts'
import { type Fault, faultsOfPart } from './fault.ts'

const connection = faultsOfPart('connection', everyOperation)
const headers = faultsOfPart('headers', everyOperation)

export const connectionFaults: readonly Fault[] = [
  connection('hang', {
    what:
      'The request is accepted, but no response is sent: the connection stays open until the client ' +
      'closes it.',
    inProcess: '`fetch` never resolves; it rejects when the client aborts',
    wire: () => ({ instead: 'hang' }),
  }),
  connection('reset', {
    what: 'The connection is reset (RST) before the first byte of the response, after the gateway has acted.',
    inProcess: '`fetch` rejects with the `TypeError` "fetch failed", with the cause `ECONNRESET`',
    wire: () => ({ instead: 'reset' }),
  }),
  connection('outage', {
    what:
      'The service is down temporarily. The connections of this request and all later requests in the ' +
      'session are reset. The later requests have no effect. The control API stays up.',
    inProcess: '`fetch` rejects with the `TypeError` "fetch failed", with the cause `ECONNRESET`',
    options: () => ({
      for: duration(
        'The duration of the outage in virtual time. With the clock mode `auto`, time does not pass: the ' +
          'outage lasts until the clock is advanced or `times` is reached.',
      ).prefault('10s'),
      times: optional(z.int().min(1), 'The maximum number of requests that are reset, including this one.'),
    }),
    plan: ({ for: ms, times }) => ({ outage: times === undefined ? { ms } : { ms, times } }),
    wire: () => ({ instead: 'reset' }),
  }),
  headers('wrong-content-type', {
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
      'The `content-length` is too large (the connection ends before the body is complete) or too small ' +
      '(the body is cut at the declared length).',
    inProcess: 'the body stream errors if bytes are missing, and ends if there are too many',
    options: () => ({
      by: z
        .int()
        .min(-1_000_000_000)
        .max(1_000_000_000)
        .default(16)
        .describe(
          'The difference from the real length in bytes. A negative value makes the length too small.',
        ),
    }),
    wire: ({ by }) => ({ lengthOff: by }),
  }),
]
