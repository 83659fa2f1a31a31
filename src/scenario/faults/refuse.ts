/** The service is down: this call and later ones are reset. */
import * as z from 'zod'
import { everyOperation } from '../../protocol/operations.ts'
import { duration } from '../format/values.ts'
import { defineFault } from './fault.ts'

export const refuse = defineFault({
  kind: 'refuse',
  part: 'connection',
  what: [
    'The service is down for a while: this call and all later calls of its session have their',
    'connections reset, and the later calls do not act. The control API stays up.',
  ].join(' '),
  on: everyOperation,
  inProcess: '`fetch` rejects with the `TypeError` "fetch failed", with the cause `ECONNRESET`',
  options: () =>
    z.strictObject({
      for: duration(
        [
          'How long, in virtual time. In `auto`, where time stands still: until it is advanced or',
          '`calls` is reached.',
        ].join(' '),
      ).prefault('10s'),
      calls: z.int().min(1).optional().describe('At most this many calls are reset, this one included.'),
    }),
  plan: ({ for: ms, calls }) => ({ outage: calls === undefined ? { ms } : { ms, calls } }),
  wire: () => ({ instead: 'reset' }),
})
