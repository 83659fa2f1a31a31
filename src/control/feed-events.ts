/** The schema of what `sim.getEvents` sends. */

import * as z from 'zod'
import { clockSchema } from '../sessions/controls/clock.ts'
import { instant, int, text } from '../sessions/controls/fields.ts'
import { breakpointStateSchema } from './breakpoint-controls.ts'

const session = () => text('The name of the session.')
const journalSpan = () => ({
  total: int('The number of requests that the session has received.'),
  first: int('The `seq` of the oldest request in the journal.'),
})

/** The data of an event of `sim.getEvents`. */
export const feedEventSchema = (call: () => z.ZodType): z.ZodType =>
  z.union([
    z
      .strictObject({
        version: text('The version of gateway-sim.'),
        startedAt: instant('When this server was started.'),
        strict: z.boolean().describe('The setting `strict`.'),
        sessions: z
          .array(z.strictObject({ name: session(), ...journalSpan() }))
          .describe('The sessions, at most 1,000.'),
        count: int('The number of sessions.'),
      })
      .describe('`hello`: the first event of a connection.'),
    clockSchema()
      .extend({ session: session() })
      .describe(
        '`clock`: the clock of a session, at first and when it changes. The time of a running `real` ' +
          'clock is not a change.',
      ),
    breakpointStateSchema().describe(
      '`breakpoints`: all breakpoints and held requests, at first and when they change.',
    ),
    z
      .strictObject({
        session: session(),
        ...journalSpan(),
        requests: z
          .array(call())
          .describe('New requests, and requests with a change. Each replaces an earlier one with its `seq`.'),
      })
      .describe('`requests`: requests of a session.'),
    z
      .strictObject({
        session: session(),
        how: z.enum(['deleted', 'reset']).describe('After a reset, `seq` starts again at 0.'),
      })
      .describe('`ended`: a session was deleted or reset.'),
  ])
