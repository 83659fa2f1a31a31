/** `sim.reset`: back to the beginning. */
import * as z from 'zod'
import { defineEndpoint, type Endpoint } from '../protocol/endpoint.ts'
import { json } from '../protocol/reply.ts'
import type { ControlParts } from '../sessions/controls/control.ts'
import { own } from './control.ts'

export function resetEndpoints({ sessions }: ControlParts): readonly Endpoint[] {
  const reset = defineEndpoint({
    ...own,
    operation: 'sim.reset',
    method: 'POST',
    path: '/__sim/reset',
    summary: 'Puts the session (or all) back to its beginning; open streams end with an error',
    accepts: ['json'],
    bodyOptional: true,
    body: z.strictObject({
      all: z.boolean().optional().describe('Whether all sessions are put back, not this one alone.'),
    }),
    reply: z.strictObject({ reset: z.array(z.string()).describe('The sessions that were put back.') }),
    act({ body }, { world }) {
      const names = body.all === true ? sessions.all().map((session) => session.world.name) : [world.name]
      for (const name of names) sessions.reset(name)
      return json({ reset: names })
    },
  })
  return [reset]
}
