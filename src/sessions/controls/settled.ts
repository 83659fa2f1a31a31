/** `settled`: waits until the calls of a session have got their replies. */
import * as z from 'zod'
import { json } from '../../protocol/reply.ts'
import { implement } from './control.ts'

/** @internal */
export const settled = implement<() => Promise<void>>({
  act: ({ parts, session }) => parts.settled(session.world.name),
  endpoint: {
    operation: 'sim.settled',
    summary: 'Answers when no call of the session waits for its reply, other than for the clock',
    waitsForInFlight: true,
    reply: z.strictObject({ settled: z.literal(true).describe('Always true: it answers no earlier.') }),
    serve: () => json({ settled: true }),
  },
})
