/** The service is away: this call and those after it are reset, and nothing acts. */
import * as z from 'zod'
import { everyOperation } from '../../protocol/operations.ts'
import { duration } from '../format/values.ts'
import { defineFault } from './fault.ts'

export const refuse = defineFault({
  kind: 'refuse',
  part: 'connection',
  what: 'The service is away for a while: the connection of this call and of every later one of its session is reset, and the later ones do not act. The control API stays.',
  on: everyOperation,
  inProcess: '`fetch` rejects with the `TypeError` "fetch failed", its cause has the code `ECONNRESET`',
  options: () =>
    z.strictObject({
      for: duration(
        'For how long, in virtual time. In `auto`, where time stands still, until it is advanced or `calls` are over.',
      ).prefault('10s'),
      calls: z.int().min(1).optional().describe('How many calls are reset at most, this one included.'),
    }),
  plan: ({ for: ms, calls }) => ({ outage: calls === undefined ? { ms } : { ms, calls } }),
  wire: () => ({ instead: 'reset' }),
})
